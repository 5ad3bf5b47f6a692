// Helper lines: where a node that is dragged lines up with another, it snaps, and a line shows it.

import type { Point } from '../model/adapter.ts';

export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

export interface Aligned {
  readonly position: Point;
  /** Where the lines are, in the canvas; null where nothing lines up. */
  readonly x: number | null;
  readonly y: number | null;
}

const reach = 5;

/** Left edges, centres and right edges, from left to right; tops, middles and bottoms likewise. */
export function align(box: Box, others: readonly Box[]): Aligned {
  const x = nearest(
    [box.x, box.x + box.width / 2, box.x + box.width],
    others.flatMap((other) => [other.x, other.x + other.width / 2, other.x + other.width]),
  );
  const y = nearest(
    [box.y, box.y + box.height / 2, box.y + box.height],
    others.flatMap((other) => [other.y, other.y + other.height / 2, other.y + other.height]),
  );
  return {
    position: { x: box.x + (x?.by ?? 0), y: box.y + (y?.by ?? 0) },
    x: x?.at ?? null,
    y: y?.at ?? null,
  };
}

interface Snap {
  readonly at: number;
  readonly by: number;
}

function nearest(own: readonly number[], others: readonly number[]): Snap | null {
  let found: Snap | null = null;
  for (const at of others)
    for (const line of own) {
      const by = at - line;
      if (Math.abs(by) <= reach && (found === null || Math.abs(by) < Math.abs(found.by))) found = { at, by };
    }
  return found;
}
