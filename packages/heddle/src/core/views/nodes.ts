// Nodes view: what became of each node of a drawing, in any dialect, folded from the tokens of its run.
//
// Always true: every node is there once, in the order in which it is asked for; one that was never visited is idle.

import type { Failure } from '../../base/failure.ts';
import { given } from '../../base/given.ts';
import type { Json } from '../../base/json.ts';
import type { Graph } from '../../definition/graph.ts';
import type { EncodedState } from '../apply/encoded-state.ts';
import type { BranchRef, GroupId } from '../events.ts';
import { type ClassicTokenStatus, classicTokenStatus } from './projections.ts';
import { type TimedEvent, type TokenView, type TokenViewStatus, tokensOf } from './tokens.ts';

export type NodeStatus = 'idle' | 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled';

export interface NodeView {
  readonly nodeId: string;
  readonly status: NodeStatus;
  /** How often it was entered. */
  readonly visits: number;
  /** The tries of all its visits. */
  readonly attempts: number;
  /** When it was first entered, in milliseconds since 1970. */
  readonly startedAt: number | null;
  /** When it was last left; null while something is in it. */
  readonly endedAt: number | null;
  /** The action that nobody has and a visit waits for, and since when. */
  readonly waitsFor?: NonNullable<TokenView['waitsFor']>;
  /** What the newest visit gave. */
  readonly output?: Json;
  /** Why the newest visit failed, or must be tried again. */
  readonly error?: Failure;
}

/** What became of the nodes of these ids. */
export function nodesOf(events: readonly TimedEvent[], graph: Graph, nodeIds: Iterable<string>): NodeView[] {
  const visits = visitsOf(events, graph);
  const failure = findFailure(events);
  return [...nodeIds].map((nodeId) => blame(viewNode(nodeId, visits.get(nodeId) ?? [], graph), failure));
}

/** The visits to each node, in the order in which they began. */
export function visitsOf(events: readonly TimedEvent[], graph: Graph): ReadonlyMap<string, readonly TokenView[]> {
  const groups = collectGroups(events);
  const visits = new Map<string, TokenView[]>();
  for (const token of tokensOf(events)) {
    if (isArrival(token, graph, groups)) continue;
    const others = visits.get(token.node);
    if (others) others.push(token);
    else visits.set(token.node, [token]);
  }
  return visits;
}

// VW9: something running in a node counts before what waits in it, and that before the fate of the newest visit.
function viewNode(nodeId: string, visits: readonly TokenView[], { policy }: Graph): NodeView {
  const newest = visits.at(-1);
  if (!newest) return { nodeId, status: 'idle', visits: 0, attempts: 0, startedAt: null, endedAt: null };
  // Where tasks are handed out one at a time, those that are next wait for their turn, maybe for long.
  const waitsForTurn = ({ status }: TokenView): boolean => policy.oneAtATime && status === 'ready';
  const statuses = new Set(visits.map((visit) => (waitsForTurn(visit) ? 'waiting' : statusOfVisit(visit.status))));
  const isOver = visits.every(({ endedAt }) => endedAt !== null);
  const { output, error } = newest;
  const waitsFor = visits.find((visit) => visit.waitsFor !== undefined)?.waitsFor;
  return {
    nodeId,
    status: liveStatuses.find((live) => statuses.has(live)) ?? statusOfVisit(newest.status),
    visits: visits.length,
    attempts: visits.reduce((sum, { attempt }) => sum + attempt, 0),
    startedAt: visits.reduce((first, { createdAt }) => Math.min(first, createdAt), newest.createdAt),
    endedAt: isOver ? visits.reduce((last, { endedAt }) => Math.max(last, endedAt ?? 0), 0) : null,
    ...given({ waitsFor, output, error: tellsError.has(newest.status) ? error : undefined }),
  };
}

const liveStatuses: readonly NodeStatus[] = ['running', 'waiting'];

/** Afterwards the error of a try that was followed by another says nothing. */
const tellsError: ReadonlySet<TokenViewStatus> = new Set(['failed', 'timed_out', 'retrying']);

const statusOfVisit = (status: TokenViewStatus): NodeStatus => words[classicTokenStatus(status)];

const words: Readonly<Record<ClassicTokenStatus, NodeStatus>> = {
  active: 'running',
  waiting_at_fan_in: 'waiting',
  waiting: 'waiting',
  completed: 'completed',
  cancelled: 'cancelled',
  failed: 'failed',
};

/** A node may fail its run without a visit that failed: nothing came in time, or nothing could follow. */
function blame(view: NodeView, failure: Failure | null): NodeView {
  if (view.status === 'failed' || failure?.nodeId !== view.nodeId) return view;
  return { ...view, status: 'failed', error: failure };
}

function findFailure(events: readonly TimedEvent[]): Failure | null {
  const last = events.findLast(({ event }) => event.type === 'workflow.failed')?.event;
  return last?.type === 'workflow.failed' ? last.error : null;
}

/** What is known of a fan-out or batch. */
interface Enclosing {
  readonly name: string;
  readonly parent: BranchRef;
  readonly isBatch: boolean;
}

function collectGroups(events: readonly TimedEvent[]): Map<GroupId, Enclosing> {
  const groups = new Map<GroupId, Enclosing>();
  for (const { event } of events) {
    if (event.type === 'fan_out.started') {
      const { group, name, parent, batch } = event;
      groups.set(group, { name, parent, isBatch: batch !== undefined });
    }
    if (event.type === 'workflow.restored') {
      const { groups: restored } = event.state as unknown as EncodedState; // its own making
      for (const { id, name, parent, batch = null } of restored)
        groups.set(id, { name, parent, isBatch: batch !== null });
    }
  }
  return groups;
}

/** VW10: who comes to a join only waits for others, or is one too many: the visit is what continues from there. */
function isArrival(
  { via, groupId }: TokenView,
  { transitionsById }: Graph,
  groups: ReadonlyMap<GroupId, Enclosing>,
): boolean {
  const transition = via === null ? undefined : transitionsById.get(via);
  if (!transition?.join) return transition?.overEdges ?? false;
  // As in rules SY1, SY3 and BA5: outside the group of the join it is passed straight through.
  for (let group = groups.get(groupId ?? 0); group && !group.isBatch; group = groups.get(group.parent[0]))
    if (transition.join.group === null || transition.join.group === group.name) return true;
  return false;
}
