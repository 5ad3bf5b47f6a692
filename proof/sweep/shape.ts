// Shape: one kind of message in one situation of the runs, and the world around them. The sweep plays the situation,
// sends the message, lets the process die everywhere on the way, and goes on.

import type { JsonObject } from '../../packages/heddle/src/base/json.ts';
import type { RunEvent } from '../../packages/heddle/src/core/run-event.ts';
import type { EngineOptions } from '../../packages/heddle/src/engine/engine.ts';
import type { ActionFunction } from '../../packages/heddle/src/executor/action.ts';
import type { Prompt } from '../../packages/heddle/src/operations/prompts.ts';
import type { ScriptedCall } from '../../packages/heddle/src/testing/scripted-actions.ts';
import type { Stage } from './stage.ts';

export interface Shape {
  /** What is sent to what, in a few words; no other shape has it. */
  readonly name: string;
  /** Registered first. */
  readonly definitions?: readonly JsonObject[];
  readonly options?: Pick<EngineOptions, 'limits' | 'trustedSnapshotKeys'> & {
    readonly actions?: Readonly<Record<string, ActionFunction>>;
  };
  /** After so many pages SQLite moves its log into the database; as the store has it if absent. */
  readonly logPages?: number;
  /** Brings the situation about. */
  readonly prepare?: (stage: Stage) => Promise<unknown>;
  /** Sends the message. After a crash it is sent again: orders that were answered are not, and calls that are gone neither. */
  readonly send: (stage: Stage) => Promise<unknown>;
  /** What must follow from the message, or the situation is not the one that the name says. */
  readonly makes?: Made | readonly Made[];
  /** How the runs end: their workflows and statuses, in the order of these texts. */
  readonly ends: string;
  /** What a worker answers; what it throws is its failure, `never` keeps it waiting. */
  readonly answer?: (call: ScriptedCall) => unknown;
  /** Which of the waiting calls is answered first. */
  readonly rank?: (call: ScriptedCall) => number;
  /** What a person answers, `never` for nothing. */
  readonly reply?: (prompt: Prompt) => unknown;
  /** The last orders, given when nothing else can happen. */
  readonly finish?: (stage: Stage) => Promise<unknown>;
  /** How long the world waits for what is still to come. */
  readonly restMs?: number;
  /** The caller must not say it twice, for it has no key: without an answer it may have happened or not. */
  readonly isSaidOnce?: true;
  /** The process is watched from the first file on. */
  readonly isFromTheBeginning?: true;
  /** What may differ after a crash, and why. */
  readonly tolerates?: Tolerance;
  /** What an order is refused with if it is said again, for it was done before. */
  readonly repeatedAs?: string;
}

/** An event, or a newer snapshot of a run. */
type Made = RunEvent['type'] | 'snapshot';

/** Each with its reason. */
export interface Tolerance {
  readonly times?: string;
  /** Of the events of one run. */
  readonly order?: string;
  readonly records?: string;
  /** That the engine tells of errors. */
  readonly reports?: string;
  /** That an audit finds something, and runs that do not end. */
  readonly damage?: string;
}

/** In place of an answer: none comes. */
export const never = Symbol('never');
