// WalkRuns: which indexes a list of runs is read from, and how: one statement merges the beginnings of several, in the order of age.
//
// Always true: every index is read from a place in it, and no further than so many entries, so that a list costs what it shows, with
// a hundred runs and with a million; values are parameters, never part of a statement.

import { idPrefixLeast, type RunPageQuery, type RunPlace } from '../../actor/ports.ts';
import { isOlder } from '../../actor/run-filter.ts';
import { isUnstorable, type SqlValue, textArray } from './database.ts';
import type { AskShard } from './shard-tables.ts';
import { tagText } from './tags.ts';

/** Of a search: workflows that begin with the text, and runs whose ids do, newest ids first. */
const workflowsMax = 20;
const idsMax = 200;
/** After all texts that begin with another. */
const last = '\u{10ffff}';

/** Where a list goes on: behind this place, and not before that age. */
export interface Walk {
  /** A statement that selects `created_at` and `run_id`, newest first; values $2 to $5 are the place, the age and how many. */
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

export const placeValues = (before: RunPlace, { createdAfter }: RunPageQuery, count: number): SqlValue[] => [
  before.createdAt,
  before.runId,
  createdAfter ?? Number.MIN_SAFE_INTEGER,
  count,
];

/** The list begins behind it. */
export function newestPlace({ after, createdBefore }: RunPageQuery): RunPlace {
  const newest = createdBefore === undefined ? noPlace : { createdAt: createdBefore, runId: '' };
  return after !== undefined && isOlder(after, newest) ? after : newest;
}

/** Newer than all. */
const noPlace: RunPlace = { createdAt: Number.MAX_SAFE_INTEGER, runId: last };

export async function chooseWalk(read: AskShard, query: RunPageQuery): Promise<Walk> {
  const values = new Values();
  const sources = await chooseSources(read, query, values);
  const merged =
    sources.length === 0 ? `SELECT 0::bigint AS created_at, '' AS run_id WHERE false` : sources.join(' UNION ALL ');
  const sql = `WITH RECURSIVE ${values.statuses.join(', ')}${values.statuses.length > 0 ? ', ' : ''}merged AS (${merged})
    SELECT created_at, run_id FROM merged ORDER BY created_at DESC, run_id DESC LIMIT $5::bigint`;
  return { sql, values: values.all };
}

/** What a statement is given beside the place. */
class Values {
  readonly all: SqlValue[] = [];
  /** The names of what it selects beforehand. */
  readonly statuses: string[] = [];

  add(value: SqlValue): string {
    this.all.push(value);
    return `$${this.all.length + 5}`;
  }
}

/** An index that is narrower than those by status, if there is one; what it does not hold to is looked at run by run (LS6). */
async function chooseSources(read: AskShard, query: RunPageQuery, values: Values): Promise<string[]> {
  const { parentRunId, rootRunId, isQuarantined, search, workflow, tags = {} } = query;
  if (search !== undefined) return searchSources(read, search, query, values);
  if (parentRunId !== undefined) return [runSource(`p.parent_run_id = ${values.add(parentRunId)}`)];
  if (rootRunId !== undefined)
    return [runSource(`p.parent_run_id IS NOT NULL AND p.root_run_id = ${values.add(rootRunId)}`)];
  if (isQuarantined === true) return [runSource('p.quarantine IS NOT NULL')];
  const [tag] = Object.entries(tags);
  if (tag !== undefined)
    return [tagSource(`p.key = ${values.add(tagText(tag[0]))} AND p.value = ${values.add(tagText(tag[1]))}`)];
  return statusSources(query, workflow === undefined ? null : [workflow], values);
}

/** By the beginning of a workflow, by the value of a tag, by the beginning of an id (LS4). */
async function searchSources(read: AskShard, search: string, query: RunPageQuery, values: Values): Promise<string[]> {
  const byTag = tagSource(`p.value = ${values.add(tagText(search))}`);
  if (isUnstorable(search)) return [byTag];
  const found = await read<{ id: string }>(
    `SELECT DISTINCT id FROM $definitions WHERE shard = $1 AND id >= $2 AND id < $3 ORDER BY id LIMIT ${workflowsMax}`,
    [search, search + last],
  );
  const workflows = found.map(({ id }) => id);
  const byWorkflow = workflows.length === 0 ? [] : statusSources(query, workflows, values);
  if (search.length < idPrefixLeast) return [...byWorkflow, byTag];
  const ids = `(SELECT created_at, run_id FROM $runs WHERE shard = $1 AND run_id >= ${values.add(search)}
    AND run_id < ${values.add(search + last)} ORDER BY run_id DESC LIMIT ${idsMax})`;
  return [...byWorkflow, byTag, source(ids, 'true')];
}

/** Of each status that is asked for, or that any run has; root runs and sub-runs stand in indexes of their own. */
function statusSources(
  { statuses, isRoot }: RunPageQuery,
  workflows: readonly string[] | null,
  values: Values,
): string[] {
  const given = statuses && `unnest(${values.add(textArray([...new Set(statuses)]))}::text[])`;
  const named = workflows && `${values.add(textArray(workflows))}::text[]`;
  const each = named === null ? '' : `CROSS JOIN unnest(${named}) AS w (workflow)`;
  const ofEach = named === null ? '' : 'AND p.workflow = w.workflow';
  return (isRoot ? halves.slice(0, 1) : halves).map(({ name, holds }) => {
    if (given === undefined) values.statuses.push(allStatuses(name, holds));
    return `SELECT p.created_at, p.run_id FROM ${given ?? name} AS s (status) ${each}
      CROSS JOIN LATERAL ${runSource(`p.${holds} ${ofEach} AND p.status = s.status`)} AS p`;
  });
}

const halves = [
  { name: 'root_statuses', holds: 'parent_run_id IS NULL' },
  { name: 'sub_run_statuses', holds: 'parent_run_id IS NOT NULL' },
] as const;

/** The statuses that there are in an index, each found by one look into it; the last is null, and no run's. */
function allStatuses(name: string, where: string): string {
  const next = (after: string): string =>
    `(SELECT status FROM $runs WHERE shard = $1 AND ${where} ${after} ORDER BY status LIMIT 1)`;
  return `${name} (status) AS (
    ${next('')} UNION ALL SELECT ${next(`AND status > ${name}.status`)} FROM ${name} WHERE ${name}.status IS NOT NULL
  )`;
}

const runSource = (where: string): string => source('$runs', `p.shard = $1 AND ${where}`);
const tagSource = (where: string): string => source('$tags', `p.shard = $1 AND ${where}`);

function source(from: string, where: string): string {
  return `(SELECT p.created_at, p.run_id FROM ${from} AS p
    WHERE ${where} AND (p.created_at, p.run_id) < ($2::bigint, $3::text) AND p.created_at >= $4::bigint
    ORDER BY p.created_at DESC, p.run_id DESC LIMIT $5::bigint)`;
}
