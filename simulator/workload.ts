// Workload: what one simulated world is given to do, and who knows what must come of it. Each kind (token programs,
// dataflow, thread, handle, wild graphs) makes its own from dice; the world only plays it.
//
// Always true: a workload is a function of its dice; `answer` is a function of the call.

import type { Store } from '../packages/heddle/src/actor/ports.ts';
import type { Json, JsonObject } from '../packages/heddle/src/base/json.ts';
import type { RunEvent } from '../packages/heddle/src/core/run-event.ts';
import type { Limits } from '../packages/heddle/src/definition/limits.ts';
import type { ActionContext } from '../packages/heddle/src/executor/action.ts';
import type { ClientOperation, ClientRequest } from '../packages/heddle/src/simulation/client.ts';
import type { Dice } from '../packages/heddle/src/simulation/dice.ts';
import type { AskedPrompt, OutsideEvent, Start } from '../packages/heddle/src/simulation/play.ts';

export interface Workload {
  readonly kind: string;
  /** Has an oracle: what comes out is known. Otherwise only the invariants hold. */
  readonly isSound: boolean;
  /** Registered in this order; a sound one registers without errors, a wild one need not. */
  readonly definitions: readonly Json[];
  /** The world starts these, in random order and at random times, each under its own idempotency key. */
  readonly starts: readonly Start[];
  /** What the world's one worker answers to a task. All actions of a workload are named in `actions`. */
  readonly actions: readonly string[];
  answer(call: Call): Answer;
  /** What a worker does before it answers. */
  prepare?(context: ActionContext): Promise<void>;
  /** What a person answers to a prompt of the run at this node. Absent: an empty object. */
  reply?(prompt: AskedPrompt): Json;
  /** Events that the outside world publishes now and then, each at least once, and on until every run has ended. */
  readonly outsideEvents?: readonly OutsideEvent[];
  /** What clients ask before the first start, and at some time. */
  readonly preparations?: readonly ClientRequest[];
  readonly requests?: readonly ClientRequest[];
  /** Under how many keys runs that have failed are retried; absent: they are not. */
  readonly retryKeys?: number;
  /** Limits of the engine that are lower than the defaults. */
  readonly limits?: Partial<Limits>;
  /** Codes of errors that the engine is to tell of. */
  readonly errors?: readonly string[];
  /** Compares a run with what its oracle says, given only what could not be foreseen: null, or what is wrong. */
  check(run: RunRecord, world: readonly RunRecord[]): string | null;
  /** The same for what is not one run's. */
  checkWorld?(ended: EndedWorld): Promise<string | null>;
}

export interface Call {
  readonly action: string;
  readonly input: Json;
  readonly attempt: number;
  readonly nodeId: string;
  readonly workflow: string;
  readonly runId: string;
  readonly tokenId: number;
}

/** `delayMs`: how long it takes, in virtual time. The world may make it slower, or let the worker die (the engine lost). */
export type Answer =
  | { readonly type: 'complete'; readonly output: unknown; readonly delayMs: number }
  | {
      readonly type: 'fail';
      readonly code: string;
      readonly message: string;
      readonly retryable: boolean;
      readonly delayMs: number;
    };

/** A run as it was at the end, with its whole journal. */
export interface RunRecord {
  readonly runId: string;
  readonly workflow: string;
  readonly version: number;
  readonly parentRunId: string | null;
  readonly rootRunId: string;
  readonly input: JsonObject;
  readonly status: string;
  readonly output: Json | undefined;
  readonly error: JsonObject | null;
  /** The run's shared state at its end. */
  readonly state: JsonObject;
  readonly quarantine: string | null;
  readonly nextTimerAt: number | null;
  readonly events: readonly RunEvent[];
}

/** A world in which everything has ended. */
export interface EndedWorld {
  readonly runs: readonly RunRecord[];
  readonly operations: readonly ClientOperation[];
  /** One for each shard. */
  readonly stores: readonly Store[];
  /** Several processes shared the shards: one that has lost a shard may not know it yet. */
  readonly isShared: boolean;
  /** Those that have struck. */
  readonly faults: ReadonlyMap<string, number>;
}

/** Makes workloads of one kind. */
export type MakeWorkload = (dice: Dice) => Workload;
