// CommitShare: which share of what is too much for every run of `npm test` has its turn: another with every commit.

import { commitTurn } from '../scripts/commit-turn.mjs';

/** All shares at once. */
export const isEverything = process.env['HEDDLE_EVERYTHING'] !== undefined;

let number: number | null = null;

/** Whether the one with this number, of those that are divided into so many shares, is in the share of this commit. */
export function isInShare(of: number, shares: number): boolean {
  return shareOf(of, shares) === 0;
}

/** In which share it is; with another commit in another. */
export function shareOf(of: number, shares: number): number {
  number ??= commitTurn();
  return (of + shares - (number % shares)) % shares;
}
