// RunFlow: the nodes and edges that React Flow draws of a run.
//
// Always true: what has not changed since the last drawing is the same object, so that it is not drawn again.

import { type Edge, MarkerType, Position } from '@xyflow/react';
import type { EdgeView } from 'heddle/journal';
import type { Point } from '../canvas/layout.ts';
import { nodeSize } from '../canvas/node-box.tsx';
import { type DrawnEdge, type DrawnGraph, type DrawnNode, isPlaced } from './drawing.ts';
import type { NodeMark } from './node-marks.ts';
import type { RunFlowNode } from './run-node.tsx';

export type Places = ReadonlyMap<string, Point>;

const notReached: NodeMark = { look: 'idle', word: 'not reached', counts: [], visits: 0, branches: null, join: null };

/** Handles are where they are on every node: edges are drawn before nodes that are out of sight were measured. */
const handles = [
  { type: 'target', position: Position.Top, x: nodeSize.width / 2, y: 0, width: 1, height: 1 },
  { type: 'source', position: Position.Bottom, x: nodeSize.width / 2, y: nodeSize.height, width: 1, height: 1 },
] as const;

export interface Shown {
  readonly graph: DrawnGraph;
  readonly places: Places;
  readonly marks: ReadonlyMap<string, NodeMark>;
  readonly edges: readonly EdgeView[];
  /** The time of the moment: what was taken then was just taken. Null: it is over, and nothing was. */
  readonly at: number | null;
  readonly selected: string | null;
}

export function flowNodes({ graph, places, marks, selected }: Shown, last: readonly RunFlowNode[]): RunFlowNode[] {
  const before = new Map(last.map((node) => [node.id, node]));
  // What was laid out lies beside its container, not in it.
  const containers = new Set(isPlaced(graph) ? graph.nodes.flatMap(({ container }) => container ?? []) : []);
  return graph.nodes.map((drawn) => {
    const mark = marks.get(drawn.id) ?? notReached;
    const isSelected = drawn.id === selected;
    const isInside = drawn.container !== null && containers.has(drawn.container);
    const position = (isInside ? drawn.position : places.get(drawn.id)) ?? { x: 0, y: 0 };
    const old = before.get(drawn.id);
    if (old && isSame(old, { drawn, mark, isSelected, position })) return old;
    const isContainer = containers.has(drawn.id);
    return flowNode(drawn, { mark, isSelected, position, isInside, isContainer, isDrawn: old !== undefined });
  });
}

interface Look {
  readonly mark: NodeMark;
  readonly isSelected: boolean;
  readonly position: Point;
}

interface Standing {
  readonly isInside: boolean;
  readonly isContainer: boolean;
  /** It was drawn before: where its handles are was measured then. */
  readonly isDrawn: boolean;
}

function flowNode(
  drawn: DrawnNode,
  { mark, isSelected, position, isInside, isContainer, isDrawn }: Look & Standing,
): RunFlowNode {
  const size = isContainer ? drawn.size : null;
  return {
    id: drawn.id,
    type: 'run',
    position,
    data: { drawn, mark, isSelected },
    // Known before it was drawn, so that the whole fits into view though only a part is drawn.
    measured: { ...(size ?? nodeSize) },
    ...(isDrawn ? {} : { handles: [...handles] }),
    ...(size === null ? {} : { style: { ...size }, className: 'hd-container' }),
    ...(isInside && drawn.container !== null ? { parentId: drawn.container } : {}),
  };
}

function isSame({ data, position }: RunFlowNode, next: Look & { readonly drawn: DrawnNode }): boolean {
  return (
    data.drawn === next.drawn &&
    data.isSelected === next.isSelected &&
    position.x === next.position.x &&
    position.y === next.position.y &&
    JSON.stringify(data.mark) === JSON.stringify(next.mark)
  );
}

export function flowEdges({ graph, edges, at }: Shown, last: readonly Edge[]): Edge[] {
  const before = new Map(last.map((edge) => [edge.id, edge]));
  const taken = new Map(edges.map((edge) => [edge.edgeId, edge]));
  return graph.edges.map((drawn) => {
    const view = taken.get(drawn.id);
    const edge = flowEdge(drawn, view?.taken ?? 0, view !== undefined && view.taken > 0 && view.lastTakenAt === at);
    const old = before.get(drawn.id);
    return old && old.label === edge.label && old.className === edge.className ? old : edge;
  });
}

function flowEdge(drawn: DrawnEdge, taken: number, isJustTaken: boolean): Edge {
  return {
    id: drawn.id,
    source: drawn.from,
    target: drawn.to,
    label: edgeText(drawn, taken),
    className: `hd-way${taken > 0 ? ' hd-way-taken' : ''}${isJustTaken ? ' hd-way-now' : ''}`,
    markerEnd: {
      type: MarkerType.ArrowClosed,
      color: 'var(--hd-edge)',
      markerUnits: 'userSpaceOnUse',
      width: 16,
      height: 16,
    },
    ...(drawn.from === drawn.to || drawn.isLoop === true ? { type: 'loop' } : {}),
  };
}

const labelLengthMax = 40;

/** What it is taken for, and how often it was: of a loop, how many rounds. */
export function edgeText({ label, isLoop }: DrawnEdge, taken: number): string {
  const short = label.length > labelLengthMax ? `${label.slice(0, labelLengthMax - 1)}…` : label;
  const often = taken < 2 && isLoop !== true ? '' : `${isLoop === true ? '↻ ' : ''}${taken.toLocaleString('en')}×`;
  return [short, often].filter((part) => part !== '').join(' · ');
}

/** The nearest node in a direction, among those that lie more that way than aside; null if there is none. */
export function neighbour(places: Places, from: string, direction: 'up' | 'down' | 'left' | 'right'): string | null {
  const here = places.get(from);
  if (here === undefined) return null;
  const isUpright = direction === 'up' || direction === 'down';
  const sign = direction === 'down' || direction === 'right' ? 1 : -1;
  let nearest: string | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const [id, { x, y }] of places) {
    const along = sign * (isUpright ? y - here.y : x - here.x);
    const aside = Math.abs(isUpright ? x - here.x : y - here.y);
    const distance = along + 2 * aside;
    if (id === from || along <= 0 || distance >= least) continue;
    nearest = id;
    least = distance;
  }
  return nearest;
}
