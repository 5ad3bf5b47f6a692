// Violation: an invariant of the reliability contract that did not hold, and where it showed.

import type { InvariantId } from './coverage.ts';

export interface Violation {
  readonly invariant: InvariantId;
  /** Empty where it is of no one run. */
  readonly runId: string;
  /** The journal row at which it showed; 0 where it is of no one row. */
  readonly seq: number;
  readonly message: string;
}

/** Thrown by checks, caught by their doors, so that the first one that breaks ends the look. */
export class Broken extends Error {
  override name = 'Broken';
  readonly invariant: InvariantId;

  constructor(invariant: InvariantId, message: string) {
    super(message);
    this.invariant = invariant;
  }
}
