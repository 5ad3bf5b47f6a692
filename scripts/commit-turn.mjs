// Commit turn: a number that is another with every commit, by which the shares of what is too much for every `npm test` take turns.

import { execFileSync } from 'node:child_process';

/** @returns {number} */
export function commitTurn() {
  try {
    return Number.parseInt(execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).slice(0, 6), 16);
  } catch {
    return 0; // no repository: a package that was unpacked
  }
}
