// Turn budget: how much work is done in one turn, and in consecutive turns, before the rest of the process gets its chance.
// Counted in steps, not by a clock, so that the same work is always divided in the same way.

import type { Staged } from './run-actor.ts';

/** About 20 ms. */
export const stepsPerTurn = 500_000;
/** Turns that follow each other at once, and the steps after which none does: about 4 ms. */
export const turnsAtOnceMax = 32;
export const stepsAtOnce = 100_000;

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
