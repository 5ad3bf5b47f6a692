// Action error: what an action throws to say more than "it failed". Any other error works too; see `describe-throw.ts`
// for what is read from it.

import type { Json } from '../base/json.ts';

export interface ActionErrorOptions {
  /** 1 to 200 printable characters without spaces, for failure routes and retry policies. `ACTION_FAILED` if absent. */
  readonly code?: string;
  /** False: trying again is useless. */
  readonly retryable?: boolean;
  /** Try again no sooner than this. */
  readonly retryAfterMs?: number;
  /** More for programs: kept with the failure. */
  readonly details?: Json;
  readonly cause?: unknown;
}

export class ActionError extends Error {
  override name = 'ActionError';
  readonly code: string;
  readonly retryable: boolean;
  readonly retryAfterMs: number | null;
  readonly details: Json | undefined;

  constructor(message: string, options: ActionErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code ?? 'ACTION_FAILED';
    this.retryable = options.retryable ?? true;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.details = options.details;
  }
}
