// All shards: the stores of a fleet read as one. What lists, figures and searches of a whole fleet are made of. Rules SH5 and
// SH6.
//
// Always true: nothing is written through it; a shard that cannot be read fails the question, it is never left out.

import type { RecordQuery, RecordRow, RunPage, RunPageQuery, RunRow, Store } from '../actor/ports.ts';
import { isOlder } from '../actor/run-filter.ts';
import { shardOf } from '../base/shard.ts';

export type Reads = Pick<
  Store,
  'pageRuns' | 'outlineRuns' | 'countRuns' | 'readRun' | 'readJournal' | 'readRecord' | 'listRecords' | 'dueRecords'
>;

/** In their order; the first is home. */
export function readAllShards(shards: readonly Reads[]): Reads {
  const home = shards[0] as Reads; // a fleet has one at least
  const ofRun = (runId: string): Reads => shards[shardOf(runId)] ?? home;
  // SH6: one that fails, fails all.
  const askAll = <T>(ask: (shard: Reads) => T): Promise<Awaited<T>[]> => Promise.all(shards.map(ask));
  return {
    async pageRuns(query) {
      const { parentRunId = query.rootRunId } = query;
      // A tree of runs is in one shard.
      if (parentRunId !== undefined) return ofRun(parentRunId).pageRuns(query);
      return mergePages(await askAll((shard) => shard.pageRuns(query)), query);
    },
    async outlineRuns(query) {
      const found = await askAll((shard) => shard.outlineRuns(query));
      return found.flat().toSorted(newestFirst).slice(0, query.limit);
    },
    async countRuns(query) {
      const byStatus: Record<string, number> = {};
      let quarantined = 0;
      for (const counts of await askAll((shard) => shard.countRuns(query))) {
        quarantined += counts.quarantined;
        for (const [status, count] of Object.entries(counts.byStatus))
          byStatus[status] = (byStatus[status] ?? 0) + count;
      }
      return { byStatus, quarantined };
    },
    readRun: (runId) => ofRun(runId).readRun(runId),
    readJournal: (runId, fromSeq, limit) => ofRun(runId).readJournal(runId, fromSeq, limit),
    async readRecord(kind, key) {
      for (const shard of shards) {
        const row = await shard.readRecord(kind, key);
        if (row !== null) return row;
      }
      return null;
    },
    async listRecords(kind, query) {
      return mergeRecords(await askAll((shard) => shard.listRecords(kind, query)), query);
    },
    async dueRecords(kind, at, limit) {
      const found = await askAll((shard) => shard.dueRecords(kind, at, limit));
      return found
        .flat()
        .toSorted((a, b) => (a.dueAt ?? 0) - (b.dueAt ?? 0))
        .slice(0, limit);
    },
  };
}

type Place = Pick<RunRow, 'createdAt' | 'runId'>;
const newestFirst = (one: Place, other: Place): number => (isOlder(one, other) ? 1 : -1);

/** SH5: a page of all shards ends where the first of their pages does: what is older may be missing from it. */
function mergePages(pages: readonly RunPage[], { limit }: RunPageQuery): RunPage {
  const ends = pages.flatMap(({ next }) => next ?? []).toSorted(newestFirst);
  const [end = null] = ends;
  const known = pages
    .flatMap(({ rows }) => rows)
    .filter((row) => end === null || !isOlder(row, end))
    .toSorted(newestFirst);
  const rows = known.slice(0, limit);
  const last = rows.at(-1);
  if (known.length > limit && last) return { rows, next: { createdAt: last.createdAt, runId: last.runId } };
  return { rows, next: end };
}

/** By key; what every shard has a copy of comes once. */
function mergeRecords(pages: readonly (readonly RecordRow[])[], { limit }: RecordQuery): readonly RecordRow[] {
  const byKey = new Map<string, RecordRow>();
  for (const row of pages.flat()) if (!byKey.has(row.key)) byKey.set(row.key, row);
  return [...byKey.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1)).slice(0, limit);
}
