// Finished run: what a root run that has ended tells the triggers that listen for it, through the outbox.

import type { Failure } from '../base/failure.ts';
import type { Json, JsonObject } from '../base/json.ts';

/** Where messages for triggers go; no run is called so. */
export const triggersAddress = '@triggers';

export interface FinishedRun {
  readonly type: 'finished';
  readonly runId: string;
  readonly workflow: string;
  readonly status: string;
  readonly output?: Json;
  readonly error?: Failure;
  /** What had started it: how deep it is in a chain of triggers. */
  readonly trigger?: JsonObject;
}
