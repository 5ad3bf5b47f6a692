// Crew: the actions of a process for several engines, the shards of a fleet that it owns. What a task asks for, and what it came
// to, goes to the shard of its run. Rule SH11.
//
// Always true: a shard may join and leave while others work; with the last the crew closes.

import type { Task } from '../actor/ports.ts';
import { shardOf } from '../base/shard.ts';
import { createRegistry, type ExecutorOptions, refuseToPublish, refuseToRemember } from './executor.ts';
import { MissingNames } from './missing-names.ts';
import { nobodyOutside, type Outside } from './outside.ts';
import { Pool } from './pool.ts';
import type { KnownOutside, Registry, RegistryOptions } from './registry.ts';
import { TaskRouter } from './task-router.ts';

interface Shared {
  readonly pool: Pool;
  readonly missing: MissingNames;
}

export class Crew {
  /** Whoever has joined and not left; among them, by shard, to whom its tasks are reported. */
  readonly #joined = new Set<ExecutorOptions>();
  readonly #members = new Map<number, ExecutorOptions>();
  #registry: Registry | null = null;
  #shared: Shared | null = null;

  /** The first makes it; of actions outside it knows what any member knows. */
  registry(options: RegistryOptions): Registry {
    this.#registry ??= createRegistry({ ...options, outside: this.#knownOutside });
    return this.#registry;
  }

  /** SH11: what hands out the tasks of one shard, with the registry, the pool and the limits of all. */
  join(shard: number, options: ExecutorOptions): TaskRouter {
    this.#joined.add(options);
    this.#members.set(shard, options);
    this.#shared ??= this.#make(options);
    const { pool, missing } = this.#shared;
    const close = (graceMs: number): Promise<void> => this.#leave(shard, options, graceMs);
    return new TaskRouter({ registry: options.registry, missing, pool, close, outside: outsideOf(options) });
  }

  async #leave(shard: number, options: ExecutorOptions, graceMs: number): Promise<void> {
    const { pool } = this.#shared as Shared; // it has joined
    await pool.leave(({ runId }) => shardOf(runId) === shard, graceMs);
    this.#joined.delete(options);
    if (this.#joined.size > 0) return;
    options.registry.close();
    await pool.close(0);
  }

  /** Every member has an office for workers, or none has; what is announced to one is announced to all. */
  get #knownOutside(): KnownOutside {
    const any = (): KnownOutside =>
      [...this.#joined].map(outsideOf).find((outside) => outside !== nobodyOutside) ?? nobodyOutside;
    return {
      takes: (action) => any().takes(action),
      takenNames: () => any().takenNames(),
      costOf: (action) => any().costOf(action),
      schemasOf: (action) => any().schemasOf(action),
    };
  }

  /** No action waits or is running. */
  get isIdle(): boolean {
    return this.#shared?.pool.isIdle ?? true;
  }

  /** Actions that nobody had may be there by now; `isNews`: also those that no task has waited for. */
  find(names: readonly string[], isNews: boolean): void {
    this.#shared?.missing.find(names, isNews);
  }

  #make({ clock, limits, registry, vault }: ExecutorOptions): Shared {
    const of = ({ runId }: Pick<Task, 'runId'>): ExecutorOptions =>
      this.#members.get(shardOf(runId)) as ExecutorOptions; // which handed it out
    const missing = new MissingNames({
      clock,
      registry,
      onMissing: (task, failure) => of(task).onMissing?.(task, failure),
      onFound: (names) => {
        for (const { onFound } of this.#joined) onFound?.(names);
      },
    });
    const pool = new Pool({
      clock,
      limits,
      registry,
      missing,
      vault: vault ?? null,
      artifactsFor: (task, secrets) => of(task).artifactsFor(task, secrets),
      publish: (task, ...event) => (of(task).publish ?? refuseToPublish)(task, ...event),
      remember: (task, step) => (of(task).remember ?? refuseToRemember)(task, step),
      report: (task, outcome) => of(task).report(task, outcome),
      handOn: (task) => outsideOf(of(task)).dispatch(task),
      onProgress: (progress) => of(progress).onProgress?.(progress),
    });
    return { pool, missing };
  }
}

const outsideOf = ({ outside }: ExecutorOptions): Outside => outside ?? nobodyOutside;
