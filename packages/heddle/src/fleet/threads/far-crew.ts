// Far crew: in the thread of a shard, what stands for the actions of the main thread. The registry knows them by their facts;
// tasks go there, and what they ask for and come to comes back.
//
// Always true: a task is reported at most once, and never after it was aborted, whatever is on its way between the threads.

import type { Progress } from '../../actor/observers.ts';
import type { Task } from '../../actor/ports.ts';
import { InvariantError } from '../../base/assert.ts';
import type { Failure } from '../../base/failure.ts';
import type { RememberedStep } from '../../core/events.ts';
import type { ActionArtifacts, Publish } from '../../executor/action.ts';
import type { Crew } from '../../executor/crew.ts';
import { createRegistry, type ExecutorOptions, refuseToPublish, refuseToRemember } from '../../executor/executor.ts';
import { nobodyOutside } from '../../executor/outside.ts';
import type { Registry, RegistryOptions } from '../../executor/registry.ts';
import { TaskRouter, type TaskRouterOptions } from '../../executor/task-router.ts';
import { type ActionFact, standInFor } from './action-facts.ts';
import { type CrossingTask, keyOf, type Named, type Progressed, type Reported, TaskPacker } from './crossing-task.ts';
import type { Handlers, Line } from './line.ts';

/** A task that the main thread has. */
interface Away {
  readonly task: Task;
  isExecuting: boolean;
  progress: Progress | null;
}

interface FarCrewOptions {
  readonly facts: readonly ActionFact[];
  /** Whether the main thread may load more. */
  readonly isLoading: boolean;
}

export class FarCrew implements Pick<Crew, 'registry' | 'join'> {
  readonly #line: Line;
  readonly #facts: Map<string, ActionFact>;
  readonly #isLoading: boolean;
  #registry: Registry | null = null;
  #pool: FarPool | null = null;

  constructor(line: Line, { facts, isLoading }: FarCrewOptions) {
    this.#line = line;
    this.#facts = new Map(facts.map((fact) => [fact.name, fact]));
    this.#isLoading = isLoading;
  }

  registry(options: RegistryOptions): Registry {
    const known = [...this.#facts].map(([name, fact]) => [name, standInFor(fact)] as const);
    this.#registry ??= createRegistry({
      ...options,
      builtIns: { ...options.builtIns, ...Object.fromEntries(known) },
      loadAction: this.#isLoading ? (name) => this.#learned(name) : undefined,
    });
    return this.#registry;
  }

  #learned(name: string): ReturnType<typeof standInFor> | null {
    const fact = this.#facts.get(name);
    return fact === undefined ? null : standInFor(fact);
  }

  join(_: number, options: ExecutorOptions): TaskRouter {
    const line = this.#line;
    const pool = new FarPool(line, options);
    this.#pool = pool;
    // What is missing is known where it is looked for.
    const missing: TaskRouterOptions['missing'] = {
      names: new Set(),
      find: (names, isNews) => line.tell('find', names, isNews),
      askAgain: () => undefined,
    };
    const { registry, outside } = options;
    const close = (graceMs: number): Promise<void> => {
      registry.close();
      return pool.close(graceMs);
    };
    return new TaskRouter({ registry, missing, pool, close, outside: outside ?? nobodyOutside });
  }

  /** What the main thread says of actions and tasks. */
  readonly handlers: Handlers = {
    started: ([tasks]: readonly [readonly Named[]]) => this.#here.started(tasks),
    reported: ([task, outcome]: Reported) => this.#here.reported(task, outcome),
    progressed: ([task, progress]: Progressed) => this.#here.progressed(task, progress),
    handedOn: ([task]: readonly [Named]) => this.#here.handedOn(task),
    missing: ([task, failure]: readonly [CrossingTask, Failure]) => this.#here.missing(task, failure),
    found: ([names]: readonly [readonly string[]]) => this.#here.options.onFound?.(names),
    publish: ([task, ...event]: readonly [CrossingTask, ...Parameters<Publish>]) => this.#here.publish(task, event),
    remember: ([task, step]: readonly [CrossingTask, RememberedStep]) => this.#here.remember(task, step),
    artifacts: ([task, ask]: readonly [CrossingTask, ArtifactAsk]) => this.#here.artifacts(task, ask),
    loaded: ([fact]: readonly [ActionFact]) => this.#learn(fact),
  };

  /** An action that the main thread has loaded. */
  #learn(fact: ActionFact): void {
    this.#facts.set(fact.name, fact);
    void this.#registry?.resolve(fact.name);
  }

  get #here(): FarPool {
    if (this.#pool) return this.#pool;
    throw new InvariantError('Expected an engine before the first word about its tasks, but there is none');
  }
}

export type ArtifactAsk =
  | readonly [what: 'put', ...Parameters<ActionArtifacts['put']>]
  | readonly [what: 'get', ...Parameters<ActionArtifacts['get']>]
  | readonly [what: 'list'];

type PoolPart = TaskRouterOptions['pool'];

class FarPool implements PoolPart {
  readonly options: ExecutorOptions;
  readonly #line: Line;
  readonly #packer: TaskPacker;
  readonly #away = new Map<string, Away>();

  constructor(line: Line, options: ExecutorOptions) {
    this.#line = line;
    this.options = options;
    this.#packer = new TaskPacker(options.limits);
  }

  // ------------------------------------------------------------------------------------------- for the router

  dispatch(task: Task): void {
    const key = keyOf(task.runId, task.tokenId);
    const earlier = this.#away.get(key);
    if (earlier !== undefined && earlier.task.dispatch >= task.dispatch) return;
    this.#away.set(key, { task, isExecuting: false, progress: null });
    this.#line.tell('task', this.#packer.pack(task));
  }

  abort(runId: string, tokenId: number): void {
    if (this.#away.delete(keyOf(runId, tokenId))) this.#line.tell('abort', runId, tokenId);
  }

  close(graceMs: number): Promise<void> {
    return this.#line.ask('closeActions', [graceMs]);
  }

  get isIdle(): boolean {
    return this.#away.size === 0;
  }

  isExecuting(runId: string, tokenId: number): boolean {
    return this.#away.get(keyOf(runId, tokenId))?.isExecuting ?? false;
  }

  progressOf(runId: string, tokenId: number): Progress | null {
    return this.#away.get(keyOf(runId, tokenId))?.progress ?? null;
  }

  /** An action that continues after its task is over is counted where it is. */
  counts() {
    const running = [...this.#away.values()].filter(({ isExecuting }) => isExecuting).length;
    return { queued: this.#away.size - running, running, zombies: 0 };
  }

  // -------------------------------------------------------------------------------------- from the main thread

  started(tasks: readonly Named[]): void {
    for (const named of tasks) {
      const away = this.#find(named);
      if (away) away.isExecuting = true;
    }
  }

  reported(...[named, outcome]: Reported): void {
    const task = this.#take(named);
    if (task) this.options.report(task, outcome);
  }

  progressed(...[{ dispatch }, progress]: Progressed): void {
    const away = this.#find({ ...progress, dispatch });
    if (!away) return;
    away.progress = progress;
    this.options.onProgress?.(progress);
  }

  /** Nobody there has its action: it is for workers. */
  handedOn(named: Named): void {
    const task = this.#take(named);
    if (task) (this.options.outside ?? nobodyOutside).dispatch(task);
  }

  missing(task: CrossingTask, failure: Failure): void {
    this.options.onMissing?.(this.#packer.unpack(task), failure);
  }

  publish(task: CrossingTask, event: Parameters<Publish>): ReturnType<Publish> {
    return (this.options.publish ?? refuseToPublish)(this.#packer.unpack(task), ...event);
  }

  remember(task: CrossingTask, step: RememberedStep): Promise<void> {
    return (this.options.remember ?? refuseToRemember)(this.#packer.unpack(task), step);
  }

  artifacts(task: CrossingTask, ask: ArtifactAsk): Promise<unknown> {
    const artifacts = this.options.artifactsFor(this.#packer.unpack(task), null);
    if (ask[0] === 'put') return artifacts.put(ask[1], ask[2]);
    return ask[0] === 'get' ? artifacts.get(ask[1]) : artifacts.list();
  }

  /** Undefined if it was aborted, or handed out again: then nobody wants to know. */
  #find({ runId, tokenId, dispatch }: Named): Away | undefined {
    const away = this.#away.get(keyOf(runId, tokenId));
    return away?.task.dispatch === dispatch ? away : undefined;
  }

  #take(named: Named): Task | undefined {
    const away = this.#find(named);
    if (away) this.#away.delete(keyOf(named.runId, named.tokenId));
    return away?.task;
  }
}
