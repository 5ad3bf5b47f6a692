// Slices: work that is too long to be done at once. It says where others may have their turn, and who does it decides
// whether they get it.
//
// Always true: the same work is divided in the same way: by its steps, not by a clock.

import type { Clock } from './ports.ts';
import { stepsPerTurn } from './turn-budget.ts';

/** Yields the steps that it has taken since the last time. */
export type Sliced<T> = Generator<number, T, void>;

/** RN26: what else the process has to do comes between two slices. */
export async function inSlices<T>(work: Sliced<T>, clock: Pick<Clock, 'defer'>): Promise<T> {
  let steps = 0;
  for (let step = work.next(); ; step = work.next()) {
    if (step.done) return step.value;
    steps += step.value;
    if (steps < stepsPerTurn) continue;
    steps = 0;
    await nextSlice(clock);
  }
}

/** When the others have had their turn. */
export function nextSlice(clock: Pick<Clock, 'defer'>): Promise<void> {
  return new Promise((resolve) => clock.defer(resolve));
}

export function atOnce<T>(work: Sliced<T>): T {
  let step = work.next();
  while (!step.done) step = work.next();
  return step.value;
}
