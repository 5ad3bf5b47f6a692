// Waits: why a run is waiting, and what runs in a list are doing: what the state says (`core/views/waits.ts`), and what only
// this engine knows: what is executing, who does an action, since when.

import type { TokenId } from '../core/events.ts';
import { RunFold } from '../core/views/run-fold.ts';
import { isTerminal } from '../core/views/status.ts';
import type { Activity, TaskKnowledge, Wait } from '../core/views/wait.ts';
import { activityOf, waitsOf } from '../core/views/waits.ts';
import { invalidCursor, itemsPerPage } from '../operations/pages.ts';
import type { Page, Paging } from '../operations/parts.ts';
import type { RunSummary } from '../operations/run-results.ts';
import type { Parts } from './assemble.ts';
import { mustReadRun } from './must-read.ts';
import { foldRun } from './run-view.ts';

/** By the place in the list: it changes while it is read, and what has come is gone from it. */
export async function pageWaits(
  parts: Parts,
  runId: string,
  { after = '0', limit = itemsPerPage }: Paging,
): Promise<Page<Wait>> {
  if (!/^\d{1,9}$/.test(after)) throw invalidCursor();
  const waits = await readWaits(parts, runId);
  const end = Number(after) + limit;
  return { items: waits.slice(Number(after), end), next: end < waits.length ? String(end) : null };
}

async function readWaits(parts: Parts, runId: string): Promise<readonly Wait[]> {
  const sinceOf = await readSince(parts, runId);
  const tasks: TaskKnowledge = { ...taskKnowledge(parts, runId), sinceOf: (token) => sinceOf.get(token) ?? null };
  return parts.host.inbox.read(runId, (state, graph) => waitsOf({ state, graph, tasks }));
}

/** Their states are read for it. */
const activitiesMax = 50;

/** LS9: what each run is doing, of the first 50 that have not ended; of those that are set aside, nothing is. */
export async function withActivity(parts: Parts, runs: readonly RunSummary[]): Promise<readonly RunSummary[]> {
  const living = runs.filter(({ status, quarantine }) => !isTerminal(status) && quarantine === null);
  const looked = living
    .slice(0, activitiesMax)
    .map(async ({ runId }) => [runId, await readActivity(parts, runId)] as const);
  const activities = new Map(await Promise.all(looked));
  return runs.map((run) => {
    const activity = activities.get(run.runId) ?? null;
    return activity === null ? run : { ...run, activity };
  });
}

async function readActivity(parts: Parts, runId: string): Promise<Activity | null> {
  const tasks = taskKnowledge(parts, runId);
  const look = parts.host.inbox.read(runId, (state, graph) => activityOf({ state, graph, tasks }));
  // It was deleted or set aside meanwhile: the list stands, and has nothing to say of it.
  return look.catch(() => null);
}

/** Without since when, which the journal has. */
function taskKnowledge({ host, tasks }: Parts, runId: string): TaskKnowledge {
  return {
    // A reader of a file does not know who has what: that a task is handed out is all.
    isExecuting: (token) => host.readOnly || host.isExecuting(runId, token),
    standingOf: (action) => ({
      isLocal: tasks.localActions().has(action),
      lastAskedAt: tasks.office?.standingOf(action).lastAskedAt ?? null,
    }),
    sinceOf: () => null,
  };
}

/** Of a longer journal it is not said since when tasks run: it would have to be read whole. */
const commitsMax = 2_000;

/** When each token that lives was last handed out, or began to wait, or was ready. */
async function readSince({ host }: Parts, runId: string): Promise<ReadonlyMap<TokenId, number>> {
  const row = await mustReadRun(host.store, runId);
  const since = new Map<TokenId, number>();
  if (row.seq > commitsMax) return since;
  const fold = new RunFold({ spansMax: 0, groupsMax: 0 });
  await foldRun(host, row, fold);
  for (const { token, attempts, startedAt, readyAt } of fold.spans())
    since.set(token, attempts.at(-1)?.startedAt ?? startedAt ?? readyAt);
  return since;
}
