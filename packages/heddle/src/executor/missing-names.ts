// Missing names: the actions that tasks were meant for and nobody has, and whether somebody has them by now. Rules EX22,
// EX24.
//
// Always true: it holds names alone, no more than definitions have; the tasks wait in their runs.

import type { Clock, Task } from '../actor/ports.ts';
import type { Failure } from '../base/failure.ts';
import type { ResolvedAction } from './compile-action.ts';
import type { Registry } from './registry.ts';
import { servesVersion, wrongVersion } from './take-input.ts';

export interface MissingNamesOptions {
  readonly clock: Clock;
  readonly registry: Registry;
  /** Nobody has the action of a task: told once for each name, until it is found. */
  readonly onMissing: (task: Task, failure: Failure) => void;
  /** Actions that nobody had are there. */
  readonly onFound: (names: readonly string[]) => void;
}

// EX26: `loadAction` is asked again with other work, at most so often; no timer is set, so nothing keeps a process alive.
/** `loadAction` is asked again no sooner, and only while there is other work: nothing keeps a process alive for it. */
const askAgainMs = 30_000;

export class MissingNames {
  readonly #options: MissingNamesOptions;
  readonly names = new Set<string>();
  #askedAt = 0;

  constructor(options: MissingNamesOptions) {
    this.#options = options;
  }

  /** Why a task cannot be done now; null if it can. */
  failureOf(task: Task, action: ResolvedAction): Failure | null {
    if (action.type === 'missing') return this.#note(task, action.failure, true);
    // A version that is not here counts as missing; only another process can bring it.
    const isServed = action.type !== 'ready' || servesVersion(action, task.actionVersion);
    if (isServed || !this.#options.registry.waitsForMissing) return null;
    return this.#note(task, wrongVersion(action, task.actionVersion).failure, false);
  }

  // EX24: whoever watches is told once for each action that is missing.
  #note(task: Task, failure: Failure, canCome: boolean): Failure {
    const { action, actionVersion } = task;
    const name = canCome ? action : `${action} ${actionVersion}`;
    if (!this.names.has(name)) this.#options.onMissing(task, failure);
    if (this.names.size === 0) this.#askedAt = this.#options.clock.now();
    this.names.add(name);
    return failure;
  }

  /** They are there: runs whose tasks wait for them are told. `isNews`: whatever was missing since this process began. */
  find(names: readonly string[], isNews = false): void {
    const found = names.filter((name) => this.names.delete(name) || isNews);
    if (found.length > 0) this.#options.onFound(found);
  }

  /** To be called while there are some. */
  askAgain(): void {
    const { clock, registry } = this.#options;
    if (clock.now() - this.#askedAt < askAgainMs) return;
    this.#askedAt = clock.now();
    for (const name of this.names) void this.#ask(name, registry);
  }

  async #ask(name: string, registry: Registry): Promise<void> {
    const { type } = await registry.resolve(name);
    if (type === 'ready' || type === 'outside') this.find([name]);
  }
}
