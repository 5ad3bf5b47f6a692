// Executor: what the actor asks of whoever does tasks, and what they report. It holds no rule of behaviour.

import type { Json, JsonObject } from '../../base/json.ts';
import type { HandOut, TaskOutcome, Unavailable } from '../../core/commands.ts';
import type { RememberedStep } from '../../core/events.ts';
import type { Limits } from '../../definition/limits.ts';

export interface Task {
  readonly runId: string;
  readonly tokenId: number;
  readonly nodeId: string;
  readonly workflow: string;
  readonly version: number;
  readonly action: string;
  readonly actionVersion: number | null;
  readonly input: Json;
  readonly attempt: number;
  /** Rises at every hand-out: a result is accepted from the newest only. */
  readonly dispatch: number;
  /** One for all attempts of the task. */
  readonly idempotencyKey: string;
  /** The node's; the action's own applies if null. */
  readonly timeoutMs: number | null;
  /** Those of the workflow, which may be lower than the engine's. */
  readonly limits: Limits;
  /** What started the run, and how deep in a chain of triggers it is. */
  readonly trigger: JsonObject | null;
  /** Runs whose artifacts may be read: its own first. */
  readonly artifactRuns: readonly string[];
  /** What earlier hand-outs of it have finished; absent if there is nothing. */
  readonly steps?: readonly RememberedStep[];
}

export type { TaskOutcome };

/** Runs single attempts; never retries; reports each task at most once, and never one that was aborted. */
export interface Executor {
  /** Nothing waits or is running: no report can come. */
  readonly isIdle: boolean;
  dispatch(task: Task): void;
  /** The result is no longer wanted: abort the signal, free the place in the queue. Unknown tasks are ignored. */
  abort(runId: string, tokenId: number): void;
  /** Tasks of a run that others do, outside this process: they have outlived the host that handed them out. */
  heldTasks?(runId: string): readonly HandOut[];
  /** Whether a task of this action waits for somebody outside, and nobody ever had it in its newest hand-out. */
  isUnclaimed?(action: string, handOut: Pick<Task, 'runId' | 'tokenId' | 'dispatch'>): boolean;
  /** Whether a task of this action would find somebody who has it, or who may. */
  has?(action: string, version: number | null): boolean;
  /** Waits until what is running has ended, at most `graceMs`, then aborts it. */
  close(graceMs: number): Promise<void>;
}

/** Durable when it answers; rejects if the hand-out is not the newest any more, or has no room for the step. */
export type RememberStep = (task: Task, step: RememberedStep) => Promise<void>;

export type Report = (task: Task, outcome: TaskOutcome | Unavailable) => void;
