// Remembered: what somebody has set up for the trials of a workflow, kept by the tab: who goes back to the drawing, or loads the
// page again, finds it as it was.

import type { Json } from 'heddle';
import type { Pins } from './pins.ts';

/** What a trial is started with, and goes by. */
export interface TrialData {
  readonly input: Json;
  readonly pins: Pins;
  /** The nodes at which it halts. */
  readonly pauses: readonly string[];
  /** The past run whose data was taken. */
  readonly runId: string | null;
}

/** What is larger, such as the outcomes of a run of thousands, is taken from the run again. */
const textMax = 500_000;

const keyOf = (place: string): string => `heddle-trial:${place}`;

/** Undefined where nothing is kept, or nothing may be. */
export function recall(place: string): TrialData | undefined {
  try {
    const text = sessionStorage.getItem(keyOf(place));
    return text === null ? undefined : (JSON.parse(text) as TrialData); // written below
  } catch {
    return undefined;
  }
}

export function remember(place: string, data: TrialData): void {
  const text = JSON.stringify(data);
  if (text.length > textMax) return;
  try {
    sessionStorage.setItem(keyOf(place), text);
  } catch {
    // The browser keeps nothing for this page: it is as if it were new each time.
  }
}
