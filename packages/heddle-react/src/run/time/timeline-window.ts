// Timeline window: which part of the scale is in view, moved and zoomed without ever leaving it.

import type { TimeWindow } from './timeline-rows.ts';

export const wholeWindow: TimeWindow = { start: 0, end: 1 };

/** Below this there is nothing more to see: numbers end before that. */
const shareMin = 1e-7;

/** By a factor (2: twice as close) around a place that stays where it is. */
export function zoomed({ start, end }: TimeWindow, factor: number, around: number): TimeWindow {
  const size = Math.min(1, Math.max(shareMin, (end - start) / factor));
  const share = (around - start) / (end - start);
  return within(around - share * size, size);
}

/** By a share of what is in view; positive: to later times. */
export function panned({ start, end }: TimeWindow, share: number): TimeWindow {
  const size = end - start;
  return within(start + share * size, size);
}

/** As little as needed, so that a stretch is in view with some room around it. */
export function showing(window: TimeWindow, from: number, to: number): TimeWindow {
  if (from >= window.start && to <= window.end) return window;
  const size = Math.min(1, Math.max(window.end - window.start, (to - from) * 1.2));
  return within((from + to - size) / 2, size);
}

/** Just a stretch, with some room around it. */
export function zoomedTo(from: number, to: number): TimeWindow {
  const size = Math.min(1, Math.max(shareMin, (to - from) * 1.2));
  return within((from + to - size) / 2, size);
}

function within(start: number, size: number): TimeWindow {
  const first = Math.min(1 - size, Math.max(0, start));
  return { start: first, end: first + size };
}
