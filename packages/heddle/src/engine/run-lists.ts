// RunLists: lists of runs, page by page, and how many there are. Rules LS….
//
// Always true: a page and a count take the same time with a hundred runs and with a million; a cursor stays good while
// runs come, and when the run that it was made of has gone.

import type { Awaitable, RunLists, RunPlace } from '../actor/ports.ts';
import { given } from '../base/given.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { runStatuses } from '../core/views/status.ts';
import type { Page, Paging } from '../operations/parts.ts';
import type { RunSummary } from '../operations/run-results.ts';
import { type RunCountOptions, type RunCountView, type RunFilter, runsPerPageDefault } from '../operations/runs.ts';
import { summaryOf } from './run-result.ts';

const countedMax = 10_000;

/** What lists are read from. */
export interface ListedStore extends Pick<RunLists, 'pageRuns' | 'countRuns'> {
  readRun(runId: string): Awaitable<RunPlace | null>;
}

/** LS1: newest first; every filter that is given holds; whoever reads on with `next` gets each once. */
export async function pageRuns(store: ListedStore, query: RunFilter & Paging): Promise<Page<RunSummary>> {
  const { after, quarantined, subRuns, limit = runsPerPageDefault, ...same } = query;
  // LS8: sub-runs are in a list if they are asked for: with `subRuns`, or by the run above them.
  const hasSubRuns = subRuns || query.parentRunId !== undefined || query.rootRunId !== undefined;
  const { rows, next } = await store.pageRuns({
    ...same,
    limit,
    ...(hasSubRuns ? {} : rootsOnly),
    ...given({ isQuarantined: quarantined }),
    ...(after === undefined ? {} : { after: await placeOf(store, after) }),
  });
  return { items: rows.map(summaryOf), next: next === null ? null : cursorOf(next) };
}

/** LS5: counted by status, each up to 10,000; `more` names those of which there are more. */
export async function countRuns(store: ListedStore, { subRuns, ...query }: RunCountOptions): Promise<RunCountView> {
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

const rootsOnly = { isRoot: true } as const;

const cursorPattern = /^([0-9a-z]{1,11})~(.+)$/s;

// LS3: a cursor holds the place itself, so that the run may go.
const cursorOf = ({ createdAt, runId }: RunPlace): string => `${createdAt.toString(36)}~${runId}`;

async function placeOf(store: ListedStore, after: string): Promise<RunPlace> {
  const [, age, cursorId] = cursorPattern.exec(after) ?? [];
  if (age !== undefined && cursorId !== undefined) return { createdAt: Number.parseInt(age, 36), runId: cursorId };
  const row = await store.readRun(after);
  if (row) return { createdAt: row.createdAt, runId: row.runId };
  const message = `Expected the cursor of a page or the id of a run to continue after, but found ${after.slice(0, 40)}`;
  throw new HeddleError('CURSOR_INVALID', message);
}
