// PageRuns: a page of a list of runs, and how many runs there are of each status.
//
// Always true: a page looks at a bounded number of runs, and a count counts a bounded number; a page is as of one moment.

import {
  type RunLists,
  type RunOutline,
  type RunPage,
  type RunPageQuery,
  type RunPlace,
  resultsPerPageMax,
} from '../../actor/ports.ts';
import { type Filtered, fitsQuery } from '../../actor/run-filter.ts';
import { given } from '../../base/given.ts';
import { readTagsIfSound } from '../sql/stored-run.ts';
import { textArray } from './database.ts';
import { listedRun, readRows } from './runs.ts';
import type { AskShard, ShardTables } from './shard-tables.ts';
import { chooseWalk, newestPlace, placeValues, type Walk } from './walk-runs.ts';

/** Runs that are looked at for one page. */
const examinedMax = 1_000;
/** What is read at a time, at first what is asked for, then more and more. */
const stepMax = 1_000;

export function listsOf(tables: ShardTables): RunLists {
  return {
    // No status changes between the looks that make a page (LS11).
    pageRuns: (query) => tables.readTogether((read) => readPage(tables, read, query)),
    outlineRuns: (query) =>
      tables.readTogether(async (read) => {
        const asked: RunPageQuery = {
          limit: query.limit,
          isRoot: true,
          ...given({ after: query.after, workflow: query.workflow }),
        };
        const walk = await chooseWalk(read, asked);
        return read<RunOutline>(
          `SELECT r.run_id AS "runId", r.workflow, r.status, r.created_at AS "createdAt", r.ended_at AS "endedAt"
           FROM (${walk.sql}) AS p JOIN $runs AS r ON r.shard = $1 AND r.run_id = p.run_id
           ORDER BY p.created_at DESC, p.run_id DESC`,
          [...placeValues(newestPlace(asked), asked, asked.limit), ...walk.values],
        );
      }),
    countRuns: async ({ workflow, statuses, upTo, isRoot }) => {
      const of = workflow === undefined ? '' : 'AND r.workflow = $4';
      const counted = (where: string): string =>
        `(SELECT count(*) FROM (SELECT 1 FROM $runs AS r WHERE r.shard = $1 AND ${where} ${of} ${inOrder} LIMIT $3::bigint) AS found)`;
      const both = (where: string): string =>
        [roots, ...(isRoot ? [] : [subRuns])].map((half) => counted(`${half} AND ${where}`)).join(' + ');
      const rows = await tables.read<{ status: string | null; count: number }>(
        `SELECT s.status, ${both('r.status = s.status')} AS count FROM unnest($2::text[]) AS s (status)
         UNION ALL SELECT NULL, (SELECT count(*) FROM (SELECT 1 FROM ${setAside} AS r WHERE ${isRoot ? roots : 'true'} ${of} LIMIT $3::bigint) AS found)`,
        [textArray(statuses), upTo, ...(workflow === undefined ? [] : [workflow])],
      );
      const counts = rows.map(({ status, count }) => [status, Math.min(upTo, count)] as const);
      const byStatus = Object.fromEntries(
        counts.flatMap(([status, count]) => (status === null ? [] : [[status, count]])),
      );
      return { byStatus, quarantined: counts.find(([status]) => status === null)?.[1] ?? 0 };
    },
  };
}

/** Of an index, so that one is read although the database knows nothing yet of what there is: 5 ms among 200,000 runs, not 133. */
const inOrder = 'ORDER BY r.created_at, r.run_id';
/** Read from their own index, before anything else is asked of them. */
const setAside = `(SELECT r.parent_run_id, r.workflow FROM $runs AS r WHERE r.shard = $1 AND r.quarantine IS NOT NULL ${inOrder} OFFSET 0)`;
const roots = 'r.parent_run_id IS NULL';
const subRuns = 'r.parent_run_id IS NOT NULL';

/** Only what the filters need, and how long the result is, which may be megabytes. */
interface Candidate extends Omit<Filtered, 'tags'> {
  readonly tags: string;
  readonly resultBytes: number;
}

/** A page that found too few within its bound is short, and says where the next continues (LS2). */
async function readPage(tables: ShardTables, read: AskShard, query: RunPageQuery): Promise<RunPage> {
  const walk = await chooseWalk(read, query);
  const found: string[] = [];
  let examined = 0;
  let bytes = 0;
  let place: RunPlace | null = null;
  let next: RunPlace | null = null;
  for await (const candidate of candidates(read, walk, query)) {
    const isFull = found.length >= query.limit || bytes >= resultsPerPageMax;
    if (isFull || examined >= examinedMax) {
      next = place;
      break;
    }
    examined += 1;
    const { tags, resultBytes, ...rest } = candidate;
    place = { createdAt: rest.createdAt, runId: rest.runId };
    if (!fitsQuery({ ...rest, tags: readTagsIfSound(tags) }, query)) continue;
    found.push(rest.runId);
    bytes += resultBytes;
  }
  const rows = found.length === 0 ? new Map() : await readRows(tables, read, found, listedRun);
  return { rows: found.flatMap((runId) => rows.get(runId) ?? []), next };
}

/** Each once, newest first. */
async function* candidates(read: AskShard, walk: Walk, query: RunPageQuery): AsyncGenerator<Candidate> {
  let before = newestPlace(query);
  for (let step = Math.min(query.limit + 1, stepMax); ; step = stepMax) {
    const found = await read<Candidate>(
      `SELECT p.created_at AS "createdAt", p.run_id AS "runId", r.workflow, r.status, r.parent_run_id AS "parentRunId",
         r.root_run_id AS "rootRunId", r.tags, r.quarantine IS NOT NULL AS "isQuarantined",
         coalesce(octet_length(r.result), 0) AS "resultBytes"
       FROM (${walk.sql}) AS p JOIN $runs AS r ON r.shard = $1 AND r.run_id = p.run_id
       ORDER BY p.created_at DESC, p.run_id DESC`,
      [...placeValues(before, query, step), ...walk.values],
    );
    for (const candidate of found) {
      // What several indexes have comes more than once.
      if (candidate.runId === before.runId && candidate.createdAt === before.createdAt) continue;
      yield candidate;
      before = { createdAt: candidate.createdAt, runId: candidate.runId };
    }
    if (found.length < step) return;
  }
}
