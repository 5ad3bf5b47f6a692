// Tasks: the engine's side of workers outside the process: they ask for tasks, say that they are alive, and answer.
//
// Always true: what was handed in is checked before anything happens; what is wrong with one lease of a call is told in
// its own answer, and the others of the call go on.

import type { Artifact, ArtifactData } from '../actor/artifacts.ts';
import type { Published } from '../actor/publication.ts';
import { closedError, readOnlyError } from '../actor/refusals.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { ObjectReference } from '../base/object-reference.ts';
import { shown } from '../base/refuse-options.ts';
import type { RetryDefinition } from '../definition/definition.ts';
import type { Limits } from '../definition/limits.ts';
import { actionName, isName } from '../definition/names.ts';
import type { Publish } from '../executor/action.ts';
import type { PublishFor } from '../executor/attempt.ts';
import { compileAction, type LocalAction } from '../executor/compile-action.ts';
import { InvalidActionsError, type MissingActions } from '../executor/registry.ts';
import { TaskArtifacts } from '../executor/task-artifacts.ts';
import type { Paging } from '../operations/parts.ts';
import type { ActionInfo, FinishedTask, LeaseRequest, TaskHeartbeat } from '../operations/work.ts';
import type { AnnouncedAction } from '../work/announcement.ts';
import type { WorkerInfo } from '../work/seen-workers.ts';
import type { Finish, FinishAnswer, HeartbeatAnswer, LeaseTask, ReleaseAnswer } from '../work/task-reports.ts';
import type { LeasedTask, WorkOffice } from '../work/work-office.ts';
import { checkOptions } from './check-options.ts';
import type { Host } from './host.ts';

export interface LeaseOptions extends LeaseRequest {
  /** Whoever asked has gone: it gets nothing, and nothing is lost. */
  readonly signal?: AbortSignal;
}

/** By name, or by id. */
export type NamePage = Paging;

const namesPerPage = 100;

type TasksHost = Pick<Host, 'limits' | 'readOnly' | 'runner' | 'store'>;

interface Around {
  /** Null without workers. */
  readonly office: WorkOffice | null;
  readonly publish: PublishFor;
  /** Those of this process, by name. */
  readonly localActions: ReadonlyMap<string, LocalAction>;
}

export class Tasks {
  readonly #host: TasksHost;
  readonly #around: Around;

  constructor(host: TasksHost, around: Around) {
    this.#host = host;
    this.#around = around;
  }

  /** Tasks for a worker, which nobody else gets while it has them; none if there are none. */
  async lease(options: LeaseOptions): Promise<readonly LeasedTask[]> {
    const office = this.#open();
    checkOptions('lease', options, {
      actions: 'members',
      max: 'whole',
      leaseMs: 'whole',
      waitMs: 'other',
      worker: 'text',
      signal: 'other',
    });
    const { limits } = this.#host;
    const { actions, max = 1, leaseMs = limits.leaseMsDefault, waitMs = 0, worker = null, signal = null } = options;
    refuseNames(actions, limits);
    refuseAbove('max', max, limits, 'leaseTasksMax');
    refuseAbove('leaseMs', leaseMs, limits, 'leaseMsMax');
    if (waitMs !== 0) checkOptions('lease', { waitMs }, { waitMs: 'whole' });
    refuseAbove('waitMs', waitMs, limits, 'leaseWaitMsMax');
    return office.lease({ actions: [...new Set(actions)], max, leaseMs, waitMs, worker, signal });
  }

  /** The worker still has these tasks, and tells how far it is. Durable when it answers. */
  async heartbeat(beats: readonly TaskHeartbeat[]): Promise<readonly HeartbeatAnswer[]> {
    const office = this.#open();
    const { limits } = this.#host;
    refuseList('heartbeats', beats, limits);
    for (const beat of beats) {
      checkOptions('a heartbeat', beat, { lease: 'other', progress: 'other', leaseMs: 'whole' });
      refuseAbove('leaseMs', beat.leaseMs ?? 1, limits, 'leaseMsMax');
      if (beat.progress !== undefined)
        checkOptions('progress', beat.progress, { fraction: 'other', message: 'other', details: 'other' });
    }
    return office.reports.heartbeat(
      beats.map(({ lease, progress = null, leaseMs = limits.leaseMsDefault }) => ({ lease, progress, leaseMs })),
    );
  }

  /** What tasks came to. Durable when it answers. */
  async finish(finishes: readonly FinishedTask[]): Promise<readonly FinishAnswer[]> {
    const office = this.#open();
    refuseList('results', finishes, this.#host.limits);
    return office.reports.finish(finishes.map((finish) => this.#readFinish(finish)));
  }

  #readFinish(finish: FinishedTask): Finish {
    checkOptions('a result', finish, finishFields);
    const { lease } = finish;
    const isBoth = 'output' in finish && 'error' in finish;
    if (isBoth || !('output' in finish || 'error' in finish)) {
      const found = isBoth ? 'both' : 'neither';
      throw new HeddleError('OPTION_INVALID', `Expected a result with an output or an error, but it has ${found}`);
    }
    if ('output' in finish) return { lease, output: finish.output };
    checkOptions('an error', finish.error, errorFields);
    const { error, retryable, retryAfterMs } = finish;
    const more = {
      ...(retryable === undefined ? {} : { retryable }),
      ...(typeof retryAfterMs === 'number' ? { retryAfterMs } : {}),
    };
    return { lease, error: { ...error, ...more }, retry: this.#readRetry(finish.retry) };
  }

  #readRetry(retry: RetryDefinition | null = null): Extract<Finish, { error: object }>['retry'] {
    if (retry === null) return null;
    const compiled = compileAction(
      { name: 'result', action: { run: () => null, retry }, pointer: '' },
      this.#host.limits,
    );
    if ('problems' in compiled) throw new InvalidActionsError(compiled.problems);
    return compiled.action.retry;
  }

  /** The result of a finished step of a task: later hand-outs are given it. Durable when it answers; again changes nothing. */
  async recordStep(lease: string, step: string, result?: unknown): Promise<void> {
    const refusal = await this.#open().reports.recordStep(lease, step, result);
    if (refusal !== null) throw new HeddleError(refusal.code, refusal.message);
  }

  /** Publishes an event in the name of the run of a task, as a local action does. */
  async publish(lease: string, ...event: Parameters<Publish>): Promise<Published> {
    return this.#around.publish(await this.#taskOf(lease), ...event);
  }

  /** Durable, as an artifact of the run of a task, when it answers. */
  async putArtifact(lease: string, data: ArtifactData, mimeType: string): Promise<ObjectReference> {
    return (await this.#artifactsOf(lease)).put(data, mimeType);
  }

  /** Of what the task may read. */
  async getArtifact(lease: string, reference: ObjectReference): Promise<Artifact> {
    return (await this.#artifactsOf(lease)).get(reference);
  }

  /** What the task may read. */
  async listArtifacts(lease: string): Promise<readonly ObjectReference[]> {
    return (await this.#artifactsOf(lease)).list();
  }

  async #artifactsOf(lease: string): Promise<TaskArtifacts> {
    return new TaskArtifacts(await this.#taskOf(lease), this.#host);
  }

  // WK19: whoever has a task may publish in the name of its run and reach its artifacts, until the task is over.
  async #taskOf(lease: string): Promise<LeaseTask> {
    const found = await this.#open().reports.show(lease);
    if ('task' in found) return found.task;
    throw new HeddleError(found.refusal.code, found.refusal.message);
  }

  /** Hands tasks back, as a worker does that stops: others get them at once. */
  async release(leases: readonly { readonly lease: string }[]): Promise<readonly ReleaseAnswer[]> {
    const office = this.#open();
    refuseList('leases', leases, this.#host.limits);
    for (const one of leases) checkOptions('a release', one, { lease: 'other' });
    return office.reports.release(leases.map(({ lease }) => lease));
  }

  /** What a worker says of the actions that it does, so that nodes are checked and charged by it. Durable when it answers. */
  async announce(worker: string, actions: readonly AnnouncedAction[]): Promise<void> {
    const office = this.#open();
    checkOptions('announce', { worker }, { worker: 'text' });
    if (!Array.isArray(actions)) throw invalid('actions', 'a list', actions);
    refuseAbove('the number of actions', actions.length, this.#host.limits, 'announcedActionsMax');
    await office.announcements.announce(worker, actions);
  }

  /** Takes back what was announced; tasks that wait go on waiting. */
  async withdraw(actions: readonly string[]): Promise<void> {
    const office = this.#open();
    refuseNames(actions, this.#host.limits);
    await office.announcements.withdraw(actions);
  }

  /** WK21: all actions that are known, in this process or outside, by name, a page at a time. */
  async actions(page: NamePage = {}): Promise<readonly ActionInfo[]> {
    const local = this.#around.localActions;
    const names = new Set([...local.keys(), ...(this.#around.office?.actionNames() ?? [])]);
    return pageOf([...names], page).map((name) => this.#describe(name, local.get(name)));
  }

  #describe(name: string, local: LocalAction | undefined): ActionInfo {
    const { office } = this.#around;
    const standing = office?.standingOf(name) ?? { waiting: 0, leased: 0, lastAskedAt: null };
    if (local === undefined)
      return { ...(office?.announcements.find(name) ?? { name }), place: 'workers', ...standing };
    const { version, cost, timeoutMs } = local;
    const settings = { ...(version === null ? {} : { version }), ...(timeoutMs === null ? {} : { timeoutMs }) };
    return { name, ...settings, cost, place: 'local', ...standing };
  }

  /** Workers that have asked for tasks under a name since the engine was opened, by name: at most `workersMax`. */
  async workers(page: NamePage = {}): Promise<readonly WorkerInfo[]> {
    const workers = new Map((this.#around.office?.workers() ?? []).map((info) => [info.worker, info]));
    return pageOf([...workers.keys()], { limit: this.#host.limits.workersMax, ...page }).flatMap(
      (name) => workers.get(name) ?? [],
    );
  }

  #open(): WorkOffice {
    if (this.#host.readOnly) throw readOnlyError();
    if (this.#host.runner.isClosed) throw closedError();
    if (this.#around.office) return this.#around.office;
    const message = 'Expected an engine with workers, but it was made without; open it with workers: true';
    throw new HeddleError('NOT_AVAILABLE', message);
  }
}

/** What an engine was told of workers; anything else is refused. */
export function readWorkers(given: unknown = false): boolean | 'announced' {
  if (given === true || given === false || given === 'announced') return given;
  throw invalid('workers', "true, false or 'announced'", given);
}

// OP11: what becomes of tasks whose action nobody has is 'wait' or 'fail'; anything else is refused.
export function readMissingActions(given: unknown = 'wait'): MissingActions {
  if (given === 'wait' || given === 'fail') return given;
  throw invalid('missingActions', "'wait' or 'fail'", given);
}

const errorFields = {
  code: 'other',
  message: 'other',
  details: 'other',
  name: 'other',
  stack: 'other',
  cause: 'other',
  errors: 'other',
} as const;

const finishFields = {
  lease: 'other',
  output: 'other',
  error: 'other',
  retryable: 'flag',
  retryAfterMs: 'other',
  retry: 'other',
} as const;

function pageOf(names: readonly string[], page: NamePage): readonly string[] {
  checkOptions('a page', page, { after: 'text', limit: 'whole' });
  const { after = '', limit = namesPerPage } = page;
  const sorted = names.filter((name) => name > after).toSorted((a, b) => (a < b ? -1 : 1));
  return sorted.slice(0, limit);
}

function refuseNames(names: unknown, limits: Limits): void {
  if (!Array.isArray(names) || names.length === 0) throw invalid('actions', 'a list of names', names);
  refuseAbove('the number of actions', names.length, limits, 'announcedActionsMax');
  const wrong: unknown = names.find((name) => typeof name !== 'string' || !isName(actionName, name));
  if (wrong !== undefined || names.includes(undefined)) throw invalid('each of the actions', 'the name of one', wrong);
}

function refuseList(what: string, list: unknown, limits: Limits): void {
  if (!Array.isArray(list)) throw invalid(what, 'a list', list);
  refuseAbove(`the number of ${what}`, list.length, limits, 'leaseTasksMax');
}

function refuseAbove(what: string, value: number, limits: Limits, limit: keyof Limits): void {
  if (value <= limits[limit]) return;
  const message = `Expected ${what} to be at most ${limits[limit]} by the limit ${limit}, but found ${value}`;
  throw new HeddleError('LIMIT_EXCEEDED', message, { limit });
}

function invalid(what: string, expected: string, found: unknown): HeddleError {
  return new HeddleError('OPTION_INVALID', `Expected ${what} to be ${expected}, but found ${shown(found)}`);
}
