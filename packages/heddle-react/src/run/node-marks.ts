// NodeMarks: what is shown of a node at a moment: how it stands, how many of its visits stand how, its fan-out, its join.
//
// Always true: nothing here grows with the number of tokens: a fan-out of 10,000 is one mark.

import type { Drawing, GroupFigures, NodeFigures } from 'heddle/journal';
import type { Look } from '../parts/status-mark.tsx';
import type { RunFigures } from './run-source.ts';

export interface NodeMark {
  readonly look: Look;
  readonly word: string;
  /** Those that are not zero, in an order that stays. */
  readonly counts: readonly Count[];
  readonly visits: number;
  /** Branches that it has opened, all its fan-outs together. */
  readonly branches: BranchBar | null;
  readonly join: JoinMark | null;
  /** What else is to be said of it, such as how it differs from another run. */
  readonly note?: string;
}

export interface Count {
  readonly look: Look;
  readonly word: string;
  readonly count: number;
}

export interface BranchBar {
  readonly total: number;
  readonly done: number;
  readonly active: number;
  readonly failed: number;
  /** Not begun. */
  readonly waiting: number;
}

/** Of the joins that are open in it. */
export interface JoinMark {
  readonly arrived: number;
  readonly stillPossible: number;
  /** Ended elsewhere: they will not come. */
  readonly gone: number;
}

const looks: Readonly<Record<NodeFigures['status'], Look>> = {
  idle: 'idle',
  running: 'active',
  waiting: 'waiting',
  completed: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
};

/** By node. */
export function marksOf({ nodes, groups, groupTotals }: RunFigures, drawing: Drawing): ReadonlyMap<string, NodeMark> {
  const joinOf = joinNodes(drawing);
  const bars = new Map<string, BranchBar>();
  for (const { node, branches, arrived, ended, failed } of groupTotals)
    addBar(bars, node, { total: branches, arrived, ended, failed, notBegun: 0 });
  const joins = new Map<string, JoinMark>();
  for (const group of groups) {
    addBar(bars, group.node, group);
    const node = joinOf(group);
    if (node !== null && !group.isJoined) addJoin(joins, node, group);
  }
  return new Map(
    nodes.map((node) => [node.nodeId, markOf(node, bars.get(node.nodeId) ?? null, joins.get(node.nodeId) ?? null)]),
  );
}

/**
 * The node at which a group is joined; null if at none. Before the first branch has come there, it is the one node whose
 * transitions are for that group; where several are, the first that comes decides.
 */
export function joinNodes({ transitions }: Drawing): (group: Pick<GroupFigures, 'group' | 'join'>) => string | null {
  const ways = transitions.flatMap(({ to, joins }) => (joins === undefined ? [] : [{ to, joins }]));
  const byJoin = new Map(ways.map(({ to, joins }) => [joins === null ? to : `${to}/${joins}`, to]));
  return ({ group, join }) => {
    if (join !== null) return byJoin.get(join) ?? join;
    const [only, ...others] = new Set(ways.filter(({ joins }) => joins === group).map(({ to }) => to));
    return only === undefined || others.length > 0 ? null : only;
  };
}

function markOf(node: NodeFigures, branches: BranchBar | null, join: JoinMark | null): NodeMark {
  const isReached = node.status !== 'idle' || (join !== null && join.arrived > 0) || node.arrivals > 0;
  return {
    look: isReached && node.status === 'idle' ? 'waiting' : looks[node.status],
    word: wordOf(node, isReached),
    counts: countsOf(node),
    visits: node.visits,
    branches,
    join: join ?? (node.arrivals > 0 ? { arrived: node.arrivals, stillPossible: 0, gone: 0 } : null),
  };
}

function wordOf({ status, skipped }: NodeFigures, isReached: boolean): string {
  if (status !== 'idle') return status;
  if (isReached) return 'waiting';
  return skipped > 0 ? 'skipped' : 'not reached';
}

function countsOf({ active, waiting, completed, failed, cancelled }: NodeFigures): readonly Count[] {
  const counts: readonly Count[] = [
    { look: 'active', word: 'active', count: active },
    { look: 'waiting', word: 'waiting', count: waiting },
    { look: 'done', word: 'done', count: completed },
    { look: 'failed', word: 'failed', count: failed },
    { look: 'cancelled', word: 'cancelled', count: cancelled },
  ];
  return counts.filter(({ count }) => count > 0);
}

type Opened = Pick<GroupFigures, 'total' | 'arrived' | 'ended' | 'failed' | 'notBegun'>;

export function barOf({ total, arrived, ended, failed, notBegun }: Opened): BranchBar {
  const done = Math.min(total, arrived + Math.max(0, ended - failed));
  const waiting = Math.min(notBegun, total - done - failed);
  return { total, done, failed, waiting, active: Math.max(0, total - done - failed - waiting) };
}

function addBar(bars: Map<string, BranchBar>, node: string, opened: Opened): void {
  const before = bars.get(node);
  const bar = barOf(opened);
  bars.set(
    node,
    before
      ? {
          total: before.total + bar.total,
          done: before.done + bar.done,
          active: before.active + bar.active,
          failed: before.failed + bar.failed,
          waiting: before.waiting + bar.waiting,
        }
      : bar,
  );
}

function addJoin(joins: Map<string, JoinMark>, node: string, { arrived, stillPossible, ended }: GroupFigures): void {
  const before = joins.get(node) ?? { arrived: 0, stillPossible: 0, gone: 0 };
  joins.set(node, {
    arrived: before.arrived + arrived,
    stillPossible: before.stillPossible + stillPossible,
    gone: before.gone + ended,
  });
}

/** As a sentence, for those who hear it. */
export function markText({ word, counts, visits, branches, join, note }: NodeMark): string {
  const parts = [
    word,
    ...(visits > 1 ? [`${visits.toLocaleString('en')} visits`] : []),
    ...(visits > 1 ? counts.map((each) => `${each.count.toLocaleString('en')} ${each.word}`) : []),
    ...(branches ? [barText(branches)] : []),
    ...(join ? [joinText(join)] : []),
    ...(note === undefined ? [] : [note]),
  ];
  return parts.join(', ');
}

export function barText({ total, done, active, failed, waiting }: BranchBar): string {
  const parts = [
    `${done.toLocaleString('en')} of ${total.toLocaleString('en')} branches done`,
    ...(active > 0 ? [`${active.toLocaleString('en')} active`] : []),
    ...(failed > 0 ? [`${failed.toLocaleString('en')} failed`] : []),
    ...(waiting > 0 ? [`${waiting.toLocaleString('en')} not begun`] : []),
  ];
  return parts.join(', ');
}

export function joinText({ arrived, stillPossible, gone }: JoinMark): string {
  const parts = [
    `${arrived.toLocaleString('en')} arrived`,
    ...(stillPossible > 0 ? [`${stillPossible.toLocaleString('en')} may still come`] : []),
    ...(gone > 0 ? [`${gone.toLocaleString('en')} gone`] : []),
  ];
  return parts.join(', ');
}
