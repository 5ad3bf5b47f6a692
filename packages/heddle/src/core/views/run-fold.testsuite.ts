// The fold of a trial: its journal as users read it, one row to an event, told at times that are the events' places.

import type { Trial } from '../planning/planning.testsuite.ts';
import { type RunEvent, runEvent } from '../run-event.ts';
import { drawingOf } from './drawing.ts';
import { RunFold, type RunFoldOptions } from './run-fold.ts';

export interface FoldOptions extends RunFoldOptions {
  readonly timeOf?: (index: number) => number;
  /** How many events; all of them unless told. */
  readonly until?: number | undefined;
}

export const eventsOf = ({ journal }: Pick<Trial, 'journal'>, timeOf = (index: number) => index): readonly RunEvent[] =>
  journal.map((event, index) => runEvent('RUN0000001', { seq: index + 1, at: timeOf(index) }, 0, event));

export function foldOf(
  trial: Pick<Trial, 'journal' | 'graph'>,
  { timeOf, until, ...options }: FoldOptions = {},
): RunFold {
  const fold = new RunFold({ drawing: drawingOf(trial.graph), ...options });
  for (const event of eventsOf(trial, timeOf).slice(0, until)) fold.add(event);
  return fold;
}
