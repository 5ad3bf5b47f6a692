// Projected routes: what is asked of all runs of a tenant where every root run has an object of its own, answered from D1: lists and
// counts as D1 has them; what is done to many, by the objects of those that D1 names. Rules DO26 to DO28.
//
// Always true: what is done to a run its object decides, by what the run is then; D1 only says whom to ask.

import { groupBy } from '../../base/group-by.ts';
import { HeddleError } from '../../base/heddle-error.ts';
import { shardOf } from '../../base/shard.ts';
import { everyWorkflow, sweptStatuses } from '../../engine/retention.ts';
import { mustFilter } from '../../engine/runs.ts';
import type { Routes } from '../../fleet/route.ts';
import type { Shards } from '../../fleet/shards.ts';
import type { RequestOf } from '../../operations/operations.ts';
import type { Page } from '../../operations/parts.ts';
import type { Sweep, WorkflowRetention } from '../../operations/retention.ts';
import type { RunSummary } from '../../operations/run-results.ts';
import type { BulkAnswer } from '../../operations/runs.ts';
import type { Database } from './database.ts';
import { ProjectedLists } from './projected-lists.ts';

/** So many objects are asked for one request at most. */
const objectsMax = 100;
const dayMs = 86_400_000;
const rulesPerPage = 1_000;
const runsPerPage = 200;
/** Of one object, within a page. */
const bulkMax = 1_000;

// DO26: in place of asking every object.
export function projectedRoutes(database: Database, tenant: string): Routes {
  const lists = new ProjectedLists(database, tenant);
  const listRuns: ProjectedLists['listRuns'] = (request) => reached(lists.listRuns(request));
  return {
    listRuns: (_, request) => listRuns(request),
    countRuns: (_, request) => reached(lists.countRuns(request)),
    cancelRuns: (shards, request) => inObjects(shards, listRuns, 'cancelRuns', request),
    retryRuns: (shards, request) => inObjects(shards, listRuns, 'retryRuns', request),
    sweep: (shards) => sweepPast(shards, listRuns),
  };
}

type ListRuns = ProjectedLists['listRuns'];
type BulkName = 'cancelRuns' | 'retryRuns';

/** DO27: each object that a page names does it to those of its own runs, within the page, that the filter finds now. */
async function inObjects(
  shards: Shards,
  listRuns: ListRuns,
  name: BulkName,
  request: RequestOf<BulkName>,
): Promise<BulkAnswer> {
  const { after, limit, preview: _preview, reason: _reason, ...bulk } = request as RequestOf<'cancelRuns'>; // retries have no reason
  mustFilter(bulk);
  const { all: _all, ...filter } = bulk;
  const paging = { ...(after === undefined ? {} : { after }), limit: Math.min(limit ?? objectsMax, objectsMax) };
  const { items: page, next } = await listRuns({ ...filter, ...paging });
  const placed = groupBy(page, ({ runId }) => shardOf(runId));
  const answers = await Promise.all(
    [...placed].map(async ([shard, runs]): Promise<BulkAnswer['items']> => {
      const times = runs.map(({ createdAt }) => createdAt);
      const span = { createdAfter: Math.min(...times), createdBefore: Math.max(...times) + 1 };
      const { after: _after, ...asked } = request;
      try {
        return (await shards.of(shard).perform(name, { ...asked, ...span, limit: bulkMax })).items;
      } catch (error) {
        return runs.map(({ runId }) => ({ runId, applied: false, ...refusalOf(error) }));
      }
    }),
  );
  return { items: answers.flat(), next };
}

function refusalOf(error: unknown): { readonly code: string; readonly message: string } {
  if (!(error instanceof HeddleError)) throw error;
  const { code, message } = error;
  return { code, message };
}

/** DO28: an object whose runs ended before there was a rule, or under another, knows nothing of it: whoever sweeps asks it. */
async function sweepPast(shards: Shards, listRuns: ListRuns): Promise<Sweep> {
  const { items: rules } = await shards.home.perform('listRetention', { limit: rulesPerPage });
  const sweeping = { rules, listRuns, now: shards.viewer.host.clock.now() };
  const past = new Set<number>();
  for (const rule of rules) {
    if (past.size === objectsMax) break;
    for await (const { runId } of listPast(rule, sweeping)) {
      past.add(shardOf(runId));
      if (past.size === objectsMax) break;
    }
  }
  const swept = await Promise.all([...past].map((shard) => shards.of(shard).perform('sweep', {})));
  return { deleted: swept.reduce((sum, { deleted }) => sum + deleted, 0) };
}

interface Sweeping {
  readonly rules: readonly WorkflowRetention[];
  readonly listRuns: ListRuns;
  readonly now: number;
}

/** As far as D1 knows; the object decides (KP2). */
async function* listPast(
  { workflow, days = 0 }: WorkflowRetention,
  { rules, listRuns, now }: Sweeping,
): AsyncGenerator<RunSummary> {
  const isOfAll = workflow === everyWorkflow;
  const named = new Set(rules.map((rule) => rule.workflow));
  const endedBefore = now - days * dayMs;
  const query = { statuses: sweptStatuses, createdBefore: endedBefore + 1, limit: runsPerPage };
  for (let after: string | null | undefined; after !== null; ) {
    const asked = { ...query, ...(isOfAll ? {} : { workflow }), ...(after === undefined ? {} : { after }) };
    const { items, next }: Page<RunSummary> = await listRuns(asked);
    for (const run of items)
      if ((run.endedAt ?? now) <= endedBefore && !(isOfAll && named.has(run.workflow))) yield run;
    after = next;
  }
}

/** D1 refuses in words of its own. */
async function reached<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof HeddleError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new HeddleError('PROJECTION_UNREACHED', `Expected an answer of D1, but it says: ${reason}`, { cause: error });
  }
}
