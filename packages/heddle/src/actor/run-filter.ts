// RunFilter: whether a run is among those that a list asks for. Stores find candidates by their indexes; this decides.

import { idPrefixLeast, type RunPageQuery, type RunPlace, type RunRow } from './ports.ts';

/** What the filters look at. */
export type Filtered = Pick<
  RunRow,
  'runId' | 'createdAt' | 'workflow' | 'status' | 'parentRunId' | 'rootRunId' | 'tags'
> & { readonly isQuarantined: boolean };

export function fitsQuery(run: Filtered, query: RunPageQuery): boolean {
  return (
    isOfTime(run, query) && isOfKind(run, query) && isOfTree(run, query) && hasTags(run, query) && isFound(run, query)
  );
}

function isOfTime({ createdAt, runId }: RunPlace, query: RunPageQuery): boolean {
  const { after, createdAfter, createdBefore } = query;
  if (createdAfter !== undefined && createdAt < createdAfter) return false;
  if (createdBefore !== undefined && createdAt >= createdBefore) return false;
  return after === undefined || isOlder({ createdAt, runId }, after);
}

function isOfKind(run: Filtered, { workflow, statuses, isQuarantined }: RunPageQuery): boolean {
  return (
    (workflow === undefined || run.workflow === workflow) &&
    (statuses === undefined || statuses.includes(run.status)) &&
    (isQuarantined === undefined || run.isQuarantined === isQuarantined)
  );
}

function isOfTree(run: Filtered, { parentRunId, rootRunId, isRoot }: RunPageQuery): boolean {
  if (isRoot && run.parentRunId !== null) return false;
  if (parentRunId !== undefined && run.parentRunId !== parentRunId) return false;
  return rootRunId === undefined || (run.rootRunId === rootRunId && run.parentRunId !== null);
}

function hasTags(run: Filtered, { tags = {} }: RunPageQuery): boolean {
  return Object.entries(tags).every(([key, value]) => Object.hasOwn(run.tags, key) && run.tags[key] === value);
}

// LS4: a text is searched for as the beginning of an id or of a workflow, and as the value of a tag.
function isFound({ runId, workflow, tags }: Filtered, { search }: RunPageQuery): boolean {
  if (search === undefined || workflow.startsWith(search)) return true;
  return (search.length >= idPrefixLeast && runId.startsWith(search)) || Object.values(tags).includes(search);
}

/** In the order of lists, newest first: whether one comes after the other. */
export function isOlder(one: RunPlace, other: RunPlace): boolean {
  return one.createdAt < other.createdAt || (one.createdAt === other.createdAt && one.runId < other.runId);
}
