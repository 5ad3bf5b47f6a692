// Candidates: which runs may be in a list, newest first, by the indexes of the projection. Each source is a statement of its own,
// since the platform bounds how many may be one; they are asked together.
//
// Always true: every source is read from an index in its order, so that it costs what it yields; values are parameters.

import { idPrefixLeast, type RunPageQuery, type RunPlace } from '../../actor/ports.ts';
import { isOlder } from '../../actor/run-filter.ts';
import { askTogether, type Database, type DatabaseStatement, type DatabaseValue } from './database.ts';

/** All of a run but what it came to. */
export interface Candidate extends RunPlace {
  readonly object: string;
  readonly workflow: string;
  readonly version: number;
  readonly status: string;
  readonly updatedAt: number;
  readonly endedAt: number | null;
  readonly nextTimerAt: number | null;
  readonly parentRunId: string | null;
  readonly rootRunId: string;
  readonly tags: string;
  readonly quarantine: string | null;
  /** Of the text. */
  readonly resultLength: number | null;
}

interface Source {
  readonly from: 'heddle_runs AS r' | 'heddle_tags AS t' | `heddle_runs AS r INDEXED BY ${string}`;
  readonly where: string;
  readonly values: readonly DatabaseValue[];
}

const columns = `r.run_id AS runId, r.created_at AS createdAt, r.object, r.workflow, r.version, r.status, r.updated_at AS updatedAt,
  r.ended_at AS endedAt, r.next_timer_at AS nextTimerAt, r.parent_run_id AS parentRunId, r.root_run_id AS rootRunId, r.tags,
  r.quarantine, length(r.result) AS resultLength`;

const workflowsMax = 20;
const idsMax = 200;
/** After all texts that begin with another. */
const last = '\u{10ffff}';

/** Answers with the next candidates behind a place, each once. */
export async function prepareCandidates(
  database: Database,
  tenant: string,
  query: RunPageQuery,
): Promise<(after: RunPlace, limit: number) => Promise<readonly Candidate[]>> {
  const sources = await chooseSources(database, tenant, query);
  const oldest = query.createdAfter ?? Number.MIN_SAFE_INTEGER;
  return async (after, limit) => {
    const statements = sources.map((source) => read(database, tenant, source, [after, oldest, limit]));
    const found = await askTogether<Candidate>(database, statements);
    return merge(found.flat()).slice(0, limit);
  };
}

function read(
  database: Database,
  tenant: string,
  { from, where, values }: Source,
  [{ createdAt, runId }, oldest, limit]: readonly [RunPlace, number, number],
): DatabaseStatement {
  const isOfTags = from === 'heddle_tags AS t';
  const name = isOfTags ? 't' : 'r';
  const joined = isOfTags
    ? ' CROSS JOIN heddle_runs AS r ON r.tenant = t.tenant AND r.object = t.object AND r.run_id = t.run_id'
    : '';
  const sql = `SELECT ${columns} FROM ${from}${joined}
    WHERE ${name}.tenant = ? AND ${where} AND (${name}.created_at, ${name}.run_id) < (?, ?) AND ${name}.created_at >= ?
    ORDER BY ${name}.created_at DESC, ${name}.run_id DESC LIMIT ?`;
  return database.prepare(sql).bind(tenant, ...values, createdAt, runId, oldest, limit);
}

async function chooseSources(database: Database, tenant: string, query: RunPageQuery): Promise<readonly Source[]> {
  const { parentRunId, rootRunId, workflow, statuses, isQuarantined, search } = query;
  if (search !== undefined) return searchSources(database, tenant, search, query);
  const [tag] = Object.entries(query.tags ?? {});
  if (parentRunId !== undefined) return [indexed('runs_by_parent', 'r.parent_run_id = ?', parentRunId)];
  if (rootRunId !== undefined)
    return [indexed('runs_by_root', 'r.root_run_id = ? AND r.parent_run_id IS NOT NULL', rootRunId)];
  if (isQuarantined === true) return [indexed('runs_in_quarantine', 'r.quarantine IS NOT NULL')];
  if (tag !== undefined) return [tagged('t.key = ? AND t.value = ?', ...tag)];
  if (statuses !== undefined)
    return [...new Set(statuses)].flatMap((status) =>
      workflow === undefined
        ? halves(query, 'runs_by_status', 'r.status = ?', status)
        : halves(query, 'runs_by_workflow_and_status', 'r.workflow = ? AND r.status = ?', workflow, status),
    );
  return workflow === undefined
    ? halves(query, 'runs_by_age', 'TRUE')
    : halves(query, 'runs_by_workflow', 'r.workflow = ?', workflow);
}

const indexed = (index: string, where: string, ...values: DatabaseValue[]): Source => ({
  from: `heddle_runs AS r INDEXED BY heddle_${index}`,
  where,
  values,
});

const tagged = (where: string, ...texts: readonly string[]): Source => ({
  from: 'heddle_tags AS t',
  where,
  values: texts.map((text) => JSON.stringify(text)),
});

const isRootOf = ({ isRoot }: RunPageQuery): readonly number[] => (isRoot ? [1] : [1, 0]);

function halves(query: RunPageQuery, index: string, where: string, ...values: DatabaseValue[]): Source[] {
  return isRootOf(query).map((isRoot) => indexed(index, `r.is_root = ? AND ${where}`, isRoot, ...values));
}

/** LS4 says what a text finds. */
async function searchSources(
  database: Database,
  tenant: string,
  search: string,
  query: RunPageQuery,
): Promise<readonly Source[]> {
  const beginning = 'tenant = ?1 AND is_root = ?4 AND workflow < ?3';
  const names = isRootOf(query).map((isRoot) =>
    database
      .prepare(
        `WITH RECURSIVE found (name) AS (
           SELECT min(workflow) FROM heddle_runs WHERE ${beginning} AND workflow >= ?2
           UNION ALL
           SELECT (SELECT min(workflow) FROM heddle_runs WHERE ${beginning} AND workflow > found.name)
           FROM found WHERE found.name IS NOT NULL LIMIT ${workflowsMax + 1}
         )
         SELECT name FROM found WHERE name IS NOT NULL ORDER BY name LIMIT ${workflowsMax}`,
      )
      .bind(tenant, search, search + last, isRoot),
  );
  const found = await askTogether<{ readonly name: string }>(database, names);
  const workflows = [...new Set(found.flat().map(({ name }) => name))].toSorted().slice(0, workflowsMax);
  const byId: Source = {
    from: 'heddle_runs AS r',
    where: `r.run_id IN (SELECT run_id FROM heddle_runs INDEXED BY heddle_runs_by_id
      WHERE tenant = ? AND run_id >= ? AND run_id < ? ORDER BY run_id DESC LIMIT ${idsMax})`,
    values: [tenant, search, search + last],
  };
  return [
    ...workflows.flatMap((workflow) => halves(query, 'runs_by_workflow', 'r.workflow = ?', workflow)),
    tagged('t.value = ?', search),
    ...(search.length >= idPrefixLeast ? [byId] : []),
  ];
}

/** Newest first, each once. */
function merge(candidates: readonly Candidate[]): readonly Candidate[] {
  const byId = new Map(candidates.map((candidate) => [candidate.runId, candidate]));
  return [...byId.values()].toSorted((one, other) => (isOlder(one, other) ? 1 : -1));
}
