// Task router: hands each task to whoever does it, the pool of this process or the workers outside.
//
// Always true: a task is with one of the two. The pool has one whose action must be loaded first; if it turns out that
// nobody here has that action, the pool hands it on.

import type { Progress } from '../actor/observers.ts';
import type { Executor, Task } from '../actor/ports.ts';
import type { HandOut } from '../core/commands.ts';
import type { MissingNames } from './missing-names.ts';
import { nobodyOutside, type Outside } from './outside.ts';
import type { Counts, Pool } from './pool.ts';
import type { Registry } from './registry.ts';

export interface TaskRouterOptions {
  readonly registry: Registry;
  readonly missing: Pick<MissingNames, 'names' | 'find' | 'askAgain'>;
  /** Of this process; in the thread of a shard, what leads to it. */
  readonly pool: Pick<Pool, 'dispatch' | 'abort' | 'close' | 'isIdle' | 'isExecuting' | 'progressOf' | 'counts'>;
  readonly outside: Outside;
  /** Lets what runs end for so long. */
  readonly close: (graceMs: number) => Promise<void>;
}

export class TaskRouter implements Executor {
  readonly #registry: Registry;
  readonly #missing: TaskRouterOptions['missing'];
  readonly #pool: TaskRouterOptions['pool'];
  readonly #outside: Outside;
  readonly #close: (graceMs: number) => Promise<void>;
  #isClosing = false;

  constructor({ registry, missing, pool, outside, close }: TaskRouterOptions) {
    this.#registry = registry;
    this.#missing = missing;
    this.#pool = pool;
    this.#outside = outside;
    this.#close = close;
    outside.onTaken((names) => missing.find(names, true));
  }

  /** Actions that tasks were meant for, since this process began, and nobody has. */
  get missingActions(): ReadonlySet<string> {
    return this.#missing.names;
  }

  dispatch(task: Task): void {
    if (this.#isClosing) return;
    if (this.#missing.names.size > 0) this.#missing.askAgain();
    const isOutside = this.#registry.isOutside(task.action);
    // An action that was loaded or announced since may have been on the other side before.
    if (task.dispatch > 1) (isOutside ? this.#pool : this.#outside).abort(task.runId, task.tokenId);
    (isOutside ? this.#outside : this.#pool).dispatch(task);
  }

  abort(runId: string, tokenId: number): void {
    this.#pool.abort(runId, tokenId);
    this.#outside.abort(runId, tokenId);
  }

  close(graceMs: number): Promise<void> {
    this.#isClosing = true;
    this.#outside.stop();
    return this.#close(graceMs);
  }

  /** With workers outside there is always somebody on the way: they, and whoever starts runs, come over a network. */
  get isIdle(): boolean {
    return this.#outside === nobodyOutside && this.#pool.isIdle;
  }

  has(action: string, version: number | null): boolean {
    return this.#registry.has(action, version);
  }

  /** Whether the task's action has been called and its result is awaited. */
  isExecuting(runId: string, tokenId: number): boolean {
    return this.#pool.isExecuting(runId, tokenId) || this.#outside.isExecuting(runId, tokenId);
  }

  /** What the task has told last of how far it is. */
  progressOf(runId: string, tokenId: number): Progress | null {
    return this.#pool.progressOf(runId, tokenId) ?? this.#outside.progressOf(runId, tokenId);
  }

  heldTasks(runId: string): readonly HandOut[] {
    return this.#outside.heldTasks(runId);
  }

  isUnclaimed(action: string, handOut: Pick<Task, 'runId' | 'tokenId' | 'dispatch'>): boolean {
    return this.#registry.isOutside(action) && this.#outside.isUnclaimed(handOut);
  }

  /** Of the tasks in this process. */
  counts(): Counts {
    return this.#pool.counts();
  }
}
