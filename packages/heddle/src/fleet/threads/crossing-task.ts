// Crossing task: a task as it goes from the thread of a shard to the main thread, and the words that one of them has for the
// other. Limits are more than all the rest of a task, and mostly those of the engine: only what differs goes along.

import type { TaskProgress } from '../../actor/observers.ts';
import type { Task, TaskOutcome } from '../../actor/ports.ts';
import type { Unavailable } from '../../core/commands.ts';
import type { Limits } from '../../definition/limits.ts';

export interface CrossingTask extends Omit<Task, 'limits'> {
  /** Absent: those of the engine. */
  readonly lowered?: Partial<Limits>;
}

/** Which hand-out of which task. */
export type Named = Pick<Task, 'runId' | 'tokenId' | 'dispatch'>;

export type Reported = readonly [task: Named, outcome: TaskOutcome | Unavailable];
export type Progressed = readonly [task: Pick<Named, 'dispatch'>, progress: TaskProgress];

export const nameOf = ({ runId, tokenId, dispatch }: Named): Named => ({ runId, tokenId, dispatch });
export const keyOf = (runId: string, tokenId: number): string => `${runId}/${tokenId}`;

/** Of the graphs of one engine. */
export class TaskPacker {
  readonly #engine: Limits;
  readonly #lowered = new WeakMap<Limits, Partial<Limits>>();

  constructor(engine: Limits) {
    this.#engine = engine;
  }

  /** Written out: taking an object apart by name costs more than sending it. */
  pack(task: Task): CrossingTask {
    const { limits } = task;
    return {
      runId: task.runId,
      tokenId: task.tokenId,
      nodeId: task.nodeId,
      workflow: task.workflow,
      version: task.version,
      action: task.action,
      actionVersion: task.actionVersion,
      input: task.input,
      attempt: task.attempt,
      dispatch: task.dispatch,
      idempotencyKey: task.idempotencyKey,
      timeoutMs: task.timeoutMs,
      trigger: task.trigger,
      artifactRuns: task.artifactRuns,
      ...(task.steps === undefined ? {} : { steps: task.steps }),
      ...(limits === this.#engine ? {} : { lowered: this.#loweredOf(limits) }),
    };
  }

  /** For what is asked in the name of a task: its input and steps stay. */
  packName({ steps: _, ...task }: Task): CrossingTask {
    return this.pack({ ...task, input: null });
  }

  #loweredOf(limits: Limits): Partial<Limits> {
    const lowered = this.#lowered.get(limits) ?? differing(limits, this.#engine);
    this.#lowered.set(limits, lowered);
    return lowered;
  }

  /** The same object: whoever has received it owns it. */
  unpack(crossing: CrossingTask): Task {
    const { lowered } = crossing;
    return Object.assign(crossing, { limits: lowered ? { ...this.#engine, ...lowered } : this.#engine });
  }
}

function differing(limits: Limits, engine: Limits): Partial<Limits> {
  const names = Object.keys(limits) as (keyof Limits)[]; // it has no others
  return Object.fromEntries(names.filter((name) => limits[name] !== engine[name]).map((name) => [name, limits[name]]));
}
