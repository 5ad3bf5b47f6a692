// Projected runs: the runs of one tenant in D1, as a store's lists are asked.
//
// Always true: whether a run fits is decided where it is for every store; a page looks at a bounded number of runs.

import {
  type RunCountQuery,
  type RunCounts,
  type RunPage,
  type RunPageQuery,
  type RunPlace,
  type RunRow,
  resultsPerPageMax,
} from '../../actor/ports.ts';
import { fitsQuery, isOlder } from '../../actor/run-filter.ts';
import type { ListedStore } from '../../engine/run-lists.ts';
import { type Candidate, prepareCandidates } from './candidates.ts';
import { askTogether, type Database, type DatabaseStatement } from './database.ts';

const examinedMax = 1_000;
const noPlace: RunPlace = { createdAt: Number.MAX_SAFE_INTEGER, runId: '\u{10ffff}' };

export class ProjectedRuns implements ListedStore {
  readonly #database: Database;
  readonly #tenant: string;

  constructor(database: Database, tenant: string) {
    this.#database = database;
    this.#tenant = tenant;
  }

  /** For cursors that are ids. */
  async readRun(runId: string): Promise<RunPlace | null> {
    const { results } = await this.#database
      .prepare(
        'SELECT run_id AS runId, created_at AS createdAt FROM heddle_runs INDEXED BY heddle_runs_by_id WHERE tenant = ? AND run_id = ?',
      )
      .bind(this.#tenant, runId)
      .all<RunPlace>();
    return results[0] ?? null;
  }

  async pageRuns(query: RunPageQuery): Promise<RunPage> {
    const read = await prepareCandidates(this.#database, this.#tenant, query);
    const found: Candidate[] = [];
    let [examined, characters] = [0, 0];
    let place: RunPlace | null = null;
    // Mostly all that are read fit; where they do not, the rest of what may be looked at is read at once.
    for (let [after, limit] = [newestPlace(query), query.limit + 1]; ; ) {
      const candidates: readonly Candidate[] = await read(after, limit);
      for (const candidate of candidates) {
        const isFull = found.length >= query.limit || characters >= resultsPerPageMax;
        if (isFull || examined >= examinedMax) return { rows: await this.#whole(found), next: place };
        examined += 1;
        place = { createdAt: candidate.createdAt, runId: candidate.runId };
        if (!fitsQuery(filtered(candidate), query)) continue;
        found.push(candidate);
        characters += candidate.resultLength ?? 0;
      }
      if (candidates.length < limit || place === null) return { rows: await this.#whole(found), next: null };
      [after, limit] = [place, examinedMax + 1 - examined];
    }
  }

  /** With what they came to. */
  async #whole(candidates: readonly Candidate[]): Promise<readonly RunRow[]> {
    const keys = candidates.flatMap(({ object, runId, resultLength }) =>
      resultLength === null ? [] : [[object, runId]],
    );
    if (keys.length === 0) return candidates.map((candidate) => rowOf(candidate, null));
    const { results } = await this.#database
      .prepare(
        `SELECT r.run_id AS runId, r.result FROM json_each(?) AS k
         CROSS JOIN heddle_runs AS r ON r.tenant = ? AND r.object = k.value ->> 0 AND r.run_id = k.value ->> 1`,
      )
      .bind(JSON.stringify(keys), this.#tenant)
      .all<{ readonly runId: string; readonly result: string | null }>();
    const byId = new Map(results.map(({ runId, result }) => [runId, result]));
    return candidates.map((candidate) => rowOf(candidate, byId.get(candidate.runId) ?? null));
  }

  async countRuns({ workflow, statuses, upTo, isRoot }: RunCountQuery): Promise<RunCounts> {
    const counting = (index: string, where: string, ...values: readonly string[]): DatabaseStatement =>
      this.#database
        .prepare(
          `SELECT count(*) AS count FROM (
             SELECT 1 FROM heddle_runs INDEXED BY heddle_${index} WHERE tenant = ? AND ${where} LIMIT ?)`,
        )
        .bind(this.#tenant, ...values, upTo);
    const halves = isRoot ? ['is_root = 1'] : ['is_root = 1', 'is_root = 0'];
    const ofWorkflow = workflow === undefined ? '' : ' AND workflow = ?';
    const named = workflow === undefined ? [] : [workflow];
    const index = workflow === undefined ? 'runs_by_status' : 'runs_by_workflow_and_status';
    const statements = halves.flatMap((half) => [
      ...statuses.map((status) => counting(index, `${half}${ofWorkflow} AND status = ?`, ...named, status)),
      counting('runs_in_quarantine', `quarantine IS NOT NULL AND ${half}${ofWorkflow}`, ...named),
    ]);
    const counts = (await askTogether<{ readonly count: number }>(this.#database, statements)).map(
      ([row]) => row?.count ?? 0,
    );
    const perHalf = statuses.length + 1;
    const sum = (at: number): number =>
      Math.min(
        upTo,
        halves.reduce((total, _, half) => total + (counts[half * perHalf + at] ?? 0), 0),
      );
    return {
      byStatus: Object.fromEntries(statuses.map((status, at) => [status, sum(at)])),
      quarantined: sum(statuses.length),
    };
  }
}

/** The list begins behind it. */
function newestPlace({ after, createdBefore }: RunPageQuery): RunPlace {
  const newest = createdBefore === undefined ? noPlace : { createdAt: createdBefore, runId: '' };
  return after !== undefined && isOlder(after, newest) ? after : newest;
}

function filtered({ tags, quarantine, ...run }: Candidate): Parameters<typeof fitsQuery>[0] {
  return { ...run, tags: readTags(tags), isQuarantined: quarantine !== null };
}

/** Where in its journal it is the projection does not say, and no list asks. */
function rowOf({ tags, quarantine, object: _, resultLength: __, ...run }: Candidate, result: string | null): RunRow {
  return {
    ...run,
    tags: readTags(tags),
    quarantine: quarantine === null ? null : (JSON.parse(quarantine) as string), // as `write-rows.ts` wrote it
    result,
    seq: 0,
    head: '',
    hasWork: false,
  };
}

function readTags(text: string): RunRow['tags'] {
  const pairs = JSON.parse(text) as readonly (readonly [string, string])[]; // as above
  return Object.fromEntries(pairs.map(([key, value]) => [JSON.parse(key), JSON.parse(value)])) as RunRow['tags']; // as above
}
