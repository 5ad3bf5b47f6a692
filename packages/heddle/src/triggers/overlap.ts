// Overlap: what becomes of a schedule's times when the run before may still be running. Pure.

import type { Overlap } from './trigger.ts';

export interface OverlapInput {
  readonly overlap: Overlap;
  /** Times that are due now, ascending. */
  readonly due: readonly number[];
  /** Times that wait, ascending; all before those that are due. */
  readonly queued: readonly number[];
  /** The run that was started last has not ended. */
  readonly isBusy: boolean;
  readonly queuedMax: number;
}

export interface OverlapPlan {
  readonly start: readonly number[];
  readonly queued: readonly number[];
  readonly skipped: readonly number[];
}

export function planOccurrences({ overlap, due, queued, isBusy, queuedMax }: OverlapInput): OverlapPlan {
  switch (overlap) {
    // TR7: `allow` starts a run at every time, whatever is running.
    case 'allow':
      return { start: due, queued: [], skipped: [] };
    // TR8: `skip` starts one run, for the newest time, if none is running; the other times pass.
    case 'skip':
      return isBusy ? { start: [], queued: [], skipped: due } : newestAlone(due);
    case 'queue':
      return queue([...queued, ...due], { isBusy, queuedMax });
  }
}

function newestAlone(due: readonly number[]): OverlapPlan {
  return { start: due.slice(-1), queued: [], skipped: due.slice(0, -1) };
}

/** TR9: `queue` starts one run after the other, in the order of their times; at most `queuedRunsMax` wait, later ones pass. */
function queue(
  waiting: readonly number[],
  { isBusy, queuedMax }: Pick<OverlapInput, 'isBusy' | 'queuedMax'>,
): OverlapPlan {
  const startable = isBusy ? 0 : 1;
  return {
    start: waiting.slice(0, startable),
    queued: waiting.slice(startable, startable + queuedMax),
    skipped: waiting.slice(startable + queuedMax),
  };
}
