// Outside: where tasks go whose action is not done in this process. The executor hands them on and forgets them.

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
  /** Gives nothing more out; who has a task keeps it. */
  stop(): void;
}
