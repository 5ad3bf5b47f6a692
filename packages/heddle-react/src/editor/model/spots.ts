// Spots: where something new goes on the canvas so that it covers nothing.

import { nodeSize } from '../../canvas/node-box.tsx';
import type { Fragment, Point } from './adapter.ts';
import type { DrawnNode } from './graph.ts';

const step = { x: nodeSize.width + 40, y: nodeSize.height + 40 };

/** The first place from a point to the right that nodes leave free. */
export function freeSpot(from: Point, nodes: readonly DrawnNode[], size: Size = nodeSize): Point {
  const taken = nodes.flatMap(({ position, parent }) => (position === null || parent !== null ? [] : [position]));
  const covers = (spot: Point): boolean =>
    taken.some(
      ({ x, y }) =>
        x < spot.x + size.width &&
        spot.x < x + nodeSize.width &&
        y < spot.y + size.height &&
        spot.y < y + nodeSize.height,
    );
  let spot = from;
  while (covers(spot)) spot = { x: spot.x + step.x, y: spot.y };
  return spot;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

export const spotBelow = ({ x, y }: Point): Point => ({ x, y: y + step.y });

/** How much room a fragment takes. */
export function sizeOf({ nodes }: Fragment, readPosition: (node: Fragment['nodes'][number]) => Point | null): Size {
  const places = nodes.map((node, index) => readPosition(node) ?? { x: 0, y: index * step.y });
  const [xs, ys] = [places.map(({ x }) => x), places.map(({ y }) => y)];
  return {
    width: Math.max(...xs) - Math.min(...xs) + nodeSize.width,
    height: Math.max(...ys) - Math.min(...ys) + nodeSize.height,
  };
}
