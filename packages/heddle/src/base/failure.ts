// Failure: what went wrong in a run, as data. Journaled, shown, matched by failure routes and retry policies.

import type { Json } from './json.ts';

export interface Failure {
  /** What programs match on: `TASK_TIMEOUT` and other words in capitals are the engine's, any code is an action's. */
  readonly code: string;
  /** `Expected …, but …`, with the ids: what people read. */
  readonly message: string;
  /** The node at which it happened, where there is one. */
  readonly nodeId?: string;
  /** How many attempts were made, for a failed task. */
  readonly attempts?: number;
  /** The limit that was exceeded, by its name in `limits.ts`. */
  readonly limit?: string;
  /** More for programs: the expression, the transition, the schema's complaints, an action's own details. */
  readonly details?: Json;
  /** The sub-runs that it came through, the outermost first; it happened in the last. */
  readonly runs?: readonly string[];
  /** What the action threw, where it threw something that has a stack, a cause or parts. */
  readonly thrown?: Thrown;
}

/** An error as its thrower made it, within bounds: for the people who look for its place in the code. */
export interface Thrown {
  readonly name?: string;
  /** Of a cause or a part; the message of the error itself is that of the failure. */
  readonly message?: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: Thrown;
  /** The parts of an `AggregateError`. */
  readonly errors?: readonly Thrown[];
}

const errorCodePattern = /^[^\s\p{C}]{1,200}$/u;

// EX19: an error code has 1 to 200 printable characters without spaces.
export function isErrorCode(code: unknown): code is string {
  return typeof code === 'string' && errorCodePattern.test(code);
}

// EX21: what was thrown is for those who see the results of a run; expressions, other runs and other services get the rest.
export function withoutThrown({ thrown: _, ...failure }: Failure): Failure {
  return failure;
}
