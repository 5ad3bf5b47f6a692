// Moment marks: what stands out among the moments of a run, as many of them as a slider has room for.

import type { RunEvent } from 'heddle/journal';
import { type EventMark, markOf } from './event-sentences.ts';

export interface MomentMark {
  readonly kind: EventMark;
  /** The first of those that are marked here. */
  readonly moment: number;
  readonly count: number;
}

/** Marks are told apart to this share of the whole. */
const slots = 200;

/** In order. Of several of a kind that would stand at one place, the first with their number. */
export function marksOf(events: readonly RunEvent[]): readonly MomentMark[] {
  const marks = new Map<string, { kind: EventMark; moment: number; count: number }>();
  for (const [index, event] of events.entries()) {
    const kind = markOf(event);
    if (kind === null) continue;
    const key = `${kind} ${Math.floor((index / events.length) * slots)}`;
    const mark = marks.get(key);
    if (mark) mark.count++;
    else marks.set(key, { kind, moment: index + 1, count: 1 });
  }
  return [...marks.values()];
}

/** How many moments a step of playing takes: a long run is played in a minute, a short one event by event. */
export const playStep = (length: number): number => Math.max(1, Math.ceil(length / 400));
