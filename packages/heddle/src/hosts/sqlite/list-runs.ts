// ListRuns: runs by status, workflow, parent and tags, newest first, page by page.
//
// Always true: a page starts from an index, not from a count of what came before: the last page costs what the first one
// does. Values are parameters, never part of the statement.

import type { RunQuery, RunRow } from '../../actor/ports.ts';
import type { SqlDriver, SqlStatement, SqlValue } from './driver.ts';
import { type CheckedRunColumns, listedRun, runColumns, toStoredText } from './run-columns.ts';

/** Statements kept: one for every set of filters in use, more than anybody has. */
const statementsMax = 64;

export function prepareListRuns(driver: SqlDriver): (query: RunQuery) => readonly RunRow[] {
  const findAge = driver.prepare<{ createdAt: number }>('SELECT created_at AS createdAt FROM runs WHERE run_id = ?');
  const prepare = prepareOnce(driver);
  return (query) => {
    const { after } = query;
    const createdAt = after === undefined ? null : findAge.get(after)?.createdAt;
    if (createdAt === undefined) return [];
    const { sql, values } = writeQuery(query, createdAt);
    return prepare(sql)
      .all(...values)
      .map((columns) => listedRun(driver, columns));
  };
}

function prepareOnce(driver: SqlDriver): (sql: string) => SqlStatement<CheckedRunColumns> {
  const statements = new Map<string, SqlStatement<CheckedRunColumns>>();
  return (sql) => {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    if (statements.size >= statementsMax) statements.clear();
    const statement = driver.prepare<CheckedRunColumns>(sql);
    statements.set(sql, statement);
    return statement;
  };
}

/** A filter by tags walks the first tag's rows, which lie in the order of age too; other filters walk the runs. */
function writeQuery(query: RunQuery, afterCreatedAt: number | null): { sql: string; values: SqlValue[] } {
  const [first, ...others] = Object.entries(query.tags ?? {});
  const from = first === undefined ? 'runs' : 'tags CROSS JOIN runs ON runs.run_id = tags.run_id';
  const order = first === undefined ? 'runs' : 'tags';
  const conditions: string[] = [];
  const values: SqlValue[] = [];
  const demand = (condition: string, ...parameters: SqlValue[]) => {
    conditions.push(condition);
    values.push(...parameters);
  };
  if (first !== undefined) demand('tags.key = ? AND tags.value = ?', toStoredText(first[0]), toStoredText(first[1]));
  for (const [key, value] of others) demand(hasOtherTag, toStoredText(key), toStoredText(value));
  if (query.workflow !== undefined) demand('runs.workflow = ?', query.workflow);
  if (query.status !== undefined) demand('runs.status = ?', query.status);
  if (query.parentRunId !== undefined) demand('runs.parent_run_id = ?', query.parentRunId);
  if (query.after !== undefined && afterCreatedAt !== null)
    demand(`(${order}.created_at, ${order}.run_id) < (?, ?)`, afterCreatedAt, query.after);
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  values.push(query.limit);
  const sql = `SELECT ${runColumns} FROM ${from} ${where} ORDER BY ${order}.created_at DESC, ${order}.run_id DESC LIMIT ?`;
  return { sql, values };
}

const hasOtherTag = `EXISTS (SELECT 1 FROM tags AS other WHERE other.key = ? AND other.value = ?
  AND other.created_at = tags.created_at AND other.run_id = tags.run_id)`;
