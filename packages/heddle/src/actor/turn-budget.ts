// TurnBudget: how much work is done in one turn, and in consecutive turns, before the rest of the process gets its chance.
// Counted in steps, not by a clock, so that the same work is always divided in the same way.

import type { Staged } from './run-actor.ts';

/** About 20 ms. */
export const stepsPerTurn = 500_000;
const turnsAtOnceMax = 32;

/**
 * A command is planned, written and performed: 8 µs beside what planning counts. A wave of 1,000 small steps then fits
 * into one turn; with 250 it was cut after 960, and the same runs took 6 % more commits.
 */
const stepsPerCommand = 200;
/** Text of the journal that is written and hashed. */
const bytesWrittenPerStep = 8;
/** A megabyte that is read, checked and replayed takes about 20 ms, to encode and hash it half of that. */
export const bytesLoadedPerStep = 2;
export const bytesEncodedPerStep = 4;

export const stepsOf = ({ cost, journal }: Pick<Staged, 'cost' | 'journal'>): number =>
  stepsPerCommand + cost + (journal?.events.length ?? 0) / bytesWrittenPerStep;

export const stepsToLoad = (bytes: number): number => stepsPerCommand + bytes / bytesLoadedPerStep;

/** Some looks go through all tokens. */
export const stepsToRead = (tokens: number): number => stepsPerCommand + tokens;

export class TurnBudget {
  #turnsAtOnce = 0;
  #steps = 0;

  /** RN19: a turn that has done this much takes no more commands; the others wait for the next, in their order. */
  isEnough(steps: number): boolean {
    return steps >= stepsPerTurn;
  }

  count(steps: number): void {
    this.#steps += steps;
  }

  /** Whether the next turn may begin without a break. */
  takeTurnAtOnce(): boolean {
    if (this.#turnsAtOnce >= turnsAtOnceMax || this.isEnough(this.#steps)) return false;
    this.#turnsAtOnce++;
    return true;
  }

  /** Others had their chance. */
  begin(): void {
    this.#turnsAtOnce = 0;
    this.#steps = 0;
  }
}
