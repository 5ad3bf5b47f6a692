// Worker: does tasks of an engine elsewhere, with the actions of this process. It leases as many as it has room for,
// says that it is alive while it works, and tells what they came to.
//
// Always true: a task that this worker has is in `held` until the server has its result, or does not want it any more;
// what the server does not want any more is aborted. A result is sent until it is taken.

import type { TaskProgress } from '../actor/observers.ts';
import type { Clock, Task, TaskOutcome } from '../actor/ports.ts';
import { systemClock } from '../actor/system-clock.ts';
import { given } from '../base/given.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { RetryDefinition } from '../definition/definition.ts';
import type { RetryPolicy } from '../definition/graph.ts';
import { defaultLimits, type Limits } from '../definition/limits.ts';
import { CompiledType } from '../dialects/catalogue/compiled-type.ts';
import type { NodeTypes } from '../dialects/dataflow/nodes/node-type.ts';
import type { NodeExecutors } from '../dialects/handle/nodes/node-executor.ts';
import { checkedLimits } from '../engine/check-options.ts';
import { gatherActions } from '../engine/gather-actions.ts';
import type { Actions } from '../executor/action.ts';
import { createExecutor, createRegistry } from '../executor/executor.ts';
import type { LoadAction } from '../executor/registry.ts';
import type { TaskRouter } from '../executor/task-router.ts';
import type { FinishedTask, TaskError } from '../operations/work.ts';
import type { AnnouncedAction } from '../work/announcement.ts';
import type { LeasedTask } from '../work/work-office.ts';
import { announcementsOf } from './announcements.ts';
import { Pulse, tasksPerRequest } from './pulse.ts';
import { Reporter } from './reporter.ts';
import { TaskLink } from './task-link.ts';
import { Transport, type TransportOptions } from './transport.ts';

export interface WorkerOptions extends TransportOptions {
  readonly actions?: Actions;
  readonly executors?: NodeExecutors;
  readonly nodeTypes?: NodeTypes;
  /** Asked for the actions of `names` that are not among the others. */
  readonly loadAction?: LoadAction;
  /** Further actions that it does, by `loadAction`. */
  readonly names?: readonly string[];
  /** Who it is, for people. Default: `worker`. */
  readonly name?: string;
  /** Tasks that it has at one time. Default: 20. */
  readonly capacity?: number;
  /** How long it may be silent before its tasks are given to others. Default: 30 seconds. */
  readonly leaseMs?: number;
  readonly limits?: Partial<Limits>;
  readonly clock?: Clock;
  /** What goes wrong between it and the server; it tries again by itself. */
  readonly onError?: (error: Error) => void;
}

const capacityDefault = 20;
const leaseMsDefault = 30_000;
const pollMs = 20_000;
/** A server that is started anew is back soon. */
const retryDelayMs = 100;
const retryDelayMsMax = 2_000;
/** For what an action asks of the server: a restart must not fail it. */
const retriesOfWorker = 6;
/** Nobody wants the result any more; whatever else a server answers with may be otherwise the next time. */
const isOver: ReadonlySet<string> = new Set(['LEASE_LOST', 'LEASE_UNKNOWN', 'RUN_QUARANTINED', 'RUN_NOT_FOUND']);
/** Of a message, so that it is taken: people read it. */
const errorLengthMax = 10_000;
/** To tell what is done, even for who has no time. */
const tellMsMin = 1_000;

/** What a task came to, and whose it is. */
interface Report {
  readonly key: string;
  readonly words: FinishedTask;
}

interface Held {
  readonly lease: string;
  readonly link: TaskLink;
}

/** Begins at once. */
export function startWorker(options: WorkerOptions): Worker {
  return new Worker(options);
}

/** Does tasks that were leased for it, and has told what they came to when it answers. */
export async function workOff(options: WorkerOptions, tasks: readonly LeasedTask[]): Promise<void> {
  const worker = new Worker(options, tasks);
  await worker.whenFree();
  await worker.close();
}

export class Worker {
  readonly #options: WorkerOptions;
  readonly #clock: Clock;
  readonly #transport: Transport;
  readonly #executor: TaskRouter;
  readonly #announced: readonly AnnouncedAction[];
  readonly #reporter: Reporter<Report>;
  readonly #pulse: Pulse;
  /** By run and token. */
  readonly #held = new Map<string, Held>();
  readonly #leaving = new AbortController();
  readonly #working: Promise<void>;
  readonly #announcing: Promise<void>;
  #onAnnounced: () => void = () => undefined;
  #begun = 0;
  #onRoom: (() => void) | null = null;
  #closing: Promise<void> | null = null;

  /** It leases tasks, unless they were leased for it. */
  constructor(options: WorkerOptions, leased: readonly LeasedTask[] | null = null) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock();
    this.#transport = new Transport({ retries: retriesOfWorker, ...options });
    const limits = checkedLimits(options.limits);
    refuseCompiled(options.nodeTypes);
    const actions = gatherActions(options, limits);
    this.#announced = leased === null ? announcementsOf(actions) : [];
    this.#reporter = new Reporter({
      clock: this.#clock,
      send: (reports) => this.#send(reports),
      onRefused: (report, error) => this.#refuse(report, error),
      onError: (error) => this.#tell(error),
    });
    this.#pulse = new Pulse({
      clock: this.#clock,
      transport: this.#transport,
      leaseMs: options.leaseMs ?? leaseMsDefault,
      leases: () => this.leases,
      onUnwanted: (leases) => this.#stopUnwanted(leases),
      onError: (error) => this.#tell(error),
    });
    this.#executor = createExecutor({
      clock: this.#clock,
      limits,
      registry: createRegistry({ clock: this.#clock, limits, actions, loadAction: options.loadAction }),
      artifactsFor: (task) => this.#linkOf(task),
      publish: (task, ...event) => this.#linkOf(task as Task).publish(...event), // an attempt has all of its task
      remember: (task, step) => this.#linkOf(task).remember(step),
      report: (task, outcome) => this.#report(task, outcome as TaskOutcome), // it never waits for actions
      onProgress: (progress) => this.#tellProgress(progress),
    });
    this.#announcing = new Promise((resolve) => {
      this.#onAnnounced = resolve;
    });
    this.#working = this.#work().finally(this.#onAnnounced);
    for (const task of leased ?? []) this.#begin(task);
  }

  /** When it has nothing left to do or to tell. */
  async whenFree(): Promise<void> {
    while (this.#held.size > 0) await this.#room();
  }

  /** When the server knows its actions, or it was closed before. */
  get whenAnnounced(): Promise<void> {
    return this.#announcing;
  }

  /** What it has now. */
  get leases(): readonly string[] {
    return [...this.#held.values()].map(({ lease }) => lease);
  }

  /** Tasks that it was given since it began. */
  get begun(): number {
    return this.#begun;
  }

  /** Leases nothing more, lets what is under way finish for `graceMs`, and hands the rest back. */
  close({ graceMs = 10_000 }: { readonly graceMs?: number } = {}): Promise<void> {
    this.#closing ??= this.#close(graceMs);
    return this.#closing;
  }

  /** Stops as in a crash: nothing is told to the server, which gives its tasks to others when their leases end. */
  abandon(): void {
    this.#closing ??= Promise.resolve();
    this.#leaving.abort();
    this.#pulse.stop();
    this.#reporter.stop();
    void this.#executor.close(0);
  }

  // WC1: who closes leases nothing more, lets what is under way finish, tells what it came to, and hands the rest back.
  // A server that is away holds it up for no longer than it has.
  async #close(graceMs: number): Promise<void> {
    this.#leaving.abort();
    this.#onRoom?.();
    await this.#working;
    await this.#executor.close(graceMs);
    const farewell = new AbortController();
    const cancel = this.#clock.schedule(this.#clock.now() + Math.max(graceMs, tellMsMin), () =>
      farewell.abort(unheard()),
    );
    await Promise.race([this.#reporter.whenIdle(), whenAborted(farewell.signal)]);
    this.#reporter.stop();
    this.#pulse.stop();
    await this.#handBack(farewell.signal);
    cancel();
  }

  async #handBack(signal: AbortSignal): Promise<void> {
    const tasks = this.leases.map((lease) => ({ lease }));
    this.#held.clear();
    try {
      for (let from = 0; from < tasks.length; from += tasksPerRequest)
        await this.#transport.call('releaseTasks', { tasks: tasks.slice(from, from + tasksPerRequest) }, { signal });
    } catch (error) {
      this.#tell(error); // a server that is not there finds out when the leases end
    }
  }

  // ---------------------------------------------------------------------------------------------------------- leasing

  async #work(): Promise<void> {
    const actions = [...this.#announced.map(({ name }) => name), ...(this.#options.names ?? [])];
    if (actions.length === 0) return;
    let delayMs = retryDelayMs;
    for (let isAnnounced = false; !this.#leaving.signal.aborted; ) {
      try {
        if (!isAnnounced) await this.#announce();
        isAnnounced = true;
        this.#onAnnounced();
        await this.#leaseSome(actions);
        delayMs = retryDelayMs;
      } catch (error) {
        if (this.#leaving.signal.aborted) return;
        // A server that was away may have forgotten who we are.
        isAnnounced = false;
        this.#tell(error);
        await this.#sleep(delayMs);
        delayMs = Math.min(2 * delayMs, retryDelayMsMax);
      }
    }
  }

  async #announce(): Promise<void> {
    const request = { worker: this.#name, actions: this.#announced };
    await this.#transport.call('announceActions', request, { signal: this.#leaving.signal });
  }

  async #leaseSome(actions: readonly string[]): Promise<void> {
    const { capacity = capacityDefault, leaseMs = leaseMsDefault } = this.#options;
    const max = Math.min(capacity - this.#held.size, tasksPerRequest);
    if (max <= 0) return this.#room();
    const { confirmMs } = this.#pulse;
    const request = { actions, max, leaseMs, confirmMs, waitMs: pollMs, worker: this.#name };
    const { tasks } = await this.#transport.call('leaseTasks', request, { signal: this.#leaving.signal });
    for (const task of tasks) this.#begin(task);
  }

  get #name(): string {
    return this.#options.name ?? 'worker';
  }

  #room(): Promise<void> {
    return new Promise((resolve) => {
      this.#onRoom = resolve;
      if (this.#leaving.signal.aborted) resolve();
    });
  }

  #begin({ lease, limits, ...task }: LeasedTask): void {
    this.#begun += 1;
    this.#held.set(keyOf(task), { lease, link: new TaskLink(this.#transport, lease) });
    this.#executor.dispatch({ ...task, limits: { ...defaultLimits, ...limits } });
    this.#pulse.begin(lease);
  }

  // --------------------------------------------------------------------------------------------------------- reporting

  #report(task: Task, outcome: TaskOutcome): void {
    const held = this.#held.get(keyOf(task));
    if (held === undefined) return;
    this.#reporter.add({ key: keyOf(task), words: this.#wordsOf(held.lease, task, outcome) });
  }

  #wordsOf(lease: string, { action }: Task, outcome: TaskOutcome): FinishedTask {
    if (outcome.type === 'completed') return { lease, output: outcome.output };
    const { failure, retryable, retryAfterMs, retry } = outcome;
    const { code, message, details, thrown } = failure;
    const error = { code, message, ...given({ details }), ...thrown };
    // The server knows the policy of an action that was announced.
    const isKnown = this.#announced.some(({ name }) => name === action);
    const policy = isKnown || retry === null ? {} : { retry: writtenPolicy(retry) };
    return { lease, error, retryable, retryAfterMs, ...policy };
  }

  /** Those that the server could not take now. */
  async #send(reports: readonly Report[]): Promise<readonly Report[]> {
    const { tasks } = await this.#transport.call('finishTasks', { tasks: reports.map(({ words }) => words) });
    return reports.filter((report, index) => {
      const error = tasks[index]?.error;
      if (error !== undefined) this.#tell(new HeddleError(error.code, error.message));
      if (error !== undefined && !isOver.has(error.code)) return true;
      this.#drop(report);
      return false;
    });
  }

  /** The task fails with why its result was refused, or with the bare error; if even that is refused, its lease ends. */
  #refuse(report: Report, refusal: HeddleError): void {
    const { key, words } = report;
    this.#tell(refusal);
    if ('output' in words) {
      const { lease } = words;
      this.#reporter.add({ key, words: { lease, error: bareError(refusal), retryable: false } });
    } else if (isBare(words.error)) this.#drop(report);
    else this.#reporter.add({ key, words: { ...words, error: bareError(words.error) } });
  }

  /** A newer lease of the same task stays. */
  #drop({ key, words }: Report): void {
    if (this.#held.get(key)?.lease === words.lease) this.#held.delete(key);
    this.#pulse.settle(words.lease);
    this.#onRoom?.();
  }

  // -------------------------------------------------------------------------------------------------------- signs of life

  /** Says now that it is alive, and stops what nobody wants any more; it does so by itself, three times in every lease. */
  heartbeat(): Promise<void> {
    return this.#pulse.beat();
  }

  #tellProgress(progress: TaskProgress): void {
    const held = this.#held.get(keyOf(progress));
    if (held !== undefined) this.#pulse.tell(held.lease, progress);
  }

  /** WC2: a task whose result nobody wants any more is aborted. */
  #stopUnwanted(unwanted: ReadonlySet<string>): void {
    for (const [key, { lease }] of this.#held) {
      if (!unwanted.has(lease)) continue;
      this.#held.delete(key);
      const [runId = '', tokenId] = key.split('/');
      this.#executor.abort(runId, Number(tokenId));
    }
    this.#onRoom?.();
  }

  #linkOf(task: Task): TaskLink {
    const held = this.#held.get(keyOf(task));
    if (held !== undefined) return held.link;
    throw new HeddleError('LEASE_LOST', `Expected the lease of a task of run ${task.runId}, but it was lost`);
  }

  #sleep(ms: number): Promise<void> {
    const { signal } = this.#leaving;
    return new Promise((resolve) => {
      const wake = (): void => {
        cancel();
        signal.removeEventListener('abort', wake);
        resolve();
      };
      const cancel = this.#clock.schedule(this.#clock.now() + ms, wake);
      signal.addEventListener('abort', wake);
    });
  }

  #tell(error: unknown): void {
    this.#options.onError?.(error instanceof Error ? error : new Error(String(error)));
  }
}

const bareError = ({ code, message }: Pick<TaskError, 'code' | 'message'>): TaskError => ({
  ...given({ code }),
  message: message.slice(0, errorLengthMax),
});

const isBare = ({ code: _, message, ...more }: TaskError): boolean =>
  message.length <= errorLengthMax && Object.keys(more).length === 0;

function writtenPolicy({ retryableErrors, ...policy }: RetryPolicy): RetryDefinition {
  return { ...policy, ...(retryableErrors === null ? {} : { retryableErrors }) };
}

function unheard(): HeddleError {
  const message =
    'Expected an answer before the worker closes, but there was none; the server finds out when leases end';
  return new HeddleError('SERVER_UNREACHABLE', message);
}

const whenAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve()));

const keyOf = ({ runId, tokenId }: Pick<Task, 'runId' | 'tokenId'>): string => `${runId}/${tokenId}`;

/** CT6: a worker does work; what graphs become is said where they are registered. */
function refuseCompiled(nodeTypes: NodeTypes = {}): void {
  const [name] = Object.entries(nodeTypes).find(([, type]) => type instanceof CompiledType) ?? [];
  if (name === undefined) return;
  const message = `Expected node types that do work, but "${name}" compiles to others: give it to the engine that registers graphs`;
  throw new HeddleError('OPTION_INVALID', message);
}
