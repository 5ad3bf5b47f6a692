// RunLists: lists of runs, page by page, and how many there are. Rules LS….
//
// Always true: a page and a count take the same time with a hundred runs and with a million; a cursor stays good while
// runs come, and when the run that it was made of has gone.

import type { RunPageQuery, RunPlace, Store } from '../actor/ports.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { runStatuses } from '../core/views/status.ts';
import type { RunSummary } from '../operations/run-results.ts';
import type { RunCountOptions, RunCountView, RunFilter } from '../operations/runs.ts';
import { checkOptions, refuseChoice } from './check-options.ts';
import { summaryOf } from './run-result.ts';

/** All that is given must hold. */
export interface RunListQuery extends Omit<RunFilter, 'statuses'> {
  /** Runs of a page: 50 if absent, 1,000 at most. */
  readonly limit?: number;
  /** The cursor of the page before (`next`), or the id of its last run. */
  readonly after?: string;
  readonly status?: string;
  /** One of them. */
  readonly statuses?: readonly string[];
}

export interface RunListPage {
  readonly runs: readonly RunSummary[];
  /** What the next page goes on after; null if this was the last. A page may be short and not be the last. */
  readonly next: string | null;
}

export const runsPerPageDefault = 50;
export const runsPerPageMax = 1_000;
const countedMax = 10_000;

/** What a list of runs may be asked by. */
export const runListOptions = {
  limit: 'whole',
  after: 'text',
  workflow: 'text',
  status: 'other',
  statuses: 'members',
  parentRunId: 'text',
  rootRunId: 'text',
  tags: 'texts',
  createdAfter: 'whole',
  createdBefore: 'whole',
  quarantined: 'flag',
  subRuns: 'flag',
  search: 'text',
} as const;

/** LS1: newest first; every filter that is given holds; whoever reads on with `next` gets each once. */
export async function pageRuns(store: Store, query: RunListQuery): Promise<RunListPage> {
  const asked = await checkedQuery('runPage', store, query);
  if (asked === null) throw noSuchPlace(query);
  const { rows, next } = await store.pageRuns({ ...asked, limit: Math.min(asked.limit, runsPerPageMax) });
  return { runs: rows.map(summaryOf), next: next === null ? null : cursorOf(next) };
}

/** As many as were asked for, if there are so many; none after a run that is not there. */
export async function listRuns(store: Store, query: RunListQuery): Promise<readonly RunSummary[]> {
  const runs: RunSummary[] = [];
  for (let asked: RunPageQuery | null = await checkedQuery('runs', store, query); asked !== null; ) {
    const { rows, next } = await store.pageRuns({ ...asked, limit: asked.limit - runs.length });
    for (const row of rows) runs.push(summaryOf(row));
    asked = next === null || runs.length >= asked.limit ? null : { ...asked, after: next };
  }
  return runs;
}

/** LS5: counted by status, each up to 10,000; `more` names those of which there are more. */
export async function countRuns(store: Store, { subRuns, ...query }: RunCountOptions): Promise<RunCountView> {
  checkOptions('countRuns', { subRuns, ...query }, { workflow: 'text', subRuns: 'flag' });
  const counted = { ...query, ...(subRuns ? {} : rootsOnly) };
  const found = await store.countRuns({ ...counted, statuses: runStatuses, upTo: countedMax + 1 });
  const counts = { ...found.byStatus, quarantined: found.quarantined };
  const isMore = (count: number): boolean => count > countedMax;
  const byStatus = Object.fromEntries(
    Object.entries(found.byStatus).map(([status, count]) => [status, Math.min(count, countedMax)]),
  );
  const more = Object.entries(counts).flatMap(([name, count]) => (isMore(count) ? [name] : []));
  return { byStatus, quarantined: Math.min(found.quarantined, countedMax), more };
}

/** Null if nobody knows what to go on after. */
async function checkedQuery(what: string, store: Store, query: RunListQuery): Promise<RunPageQuery | null> {
  checkOptions(what, query, runListOptions);
  const { after, status, statuses, quarantined, subRuns, limit = runsPerPageDefault, ...same } = query;
  // LS8: sub-runs are in a list if they are asked for: with `subRuns`, or by the run above them.
  const hasSubRuns = subRuns || query.parentRunId !== undefined || query.rootRunId !== undefined;
  if (statuses !== undefined && !Array.isArray(statuses))
    throw new HeddleError('OPTION_INVALID', 'Expected statuses to be a list of statuses, but found another object');
  for (const one of [status, ...(statuses ?? [])]) refuseChoice('status', one, runStatuses);
  const wanted =
    statuses?.filter((one) => status === undefined || one === status) ?? (status === undefined ? null : [status]);
  const place = after === undefined ? undefined : await placeOf(store, after);
  if (place === null) return null;
  return {
    ...same,
    limit,
    ...(hasSubRuns ? {} : rootsOnly),
    ...(wanted === null ? {} : { statuses: wanted }),
    ...(quarantined === undefined ? {} : { isQuarantined: quarantined }),
    ...(place === undefined ? {} : { after: place }),
  };
}

const rootsOnly = { isRoot: true } as const;

const cursorPattern = /^([0-9a-z]{1,11})~(.+)$/s;

// LS3: a cursor holds the place itself, so that the run may go.
const cursorOf = ({ createdAt, runId }: RunPlace): string => `${createdAt.toString(36)}~${runId}`;

async function placeOf(store: Store, after: string): Promise<RunPlace | null> {
  const [, age, cursorId] = cursorPattern.exec(after) ?? [];
  if (age !== undefined && cursorId !== undefined) return { createdAt: Number.parseInt(age, 36), runId: cursorId };
  const row = await store.readRun(after);
  return row && { createdAt: row.createdAt, runId: row.runId };
}

function noSuchPlace({ after = '' }: RunListQuery): HeddleError {
  const message = `Expected the cursor of a page or the id of a run to go on after, but found ${after.slice(0, 40)}`;
  return new HeddleError('CURSOR_INVALID', message);
}
