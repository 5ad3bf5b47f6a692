// WalkRuns: which index a list of runs is read from, and how. A walk follows one index in the order of age; a list of
// several statuses, or a search, merges several walks.
//
// Always true: every walk starts at its place in an index and reads on from there, so that it costs what it yields, with a
// hundred runs or a million; values are parameters, never part of a statement.

import { idPrefixLeast, type RunPageQuery, type RunPlace } from '../../actor/ports.ts';
import { isOlder } from '../../actor/run-filter.ts';
import type { SqlDriver, SqlStatement, SqlValue } from './driver.ts';
import { toStoredText } from './run-columns.ts';

interface Source {
  readonly from: string;
  readonly where: string;
  readonly values: readonly SqlValue[];
}

type Walk = Iterator<RunPlace, undefined>;

const placesPerStep = 200;
/** Of a search: workflows that begin with the text, and runs whose ids do, newest ids first. */
const workflowsMax = 20;
const idsMax = 200;
/** After all texts that begin with another. */
const last = '\u{10ffff}';

/** Answers with the places of all runs that may be in the list, newest first, each once. */
export function prepareWalks(driver: SqlDriver): (query: RunPageQuery) => Iterable<RunPlace> {
  const prepare = prepareOnce(driver);
  const nextWorkflow = driver.prepare<{ id: string }>(
    'SELECT id FROM definitions WHERE id > ? AND id < ? ORDER BY id LIMIT 1',
  );
  const firstWorkflow = driver.prepare<{ id: string }>('SELECT id FROM definitions WHERE id = ? LIMIT 1');
  const byId = driver.prepare<RunPlace>(
    `SELECT created_at AS createdAt, run_id AS runId FROM runs WHERE run_id >= ? AND run_id < ?
     ORDER BY run_id DESC LIMIT ${idsMax}`,
  );
  const workflowsOf = (prefix: string): string[] => {
    const found = firstWorkflow.get(prefix) === undefined ? [] : [prefix];
    while (found.length < workflowsMax) {
      const next = nextWorkflow.get(found.at(-1) ?? prefix, prefix + last)?.id;
      if (next === undefined) break;
      found.push(next);
    }
    return found;
  };
  const idsOf = (prefix: string): RunPlace[] =>
    prefix.length < idPrefixLeast ? [] : byId.all(prefix, prefix + last).map((place) => ({ ...place }));
  return (query) => {
    const { search } = query;
    const walk = (source: Source): Walk => follow(prepare(writeStatement(source)), source, query);
    if (search === undefined) return merge(chooseSources(query).map(walk));
    const sources = [
      ...workflowsOf(search).flatMap((workflow) => halves(query, 'workflow', workflow)),
      byTagValue(search),
    ];
    return merge([...sources.map(walk), newestFirst(idsOf(search)).values()]);
  };
}

/** LS6: the narrowest index that there is; what it does not hold to is looked at run by run. */
function chooseSources(query: RunPageQuery): Source[] {
  const { parentRunId, rootRunId, workflow, statuses, isQuarantined } = query;
  const [tag] = Object.entries(query.tags ?? {});
  if (parentRunId !== undefined) return [from('runs', 'parent_run_id = ?', parentRunId)];
  if (rootRunId !== undefined) return [from('runs', 'parent_run_id IS NOT NULL AND root_run_id = ?', rootRunId)];
  if (isQuarantined === true) return [from('runs', 'quarantine IS NOT NULL')];
  if (tag !== undefined) return [from('tags', 'key = ? AND value = ?', toStoredText(tag[0]), toStoredText(tag[1]))];
  if (statuses === undefined)
    return workflow === undefined ? halves(query, 'age') : halves(query, 'workflow', workflow);
  return [...new Set(statuses)].flatMap((status) =>
    workflow === undefined ? halves(query, 'status', status) : halves(query, 'workflow_and_status', workflow, status),
  );
}

const demands = {
  age: 'TRUE',
  workflow: 'workflow = ?',
  status: 'status = ?',
  workflow_and_status: 'workflow = ? AND status = ?',
} as const;

/** Root runs and sub-runs stand in indexes of their own: the roots, or both. */
function halves({ isRoot }: RunPageQuery, by: keyof typeof demands, ...values: SqlValue[]): Source[] {
  const roots = from(`runs INDEXED BY roots_by_${by}`, `${demands[by]} AND parent_run_id IS NULL`, ...values);
  const others = from(`runs INDEXED BY sub_runs_by_${by}`, `${demands[by]} AND parent_run_id IS NOT NULL`, ...values);
  return isRoot ? [roots] : [roots, others];
}

const from = (table: string, where: string, ...values: SqlValue[]): Source => ({ from: table, where, values });
const byTagValue = (value: string): Source => from('tags', 'value = ?', toStoredText(value));

function writeStatement({ from: table, where }: Source): string {
  return `SELECT created_at AS createdAt, run_id AS runId FROM ${table}
    WHERE ${where} AND (created_at, run_id) < (?, ?) AND created_at >= ?
    ORDER BY created_at DESC, run_id DESC LIMIT ${placesPerStep}`;
}

function* follow(
  statement: SqlStatement<RunPlace>,
  { values }: Source,
  query: RunPageQuery,
): Generator<RunPlace, undefined> {
  const oldest = query.createdAfter ?? Number.MIN_SAFE_INTEGER;
  for (let before = newestPlace(query); ; ) {
    const places = statement.all(...values, before.createdAt, before.runId, oldest);
    for (const { createdAt, runId } of places) yield { createdAt, runId };
    const end = places.at(-1);
    if (end === undefined || places.length < placesPerStep) return undefined;
    // In a damaged store an index may lead back, without an end.
    if (!isOlder(end, before)) return undefined;
    before = end;
  }
}

/** The list begins behind it. */
function newestPlace({ after, createdBefore }: RunPageQuery): RunPlace {
  const newest = createdBefore === undefined ? noPlace : { createdAt: createdBefore, runId: '' };
  return after !== undefined && isOlder(after, newest) ? after : newest;
}

/** Newer than all. */
export const noPlace: RunPlace = { createdAt: Number.MAX_SAFE_INTEGER, runId: last };

/** What several walks yield comes once. */
function* merge(walks: readonly Walk[]): Iterable<RunPlace> {
  const heads = walks.map((walk) => walk.next().value);
  for (;;) {
    let newest: RunPlace | undefined;
    for (const head of heads) if (head && (newest === undefined || isOlder(newest, head))) newest = head;
    if (newest === undefined) return;
    yield newest;
    for (const [index, head] of heads.entries())
      if (head?.runId === newest.runId) heads[index] = walks[index]?.next().value;
  }
}

function newestFirst(places: readonly RunPlace[]): RunPlace[] {
  return places.toSorted((one, other) => (isOlder(one, other) ? 1 : -1));
}

/** One for every set of filters. */
function prepareOnce(driver: SqlDriver): (sql: string) => SqlStatement<RunPlace> {
  const statements = new Map<string, SqlStatement<RunPlace>>();
  return (sql) => {
    const statement = statements.get(sql) ?? driver.prepare<RunPlace>(sql);
    statements.set(sql, statement);
    return statement;
  };
}
