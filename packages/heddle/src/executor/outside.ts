// Outside: where tasks go whose action is not done in this process. The router hands them over and forgets them.

import type { Progress } from '../actor/observers.ts';
import type { Task } from '../actor/ports.ts';
import type { HandOut } from '../core/commands.ts';
import type { ActionSchemas } from '../definition/flow/known-schemas.ts';

export interface Outside {
  /** Whether tasks of an action that is not here are for somebody outside. */
  takes(action: string): boolean;
  /** All that it takes; null if that is not known. */
  takenNames(): readonly string[] | null;
  /** A newer hand-out of a task takes the place of an older one. */
  dispatch(task: Task): void;
  /** The result is no longer wanted. */
  abort(runId: string, tokenId: number): void;
  isExecuting(runId: string, tokenId: number): boolean;
  progressOf(runId: string, tokenId: number): Progress | null;
  heldTasks(runId: string): readonly HandOut[];
  /** Whether nobody ever had the newest hand-out of this task. */
  isUnclaimed(handOut: Pick<Task, 'runId' | 'tokenId' | 'dispatch'>): boolean;
  /** What an action costs that somebody has announced. */
  costOf(action: string): number;
  /** What somebody has announced of what an action takes and gives. */
  schemasOf: ActionSchemas;
  /** Calls back when somebody outside has further actions, or other versions of them. */
  onTaken(listener: (names: readonly string[]) => void): void;
  /** Gives nothing more out; who has a task keeps it. */
  stop(): void;
}

/** For an executor that has no workers: it takes nothing, so that nothing is handed to it. */
export const nobodyOutside: Outside = {
  takes: () => false,
  takenNames: () => [],
  dispatch: () => undefined,
  abort: () => undefined,
  isExecuting: () => false,
  progressOf: () => null,
  heldTasks: () => [],
  isUnclaimed: () => false,
  costOf: () => 0,
  schemasOf: () => undefined,
  onTaken: () => undefined,
  stop: () => undefined,
};
