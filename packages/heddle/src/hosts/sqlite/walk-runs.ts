// WalkRuns: which indexes a list of runs is read from, and how. A walk follows one index in the order of age; a list of
// several statuses, or of all, or a search, merges several walks.
//
// Always true: every walk starts at its place in an index and reads on from there, so that it costs what it yields, with a
// hundred runs or a million; values are parameters, never part of a statement. Walks that are merged must be read together:
// between them a run could change its status, and be in none.

import {
  idPrefixLeast,
  type RunOutline,
  type RunOutlineQuery,
  type RunPageQuery,
  type RunPlace,
} from '../../actor/ports.ts';
import { isOlder } from '../../actor/run-filter.ts';
import { given } from '../../base/given.ts';
import { toStoredText } from '../sql/stored-run.ts';
import type { SqlDriver, SqlStatement, SqlValue } from './driver.ts';

interface Source {
  readonly from: string;
  readonly where: string;
  readonly values: readonly SqlValue[];
}

type Walk<Place> = Iterator<Place, undefined>;

/** What a walk reads at a time: at first few, since many may be merged into one page; then more and more. */
const placesAtFirst = 25;
const placesPerStepMax = 200;
/** Of a search: workflows that begin with the text, and runs whose ids do, newest ids first. */
const workflowsMax = 20;
const idsMax = 200;
/** In a damaged store an index may lead back, without an end. */
const statusesMax = 50;
/** After all texts that begin with another. */
const last = '\u{10ffff}';

/** Answers with the places of all runs that may be in the list, newest first, each once. */
export function prepareWalks(driver: SqlDriver): (query: RunPageQuery) => Iterable<RunPlace> {
  const walk = prepareFollow<RunPlace>(driver, 'created_at AS createdAt, run_id AS runId');
  const byStatus = prepareByStatus(driver);
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
    if (search === undefined)
      return merge((chooseSource(query) ?? byStatus(query)).map((source) => walk(source, query)));
    const sources = [
      ...workflowsOf(search).flatMap((workflow) => byStatus({ ...query, workflow })),
      byTagValue(search),
    ];
    return merge([...sources.map((source) => walk(source, query)), newestFirst(idsOf(search)).values()]);
  };
}

/** The same of root runs, with what stands before the result in their rows, which may be megabytes. */
export function prepareOutlineWalks(driver: SqlDriver): (query: RunOutlineQuery) => Iterable<RunOutline> {
  const columns = 'run_id AS runId, workflow, status, created_at AS createdAt, ended_at AS endedAt';
  const walk = prepareFollow<RunOutline>(driver, columns);
  const byStatus = prepareByStatus(driver);
  return ({ limit, after, workflow }) => {
    const query: RunPageQuery = { limit, isRoot: true, ...given({ after, workflow }) };
    return merge(byStatus(query).map((source) => walk(source, query)));
  };
}

/** LS6: an index that is narrower than those by status, if there is one; what it does not hold to is looked at run by run. */
function chooseSource({ parentRunId, rootRunId, isQuarantined, tags = {} }: RunPageQuery): Source[] | null {
  const [tag] = Object.entries(tags);
  if (parentRunId !== undefined) return [from('runs', 'parent_run_id = ?', parentRunId)];
  if (rootRunId !== undefined) return [from('runs', 'parent_run_id IS NOT NULL AND root_run_id = ?', rootRunId)];
  if (isQuarantined === true) return [from('runs', 'quarantine IS NOT NULL')];
  if (tag !== undefined) return [from('tags', 'key = ? AND value = ?', toStoredText(tag[0]), toStoredText(tag[1]))];
  return null;
}

const from = (table: string, where: string, ...values: SqlValue[]): Source => ({ from: table, where, values });
const byTagValue = (value: string): Source => from('tags', 'value = ?', toStoredText(value));

/**
 * Of all runs, or of a workflow's: a source for each status that is asked for, or that there is. An index of all statuses would be
 * one more to write for every run, and in a Durable Object one more row to pay for. Root runs and sub-runs stand in indexes of
 * their own: the roots, or both.
 */
function prepareByStatus(driver: SqlDriver): (query: RunPageQuery) => Source[] {
  const ofAll = halves.map((half) => prepareStatuses(driver, `${half.name}_by_status`, half.holds));
  const ofOne = halves.map((half) =>
    prepareStatuses(driver, `${half.name}_by_workflow_and_status`, `${half.holds} AND workflow = ?`),
  );
  return ({ workflow, statuses, isRoot }) => {
    const values = workflow === undefined ? [] : [workflow];
    const offered = workflow === undefined ? ofAll : ofOne;
    return (isRoot ? offered.slice(0, 1) : offered).flatMap(({ table, where, find }) =>
      [...new Set(statuses ?? find(values))].map((status) => from(table, `${where} AND status = ?`, ...values, status)),
    );
  };
}

const halves = [
  { name: 'roots', holds: 'parent_run_id IS NULL' },
  { name: 'sub_runs', holds: 'parent_run_id IS NOT NULL' },
] as const;

/** The statuses that there are in an index, each found by one look into it. */
function prepareStatuses(driver: SqlDriver, index: string, where: string) {
  const table = `runs INDEXED BY ${index}`;
  const next = driver.prepare<{ status: string }>(
    `SELECT status FROM ${table} WHERE ${where} AND status > ? ORDER BY status LIMIT 1`,
  );
  const find = (values: readonly string[]): string[] => {
    const found: string[] = [];
    while (found.length < statusesMax) {
      const status = next.get(...values, found.at(-1) ?? '')?.status;
      if (status === undefined) break;
      found.push(status);
    }
    return found;
  };
  return { table, where, find };
}

/** Answers with walks that read these columns. */
function prepareFollow<Place extends RunPlace>(driver: SqlDriver, columns: string) {
  const prepare = prepareOnce<Place>(driver);
  return (source: Source, query: RunPageQuery): Walk<Place> =>
    follow(prepare(writeStatement(source, columns)), source, query);
}

function writeStatement({ from: table, where }: Source, columns: string): string {
  return `SELECT ${columns} FROM ${table}
    WHERE ${where} AND (created_at, run_id) < (?, ?) AND created_at >= ?
    ORDER BY created_at DESC, run_id DESC LIMIT ?`;
}

function* follow<Place extends RunPlace>(
  statement: SqlStatement<Place>,
  { values }: Source,
  query: RunPageQuery,
): Generator<Place, undefined> {
  const oldest = query.createdAfter ?? Number.MIN_SAFE_INTEGER;
  let before = newestPlace(query);
  for (let step = placesAtFirst; ; step = Math.min(2 * step, placesPerStepMax)) {
    const places = statement.all(...values, before.createdAt, before.runId, oldest, step);
    for (const place of places) yield place;
    const end = places.at(-1);
    if (end === undefined || places.length < step) return undefined;
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
const noPlace: RunPlace = { createdAt: Number.MAX_SAFE_INTEGER, runId: last };

/** What several walks yield comes once. */
function* merge<Place extends RunPlace>(walks: readonly Walk<Place>[]): Iterable<Place> {
  const heads = walks.map((walk) => walk.next().value);
  for (;;) {
    let newest: Place | undefined;
    for (const head of heads) if (head && (newest === undefined || isOlder(newest, head))) newest = head;
    if (newest === undefined) return;
    yield newest;
    for (let index = 0; index < heads.length; index++)
      if (heads[index]?.runId === newest.runId) heads[index] = walks[index]?.next().value;
  }
}

function newestFirst(places: readonly RunPlace[]): RunPlace[] {
  return places.toSorted((one, other) => (isOlder(one, other) ? 1 : -1));
}

/** One for every set of filters. */
function prepareOnce<Row extends object>(driver: SqlDriver): (sql: string) => SqlStatement<Row> {
  const statements = new Map<string, SqlStatement<Row>>();
  return (sql) => {
    const statement = statements.get(sql) ?? driver.prepare<Row>(sql);
    statements.set(sql, statement);
    return statement;
  };
}
