// Trial view: what a trial is started with, and what is shown of it after every step. Plain data: it goes between page and
// worker.

import type { Json, JsonObject, NodeTypeInfo, Prompt, RunEvent, RunStatus } from 'heddle';
import type { AwaitedEvent } from './journal.ts';
import type { Pins, TrialAnswer } from './pins.ts';

export interface TrialSetup {
  /** The draft, of any dialect. */
  readonly definition: JsonObject;
  /** Those that it calls, as far as they are known. */
  readonly definitions: readonly JsonObject[];
  readonly catalogue: readonly NodeTypeInfo[];
  readonly pins: Pins;
  /** The nodes at which playing halts. */
  readonly pauses: readonly string[];
  readonly input: Json;
  /** When it begins, in virtual time. */
  readonly startsAt: number;
}

/** A task that waits for its answer. */
export interface TrialCall {
  readonly runId: string;
  readonly tokenId: number;
  readonly nodeId: string;
  readonly action: string;
  readonly attempt: number;
  readonly input: Json;
  /** What the next step answers it with. */
  readonly answer: TrialAnswer;
}

/** What the next step does. `person`: nothing, until somebody answers or skips time. `none`: the run has ended, or is stuck. */
export interface NextStep {
  readonly type: 'call' | 'prompt' | 'event' | 'time' | 'person' | 'none';
  readonly nodeId?: string;
  readonly at?: number;
}

export interface TrialView {
  readonly runId: string;
  readonly status: RunStatus;
  readonly now: number;
  readonly next: NextStep;
  /** Playing has come to a node at which it halts. */
  readonly isHalted: boolean;
  /** The first of those that wait for their answers, and how many there are. */
  readonly calls: readonly TrialCall[];
  readonly callCount: number;
  readonly prompts: readonly Prompt[];
  readonly awaited: readonly AwaitedEvent[];
  /** When the next timer is due. */
  readonly timerAt: number | null;
  /** What was recorded since the last view, of all runs. */
  readonly events: readonly RunEvent[];
}
