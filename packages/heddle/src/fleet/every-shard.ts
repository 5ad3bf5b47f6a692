// Every shard: operations on all of a fleet. What is a list or a figure is made as for one store, of all stores read as one;
// what is done is done in each. Rules SH5 to SH7.

import type { StoreSizes } from '../actor/ports.ts';
import { given } from '../base/given.ts';
import { groupBy } from '../base/group-by.ts';
import { shardOf } from '../base/shard.ts';
import { eventPage } from '../engine/inside.ts';
import { LocalCarrier } from '../engine/local-carrier.ts';
import type { ReadOptions } from '../operations/carrier.ts';
import type { FeedEvent } from '../operations/events.ts';
import type { RequestOf } from '../operations/operations.ts';
import { invalidCursor } from '../operations/pages.ts';
import type { RunSummary } from '../operations/run-results.ts';
import { type BulkAnswer, runsPerPageDefault } from '../operations/runs.ts';
import { readFleetFeed } from './fleet-feed.ts';
import type { Routes } from './route.ts';
import type { Shards } from './shards.ts';
import { workOfAll } from './work-of-all.ts';

export const everyRoutes: Routes = {
  async listRuns(shards, { activity, ...query }) {
    const { items, next } = await asOne(shards).perform('listRuns', query);
    return { items: activity ? await describeAll(shards, items) : items, next };
  },
  countRuns: (shards, request) => asOne(shards).perform('countRuns', request),
  listPrompts: (shards, request) => asOne(shards).perform('listPrompts', request),
  listDeliveries: (shards, request) => asOne(shards).perform('listDeliveries', request),
  listWorkers: async (shards, request) => (await withWork(shards)).perform('listWorkers', request),
  listActions: async (shards, request) => (await withWork(shards)).perform('listActions', request),
  getOverview: async (shards, request) => (await withWork(shards)).perform('getOverview', request),
  getNodeFigures: (shards, request) => asOne(shards).perform('getNodeFigures', request),

  listEvents(shards, { limit, after, ...where }) {
    const events = readEvery(shards, where, { follow: false, ...given({ after }) });
    return eventPage(events, limit, ({ feedId }) => feedId);
  },

  cancelRuns: (shards, request) => shardByShard(shards, 'cancelRuns', request),
  retryRuns: (shards, request) => shardByShard(shards, 'retryRuns', request),

  async sweep({ all }) {
    const sweeps = await Promise.all(all.map((shard) => shard.perform('sweep', {})));
    return { deleted: sum(sweeps.map(({ deleted }) => deleted)) };
  },

  async audit({ all }) {
    const audits = await Promise.all(all.map((shard) => shard.perform('audit', {})));
    return {
      runs: sum(audits.map(({ runs }) => runs)),
      rows: sum(audits.map(({ rows }) => rows)),
      problems: audits.flatMap(({ problems }, shard) =>
        problems.map(({ runId, message }) => ({ runId, message: `In shard ${shard}: ${message}` })),
      ),
    };
  },

  async getStats(shards) {
    const stats = await Promise.all(shards.all.map((shard) => shard.perform('getStats', {})));
    return {
      runs: await asOne(shards).perform('countRuns', { subRuns: true }),
      journalRows: sum(stats.map(({ journalRows }) => journalRows)),
      store: stats.map(({ store }) => store).reduce(addSizes),
    };
  },

  async vacuum({ all }) {
    for (const shard of all) await shard.perform('vacuum', {}); // each needs room for a second one meanwhile
    return undefined;
  },
};

/** The events of all shards. */
export function readEvery(
  { all }: Shards,
  where: { readonly workflow?: string },
  options: ReadOptions,
): AsyncIterableIterator<FeedEvent> {
  const sources = all.map((shard) => ({ read: (from: ReadOptions) => shard.read('streamEvents', where, from) }));
  return readFleetFeed(sources, options);
}

/** An engine that sees all stores, to be asked for what is only read. */
const asOne = ({ viewer, store }: Shards): LocalCarrier =>
  new LocalCarrier({ ...viewer, host: { ...viewer.host, store } });

/** And knows what all of them know of tasks. */
async function withWork({ viewer, store, all }: Shards): Promise<LocalCarrier> {
  const known = await Promise.all(all.map(({ peer }) => peer.knownWork()));
  return new LocalCarrier({ ...viewer, host: { ...viewer.host, store }, tasks: workOfAll(viewer.tasks, known) });
}

/** Of as many as one store would say it, each by the shard that has it. */
async function describeAll(shards: Shards, runs: readonly RunSummary[]): Promise<readonly RunSummary[]> {
  const described = new Map<string, RunSummary>();
  const placed = groupBy(runs, ({ runId }) => shards.of(shardOf(runId)));
  for (const [{ peer }, some] of placed) for (const run of await peer.describeRuns(some)) described.set(run.runId, run);
  return runs.map((run) => described.get(run.runId) ?? run);
}

type BulkName = 'cancelRuns' | 'retryRuns';
const bulkCursor = /^(\d{1,2}):(.*)$/s;

/** One shard after the other, until a page is full; the cursor says in which it ended. */
async function shardByShard(
  { all }: Shards,
  name: BulkName,
  { after, limit = runsPerPageDefault, ...request }: RequestOf<BulkName>,
): Promise<BulkAnswer> {
  const [, number, rest] = after === undefined ? ['', '0', ''] : (bulkCursor.exec(after) ?? []);
  const from = Number(number);
  if (rest === undefined || from >= all.length) throw invalidCursor();
  const items: BulkAnswer['items'][number][] = [];
  for (const [index, shard] of all.entries()) {
    if (index < from) continue;
    if (items.length === limit) return { items, next: `${index}:` };
    const place = index === from && rest !== '' ? { after: rest } : {};
    // What was done is told; the next page begins with why it went no further.
    if (shard.absence !== null && items.length > 0) return { items, next: `${index}:` };
    const page = await shard.perform(name, { ...request, ...place, limit: limit - items.length });
    items.push(...page.items);
    if (page.next !== null) return { items, next: `${index}:${page.next}` };
  }
  return { items, next: null };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

function addSizes(one: StoreSizes | null, other: StoreSizes | null): StoreSizes | null {
  if (one === null || other === null) return one ?? other;
  const { artifacts } = one;
  return {
    fileBytes: one.fileBytes + other.fileBytes,
    walBytes: one.walBytes + other.walBytes,
    freeBytes: one.freeBytes + other.freeBytes,
    artifacts: {
      count: artifacts.count + other.artifacts.count,
      bytes: artifacts.bytes + other.artifacts.bytes,
      isComplete: artifacts.isComplete && other.artifacts.isComplete,
    },
  };
}
