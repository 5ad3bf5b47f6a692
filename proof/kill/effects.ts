// Effects: what the actions did to the world, in a log outside the store that only grows: one line before an effect, and
// one after it, with a receipt that no other effect has.
//
// Always true: a line is in the file, whole, when `note` returns, whatever becomes of the process.

import { appendFileSync, readFileSync } from 'node:fs';
import type { ActionContext } from '../../packages/heddle/src/executor/action.ts';

export interface Effect {
  readonly phase: 'before' | 'after' | 'failed';
  /** Of the task: the same in all its attempts. */
  readonly key: string;
  readonly runId: string;
  readonly token: number;
  readonly attempt: number;
  /** Of the process that did it. */
  readonly pid: number;
  readonly receipt: string;
}

/** Writes down what becomes of one attempt. */
export type NoteEffect = (phase: Effect['phase'], context: ActionContext, receipt: string) => void;

export function effectLog(file: string): NoteEffect {
  const { pid } = process;
  return (phase, { idempotencyKey: key, runId, tokenId: token, attempt }, receipt) => {
    const effect: Effect = { phase, key, runId, token, attempt, pid, receipt };
    appendFileSync(file, `${JSON.stringify(effect)}\n`); // One write to a file opened for appending.
  };
}

export function readEffects(file: string): readonly Effect[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Effect); // `effectLog` wrote them.
}
