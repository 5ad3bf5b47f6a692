// Visits: every time that a token was in a node, as tables show them, from the spans of a fold or from the tokens of a
// server; and the branches of a fan-out that they add up to.
//
// Always true: a branch is as its living visits are, or as its last one has ended; what happens in fan-outs inside of it
// counts for it.

import type { TokenInfo } from 'heddle';
import type { Span, TokenViewStatus } from 'heddle/journal';
import type { Look } from '../parts/status-mark.tsx';

export interface Visit {
  readonly token: number;
  readonly node: string;
  /** The token it comes from. */
  readonly from: number | null;
  /** The branch it is in; group 0 is the run itself. */
  readonly group: number;
  readonly index: number;
  readonly pathId: string;
  readonly status: TokenViewStatus;
  readonly readyAt: number;
  /** Null before, and where it is not known. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly attempt: number;
  readonly childRunId: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  /** The token before it in the list of the server, by which it is found there; null: it is the first. */
  readonly listedAfter: string | null;
}

export function visitOfSpan(span: Span): Visit {
  const { token, node, from, pathId, status, readyAt, startedAt, endedAt, attempt, childRunId, error } = span;
  const [group, index] = span.branch;
  return {
    token,
    node,
    from,
    group,
    index,
    pathId,
    status,
    readyAt,
    startedAt,
    endedAt,
    attempt,
    childRunId: childRunId ?? null,
    error: error ?? null,
    listedAfter: null,
  };
}

/** Without input and output: they are asked for when somebody looks at one. */
export function visitOfToken(info: TokenInfo, listedAfter: string | null): Visit {
  const { id, node, from, groupId, branchIndex, pathId, status, createdAt, endedAt, attempt, childRunId, error } = info;
  return {
    token: id,
    node,
    from,
    group: groupId ?? 0,
    index: branchIndex,
    pathId,
    status,
    attempt,
    readyAt: createdAt,
    startedAt: null,
    endedAt,
    childRunId: childRunId ?? null,
    error: error === undefined ? null : { code: error.code, message: error.message },
    listedAfter,
  };
}

const looks: Readonly<Record<TokenViewStatus, Look>> = {
  ready: 'active',
  dispatched: 'active',
  waiting_for_siblings: 'done',
  waiting_for_edges: 'done',
  retrying: 'waiting',
  waiting_for_timer: 'waiting',
  waiting_for_subworkflow: 'waiting',
  waiting_for_input: 'waiting',
  waiting_for_event: 'waiting',
  waiting_for_batch: 'waiting',
  waiting_for_credits: 'waiting',
  waiting_for_action: 'waiting',
  failed: 'failed',
  timed_out: 'failed',
  completed: 'done',
  cancelled: 'cancelled',
};

export const lookOfVisit = (status: TokenViewStatus): Look => looks[status];

export const wordOfVisit = (status: TokenViewStatus): string =>
  status === 'waiting_for_siblings' || status === 'waiting_for_edges' ? 'arrived' : status.replaceAll('_', ' ');

// -------------------------------------------------------------------------------------------------------- branches

export interface BranchRow {
  readonly index: number;
  readonly look: Look;
  readonly word: string;
  /** Where it is, or was at last. */
  readonly node: string;
  readonly visits: number;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly error: Visit['error'];
}

/** The branches of an instance of a fan-out that have begun, by their index. */
export function branchesOf(visits: Iterable<Visit>, group: number): readonly BranchRow[] {
  const all = [...visits];
  const ways = waysOut(all);
  const byIndex = new Map<number, Visit[]>();
  for (const visit of all) {
    const index = indexIn(group, visit, ways);
    if (index === null) continue;
    const list = byIndex.get(index);
    if (list) list.push(visit);
    else byIndex.set(index, [visit]);
  }
  return [...byIndex].map(([index, list]) => rowOf(index, list)).toSorted((a, b) => a.index - b.index);
}

/** The visits in one branch, those of fan-outs inside of it too, in the order of their creation. */
export function visitsIn(visits: Iterable<Visit>, group: number, index: number): readonly Visit[] {
  const all = [...visits];
  const ways = waysOut(all);
  return all.filter((visit) => indexIn(group, visit, ways) === index).toSorted((a, b) => a.token - b.token);
}

type Place = Pick<Visit, 'group' | 'index'>;

/** Of every group, the branch that it was opened in: that of the token which its first tokens come from. */
function waysOut(visits: readonly Visit[]): ReadonlyMap<number, Place> {
  const byToken = new Map(visits.map((visit) => [visit.token, visit]));
  const ways = new Map<number, Place>();
  for (const { from, group } of visits) {
    const opener = from === null ? undefined : byToken.get(from);
    if (opener && opener.group !== group && !ways.has(group)) ways.set(group, opener);
  }
  return ways;
}

/** Fan-outs lie in one another so deep at most; a chain of groups has no cycle, unless what was answered is wrong. */
const depthMax = 100;

function indexIn(group: number, visit: Visit, ways: ReadonlyMap<number, Place>): number | null {
  let place: Place | undefined = visit;
  for (let depth = 0; place && depth < depthMax; depth++) {
    if (place.group === group) return place.index;
    place = ways.get(place.group);
  }
  return null;
}

function rowOf(index: number, visits: readonly Visit[]): BranchRow {
  const living = visits.filter(({ endedAt }) => endedAt === null);
  const newest = newestOf(living.length > 0 ? living : visits);
  return {
    index,
    look: lookOfVisit(newest.status),
    word: wordOfVisit(newest.status),
    node: newest.node,
    visits: visits.length,
    startedAt: visits.reduce((first, { readyAt }) => Math.min(first, readyAt), Number.POSITIVE_INFINITY),
    endedAt: living.length > 0 ? null : visits.reduce((last, { endedAt }) => Math.max(last, endedAt ?? 0), 0),
    error: newest.error ?? visits.find(({ error }) => error !== null)?.error ?? null,
  };
}

/** What works counts before what waits; then the newest. */
function newestOf(visits: readonly Visit[]): Visit {
  const active = visits.filter(({ status }) => looks[status] === 'active');
  return (active.length > 0 ? active : visits).reduce((a, b) => (b.token > a.token ? b : a));
}

// ----------------------------------------------------------------------------------------------- search and order

export type BranchOrder = 'index' | 'status' | 'node' | 'started' | 'duration';

const lookOrder: readonly Look[] = ['failed', 'active', 'waiting', 'cancelled', 'paused', 'done', 'idle'];

/** Rows whose number, status, node or error has the text. */
export function findBranches(rows: readonly BranchRow[], search: string, look: Look | null): readonly BranchRow[] {
  const text = search.trim().toLowerCase();
  return rows.filter((row) => (look === null || row.look === look) && (text === '' || hasText(row, text)));
}

function hasText({ index, word, node, error }: BranchRow, text: string): boolean {
  return (
    String(index) === text.replace(/^#/, '') ||
    [word, node, error?.code ?? '', error?.message ?? ''].some((each) => each.toLowerCase().includes(text))
  );
}

export function sortBranches(
  rows: readonly BranchRow[],
  { by, isDescending }: { readonly by: BranchOrder; readonly isDescending: boolean },
  now: number,
): readonly BranchRow[] {
  const sorted = rows.toSorted((a, b) => compare[by](a, b, now) || a.index - b.index);
  return isDescending ? sorted.toReversed() : sorted;
}

const durationOf = ({ startedAt, endedAt }: BranchRow, now: number): number => (endedAt ?? now) - startedAt;

const compare: Readonly<Record<BranchOrder, (a: BranchRow, b: BranchRow, now: number) => number>> = {
  index: (a, b) => a.index - b.index,
  status: (a, b) => lookOrder.indexOf(a.look) - lookOrder.indexOf(b.look),
  node: (a, b) => (a.node < b.node ? -1 : Number(a.node > b.node)),
  started: (a, b) => a.startedAt - b.startedAt,
  duration: (a, b, now) => durationOf(a, now) - durationOf(b, now),
};
