// Tasks: the engine's side of workers outside the process: they ask for tasks, say that they are alive, and answer.
//
// Always true: what is wrong with one lease of a call is told in its own answer; the others of the call are not affected.

import { given } from '../base/given.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { JsonObject } from '../base/json.ts';
import { shown } from '../base/refuse-options.ts';
import type { RetryDefinition } from '../definition/definition.ts';
import type { Limits } from '../definition/limits.ts';
import { actionName, isName } from '../definition/names.ts';
import type { CatalogueEntry } from '../dialects/catalogue/entry.ts';
import type { PublishFor } from '../executor/attempt.ts';
import { compileAction, type LocalAction } from '../executor/compile-action.ts';
import { InvalidActionsError, type MissingActions } from '../executor/registry.ts';
import { TaskArtifacts } from '../executor/task-artifacts.ts';
import { askedPage } from '../operations/pages.ts';
import type { Paging } from '../operations/parts.ts';
import type { FinishedTask } from '../operations/work.ts';
import type { ActionInfo } from '../operations/workers.ts';
import type { Finish, LeaseTask } from '../work/task-reports.ts';
import type { WorkOffice } from '../work/work-office.ts';
import type { Parts } from './assemble.ts';
import { type Performers, sentArtifact } from './performer.ts';

/** What the tasks of workers are done with. */
export interface TaskParts {
  /** Null without workers. */
  readonly office: WorkOffice | null;
  readonly publish: PublishFor;
  /** Those of this process, by name. */
  readonly localActions: () => ReadonlyMap<string, LocalAction>;
  /** Those that tasks were meant for and nobody has. */
  readonly missingActions: () => ReadonlySet<string>;
}

export const taskPerformers: Performers<
  | 'leaseTasks'
  | 'heartbeatTasks'
  | 'finishTasks'
  | 'releaseTasks'
  | 'recordStep'
  | 'publishFromTask'
  | 'putTaskArtifact'
  | 'listTaskArtifacts'
  | 'getTaskArtifact'
  | 'announceActions'
  | 'withdrawActions'
  | 'listWorkers'
  | 'listActions'
> = {
  async leaseTasks(parts, request, { signal = null }) {
    const { limits } = parts.host;
    const { actions, max = 1, leaseMs = limits.leaseMsDefault, waitMs = 0 } = request;
    const { confirmMs = null, worker = null } = request;
    checkNames(actions);
    const asked = { actions: [...new Set(actions)], max, leaseMs, confirmMs, waitMs, worker, signal };
    return { tasks: await officeIn(parts).lease(asked) };
  },

  async heartbeatTasks(parts, { tasks }) {
    const { leaseMsDefault } = parts.host.limits;
    const beats = tasks.map(({ lease, progress = null, leaseMs = leaseMsDefault }) => ({ lease, progress, leaseMs }));
    return { tasks: await officeIn(parts).reports.heartbeat(beats) };
  },

  async finishTasks(parts, { tasks }) {
    const { limits } = parts.host;
    return { tasks: await officeIn(parts).reports.finish(tasks.map((task) => readFinish(task, limits))) };
  },

  async releaseTasks(parts, { tasks }) {
    return { tasks: await officeIn(parts).reports.release(tasks.map(({ lease }) => lease)) };
  },

  async recordStep(parts, { lease, step, result }) {
    const refusal = await officeIn(parts).reports.recordStep(lease, step, result);
    if (refusal !== null) throw new HeddleError(refusal.code, refusal.message);
    return undefined;
  },

  async publishFromTask(parts, { lease, name, payload, ...options }) {
    return parts.tasks.publish(await findTask(parts, lease), name, payload, options);
  },

  async putTaskArtifact(parts, { lease }, call) {
    const { bytes, mimeType } = sentArtifact(call);
    return (await findArtifacts(parts, lease)).put(bytes, mimeType);
  },

  async listTaskArtifacts(parts, { lease }) {
    return { items: await (await findArtifacts(parts, lease)).list() };
  },

  async getTaskArtifact(parts, { lease, ...reference }) {
    return (await findArtifacts(parts, lease)).get(reference);
  },

  async announceActions(parts, { worker, actions }) {
    await officeIn(parts).announcements.announce(worker, actions);
    return undefined;
  },

  async withdrawActions(parts, { actions }) {
    checkNames(actions);
    await officeIn(parts).announcements.withdraw(actions);
    return undefined;
  },

  async listWorkers({ tasks }, paging) {
    const workers = new Map((tasks.office?.workers() ?? []).map((info) => [info.worker, info]));
    return askedPage(
      paging,
      async (page) => namesIn(workers.keys(), page).flatMap((name) => workers.get(name) ?? []),
      ({ worker }) => worker,
    );
  },

  /** WK21: all actions that are known, in this process or outside, by name. */
  async listActions(parts, paging) {
    const { tasks } = parts;
    const names = new Set([...tasks.localActions().keys(), ...(tasks.office?.actionNames() ?? [])]);
    return askedPage(
      paging,
      async (page) => namesIn(names, page).map((name) => describeAction(parts, name)),
      ({ name }) => name,
    );
  },
};

function officeIn({ tasks }: Parts): WorkOffice {
  if (tasks.office) return tasks.office;
  const message = 'Expected an engine with workers, but it was made without; open it with workers: true';
  throw new HeddleError('NOT_AVAILABLE', message);
}

function readFinish(finish: FinishedTask, limits: Limits): Finish {
  const { lease } = finish;
  if ('output' in finish) return { lease, output: finish.output };
  const { error, retryable, retryAfterMs } = finish;
  const more = {
    ...given({ retryable }),
    ...(typeof retryAfterMs === 'number' ? { retryAfterMs } : {}),
  };
  return { lease, error: { ...error, ...more }, retry: readRetry(finish.retry, limits) };
}

function readRetry(
  retry: RetryDefinition | null | undefined,
  limits: Limits,
): Extract<Finish, { error: object }>['retry'] {
  if (retry === null || retry === undefined) return null;
  const compiled = compileAction({ name: 'result', action: { run: () => null, retry }, pointer: '' }, limits);
  if ('problems' in compiled) throw new InvalidActionsError(compiled.problems);
  return compiled.action.retry;
}

async function findArtifacts(parts: Parts, lease: string): Promise<TaskArtifacts> {
  return new TaskArtifacts(await findTask(parts, lease), parts.host);
}

// WK19: whoever has a task may publish in the name of its run and reach its artifacts, until the task is over.
async function findTask(parts: Parts, lease: string): Promise<LeaseTask> {
  const found = await officeIn(parts).reports.show(lease);
  if ('task' in found) return found.task;
  throw new HeddleError(found.refusal.code, found.refusal.message);
}

function describeAction({ tasks: { office, localActions }, schemas, nodeTypes }: Parts, name: string): ActionInfo {
  const standing = office?.standingOf(name) ?? { waiting: 0, leased: 0, lastAskedAt: null };
  const local = localActions().get(name);
  if (local === undefined) return { ...(office?.announcements.find(name) ?? { name }), place: 'workers', ...standing };
  const { version, cost, timeoutMs } = local;
  const settings = { ...(version === null ? {} : { version }), ...(timeoutMs === null ? {} : { timeoutMs }) };
  const { input, output } = schemas(name) ?? {};
  const ports = Object.hasOwn(nodeTypes, name) ? portsOf(nodeTypes[name]) : undefined;
  return { name, ...settings, cost, ...given({ input, output, ports }), place: 'local', ...standing };
}

/** The ports of a node type, as a worker announces them. */
function portsOf({ inputs, outputs }: Partial<CatalogueEntry> = {}): JsonObject {
  return given({ inputs, outputs }) as unknown as JsonObject; // ports are data
}

/** A page of names, in their order. */
export function namesIn(
  names: Iterable<string>,
  { after = '', limit }: Paging & { readonly limit: number },
): readonly string[] {
  const sorted = [...names].filter((name) => name > after).toSorted((a, b) => (a < b ? -1 : 1));
  return sorted.slice(0, limit);
}

function checkNames(names: readonly string[]): void {
  const wrong = names.find((name) => !isName(actionName, name));
  if (wrong !== undefined) throw invalid('each of the actions', 'the name of one', wrong);
}

/** What an engine was told of workers; anything else is refused. */
export function readWorkers(option: unknown = false): boolean | 'announced' {
  if (option === true || option === false || option === 'announced') return option;
  throw invalid('workers', "true, false or 'announced'", option);
}

// OP11: what becomes of tasks whose action nobody has is 'wait' or 'fail'; anything else is refused.
export function readMissingActions(option: unknown = 'wait'): MissingActions {
  if (option === 'wait' || option === 'fail') return option;
  throw invalid('missingActions', "'wait' or 'fail'", option);
}

function invalid(what: string, expected: string, found: unknown): HeddleError {
  return new HeddleError('OPTION_INVALID', `Expected ${what} to be ${expected}, but found ${shown(found)}`);
}
