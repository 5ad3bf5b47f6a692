// Problem: what is wrong with something that a user handed in (a definition, an input, an expression), as data.

export interface Problem {
  readonly severity: 'error' | 'warning';
  /** A stable word in capitals, such as `UNKNOWN_NODE`. */
  readonly code: string;
  /** JSON pointer (RFC 6901) into what was handed in; empty for the whole. */
  readonly pointer: string;
  /** `Expected …, but found …`. */
  readonly message: string;
  /** What to do about it, where we know. */
  readonly hint?: string;
}
