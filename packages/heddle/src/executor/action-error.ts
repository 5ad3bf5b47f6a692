// Action error: what an action throws to say more than "it failed". Any other error works too; see `describe-throw.ts`
// for what is read from it.

import { isErrorCode } from '../base/failure.ts';
import { HeddleError } from '../base/heddle-error.ts';
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
    refuseOptions(this, options);
    this.code = options.code ?? 'ACTION_FAILED';
    this.retryable = options.retryable ?? true;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.details = options.details;
  }
}

const kinds: Readonly<Record<string, { readonly what: string; readonly fits: (value: unknown) => boolean }>> = {
  code: { what: 'a code of 1 to 200 printable characters without spaces', fits: isErrorCode },
  retryable: { what: 'true or false', fits: (value) => typeof value === 'boolean' },
  retryAfterMs: { what: 'a number of milliseconds', fits: (value) => typeof value === 'number' && value >= 0 },
  details: { what: 'JSON', fits: () => true },
  cause: { what: 'what caused it', fits: () => true },
};

// OP10: an option of an ActionError that is unknown or of the wrong kind is reported, with the message that was meant.
function refuseOptions(error: ActionError, options: object): void {
  for (const [name, value] of Object.entries<unknown>({ ...options })) {
    if (value === undefined || value === null) continue;
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind?.fits(value) === true) continue;
    const expected = kind === undefined ? `one of ${Object.keys(kinds).join(', ')}` : `"${name}" to be ${kind.what}`;
    const found = kind === undefined ? `"${name}"` : showOption(value);
    const text = `Expected ${expected} among the options of an ActionError, but found ${found}; its message is: ${error.message}`;
    throw new HeddleError('OPTION_INVALID', text, { cause: error });
  }
}

function showOption(value: unknown): string {
  return typeof value === 'string'
    ? JSON.stringify(value.slice(0, 100))
    : `${typeof value} ${String(value).slice(0, 100)}`;
}
