// Frame: one evaluation. Holds the scope, the variables that macros bind, and the steps still to spend.
//
// The cost of an evaluation: one step per node of the expression, for a macro once per item; and what operators and
// functions charge for the data that they walk or make. Always true: work between two charges is bounded by the
// length of the source or was paid for before, so an evaluation ends soon after its steps are used up.

import type { Scope } from './expression.ts';
import { costFault, type Fault, type Outcome, type Value } from './value.ts';

export interface Frame {
  readonly scope: Scope;
  /** Bound variables, by the depth of their binding. */
  readonly slots: Value[];
  stepsLeft: number;
}

/** A compiled piece of an expression. */
export type Step = (frame: Frame) => Outcome;

/** Characters that are scanned, compared or copied for one step (a step is 20 to 60 ns; a character 1 to 3 ns). */
const charactersPerStep = 16;

export function charge(frame: Frame, steps: number): Fault | null {
  frame.stepsLeft -= steps;
  // Written so that a NaN counts as used up.
  return frame.stepsLeft >= 0 ? null : costFault;
}

export function chargeText(frame: Frame, characters: number): Fault | null {
  return charge(frame, Math.ceil(characters / charactersPerStep));
}
