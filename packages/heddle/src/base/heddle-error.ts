// HeddleError: what the public API throws. Programs match on `code`, people read `message`.

import type { Json } from './json.ts';
import { printable } from './printable.ts';
import type { Problem } from './problem.ts';

export interface HeddleErrorDetails {
  /** JSON pointer into what was handed in. */
  readonly pointer?: string;
  /** The limit that was exceeded, by its name. */
  readonly limit?: string;
  /** What to do about it, where we know. */
  readonly hint?: string | undefined;
  readonly problems?: readonly Problem[];
  readonly details?: Json;
  readonly cause?: unknown;
}

export class HeddleError extends Error {
  override name = 'HeddleError';
  readonly code: string;
  readonly pointer: string | undefined;
  readonly limit: string | undefined;
  readonly hint: string | undefined;
  readonly problems: readonly Problem[];
  readonly details: Json | undefined;

  constructor(code: string, message: string, more: HeddleErrorDetails = {}) {
    super(message.split('\n').map(printable).join('\n'), more.cause === undefined ? {} : { cause: more.cause });
    this.code = code;
    this.pointer = more.pointer;
    this.limit = more.limit;
    this.hint = more.hint;
    this.problems = more.problems ?? [];
    this.details = more.details;
  }
}
