// Write rows: what the rows of runs say, as statements for D1. Many rows travel as one parameter, a JSON text.
//
// Always true: each statement changes nothing unless the claim is good; written again it changes nothing more.

import type { RunRow } from '../../actor/ports.ts';
import { cutBefore } from '../../base/cut-text.ts';
import type { Failure } from '../../base/failure.ts';
import type { Place } from '../place.ts';
import { type Claim, isClaimed, keyOf } from './claim.ts';
import type { Database, DatabaseStatement } from './database.ts';

/** A longer result is not in the projection: lists show its run without an output, or with its error cut. */
const resultMax = 65_536;
const messageMax = 1_000;

/** A row of D1 has 2 MB, a parameter too; a unit of UTF-16 takes up to three bytes. */
const textMax = 500_000;

const fields = [
  'run_id',
  'created_at',
  'is_root',
  'workflow',
  'version',
  'status',
  'updated_at',
  'ended_at',
  'next_timer_at',
  'parent_run_id',
  'root_run_id',
  'tags',
  'quarantine',
  'result',
] as const;

/** What a run is born with never changes. */
const changing = ['status', 'updated_at', 'ended_at', 'next_timer_at', 'quarantine', 'result', 'claim'] as const;

const values = fields.map((_, index) => `value ->> ${index}`);
const upsert = `
  INSERT INTO heddle_runs (tenant, object, claim, ${fields.join(', ')})
  SELECT ?1, ?2, ?3, ${values.join(', ')} FROM json_each(?4) WHERE ${isClaimed}
  ON CONFLICT (tenant, object, run_id) DO UPDATE SET ${changing.map((name) => `${name} = excluded.${name}`).join(', ')}`;

const tagsOfRows = `
  INSERT OR IGNORE INTO heddle_tags (tenant, object, key, value, created_at, run_id)
  SELECT ?1, ?2, tag.value ->> 0, tag.value ->> 1, run.value ->> 1, run.value ->> 0
  FROM json_each(?4) AS run CROSS JOIN json_each(run.value ->> ${fields.indexOf('tags')}) AS tag WHERE ${isClaimed}`;

const tagsOf = (runs: string): string => `
  DELETE FROM heddle_tags WHERE (tenant, key, value, created_at, run_id) IN (
    SELECT r.tenant, tag.value ->> 0, tag.value ->> 1, r.created_at, r.run_id
    FROM heddle_runs AS r CROSS JOIN json_each(r.tags) AS tag
    WHERE r.tenant = ?1 AND r.object = ?2 AND ${runs}
  ) AND ${isClaimed}`;
const runsOf = (runs: string): string =>
  `DELETE FROM heddle_runs AS r WHERE r.tenant = ?1 AND r.object = ?2 AND ${runs} AND ${isClaimed}`;
const among = 'r.run_id IN (SELECT value FROM json_each(?4))';
const unmet = 'r.claim < ?4';

interface Writing {
  readonly database: Database;
  readonly place: Place;
  readonly claim: Claim;
}

/** Groups of statements, each small enough for one batch. */
export function writeRows({ database, place, claim }: Writing, rows: readonly RunRow[]): DatabaseStatement[][] {
  return inTexts(rows.map(projectedRow)).map((text) =>
    [upsert, tagsOfRows].map((sql) => database.prepare(sql).bind(...keyOf(place), claim.claim, text)),
  );
}

export function removeRows(writing: Writing, runIds: readonly string[]): DatabaseStatement[] {
  return runIds.length === 0 ? [] : remove(writing, among, JSON.stringify(runIds));
}

/** What a walk through all runs has not met. */
export function removeUnmet(writing: Writing): DatabaseStatement[] {
  return remove(writing, unmet, writing.claim.walkClaim);
}

function remove({ database, place, claim }: Writing, which: string, value: string | number): DatabaseStatement[] {
  const sql = [tagsOf(which), runsOf(which)];
  return sql.map((one) => database.prepare(one).bind(...keyOf(place), claim.claim, value));
}

/** In the order of `fields`. */
function projectedRow(row: RunRow): string {
  const { runId, createdAt, parentRunId, rootRunId, workflow, version, status, updatedAt, endedAt, nextTimerAt } = row;
  const isRoot = parentRunId === null ? 1 : 0;
  const tags = JSON.stringify(Object.entries(row.tags).map((pair) => pair.map((text) => JSON.stringify(text))));
  const quarantine = row.quarantine === null ? null : JSON.stringify(row.quarantine);
  // biome-ignore format: in the order of the columns
  return JSON.stringify([runId, createdAt, isRoot, workflow, version, status, updatedAt, endedAt, nextTimerAt,
    parentRunId, rootRunId, tags, quarantine, shortResult(row.result)]);
}

function shortResult(result: string | null): string | null {
  if (result === null || result.length <= resultMax) return result;
  const { error } = JSON.parse(result) as { readonly error?: Failure }; // as the engine wrote it
  if (error === undefined) return '{}';
  const { code, message } = error;
  return JSON.stringify({ error: { code, message: message.slice(0, cutBefore(message, messageMax)) } });
}

/** Lists of rows as JSON, none longer than a parameter may be. */
function inTexts(rows: readonly string[]): string[] {
  const texts: string[] = [];
  let open: string[] = [];
  let length = 0;
  const close = (): void => {
    if (open.length > 0) texts.push(`[${open.join(',')}]`);
    open = [];
    length = 0;
  };
  for (const row of rows) {
    if (length + row.length > textMax) close();
    open.push(row);
    length += row.length;
  }
  close();
  return texts;
}
