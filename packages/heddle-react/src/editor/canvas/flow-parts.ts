// Flow parts: the graph as React Flow draws it. Pure: the same graph gives the same parts.

import { MarkerType, type Node, type NodeHandle, Position } from '@xyflow/react';
import { nodeSize } from '../../canvas/node-box.tsx';
import type { Selection } from '../editor-state.ts';
import type { Point } from '../model/adapter.ts';
import type { Difference } from '../model/difference.ts';
import type { DrawnEdge, DrawnGraph, DrawnNode } from '../model/graph.ts';
import { foldedInto, type Group, shownEdges } from '../model/groups.ts';
import type { PlacedProblem } from '../model/problem-place.ts';
import type { EditorFlowEdge } from './editor-edge.tsx';
import type { EditorFlowNode } from './editor-node.tsx';

export interface GroupData extends Record<string, unknown> {
  readonly group: Group;
}

export type GroupFlowNode = Node<GroupData, 'group-frame' | 'group-box'> & {
  readonly type: 'group-frame' | 'group-box';
};
export type FlowNode = EditorFlowNode | GroupFlowNode;

export interface Shown {
  readonly graph: DrawnGraph;
  /** Of nodes that nobody has placed. */
  readonly places: ReadonlyMap<string, Point>;
  readonly groups: readonly Group[];
  readonly selection: Selection;
  readonly problems: readonly PlacedProblem[];
  /** How it differs from another version. */
  readonly marks?: Pick<Difference, 'nodes' | 'edges'>;
}

const origin: Point = { x: 0, y: 0 };
const margin = 24;
const headHeight = 36;

export const groupNodeId = (id: string): string => `group:${id}`;

export function flowNodes(shown: Shown): readonly FlowNode[] {
  const { graph, groups, places } = shown;
  const folded = foldedInto(groups);
  const at = ({ id, position }: DrawnNode): Point => position ?? places.get(id) ?? origin;
  const visible = graph.nodes.filter(({ id }) => !folded.has(id));
  const selected = new Set(shown.selection.nodes);
  const counts = countProblems(shown.problems);
  const ids = new Set(graph.nodes.map(({ id }) => id));
  const steps = visible.map((drawn): EditorFlowNode => {
    const { id, parent, size } = drawn;
    return {
      id,
      type: 'step',
      position: at(drawn),
      selected: selected.has(id),
      data: { drawn, ...(counts.get(id) ?? noProblems), mark: shown.marks?.nodes.get(id) },
      ariaLabel: `${drawn.title}, ${drawn.kind}`,
      ...(size === undefined ? expectedSize(drawn) : { style: size, zIndex: -1 }),
      ...(parent !== null && ids.has(parent) ? { parentId: parent, extent: 'parent' as const } : {}),
    };
  });
  // A container stands before what is drawn in it.
  const parentsFirst = steps.toSorted((a, b) => Number('parentId' in a) - Number('parentId' in b));
  return [...groups.map((group) => groupNode(group, graph, at)), ...parentsFirst];
}

/**
 * Size and handles of a node as the style sheets make them, so that only nodes in view are drawn, not all of them in order to
 * be measured. One that turns out to have another size is measured when it comes into view.
 */
function expectedSize({ inputs, outputs }: DrawnNode): Pick<EditorFlowNode, 'measured' | 'handles'> {
  const [width, height, handle] = [nodeSize.width, 56, 10];
  const border = { left: 4, others: 1 };
  const inner = width - border.left - border.others;
  const along = (names: readonly string[] | null, how: Pick<NodeHandle, 'type' | 'position' | 'y'>): NodeHandle[] =>
    (names ?? [null]).map((id, index, { length }) => ({
      ...how,
      id,
      x: border.left + ((index + 0.5) * inner) / length - handle / 2,
      width: handle,
      height: handle,
    }));
  return {
    measured: { width, height },
    handles: [
      ...along(inputs, { type: 'target', position: Position.Top, y: border.others - handle / 2 }),
      ...along(outputs, { type: 'source', position: Position.Bottom, y: height - border.others - handle / 2 }),
    ],
  };
}

export const isMeasured = (part: object): part is { readonly measured: FlowNode['measured'] } =>
  'measured' in part && part.measured !== undefined && !('handles' in part);

/** What was expected of a part counts no more when it was measured. */
export function asMeasured<Part extends object>(part: Part): Part {
  if (!('handles' in part)) return part;
  const { handles: _, ...rest } = part;
  return rest as Part; // of the parts nodes alone have handles, and need none
}

const noProblems = { errors: 0, warnings: 0 };

function countProblems(problems: readonly PlacedProblem[]): ReadonlyMap<string, typeof noProblems> {
  const counts = new Map<string, typeof noProblems>();
  for (const { place, severity } of problems) {
    if (place.type !== 'node') continue;
    const { errors, warnings } = counts.get(place.id) ?? noProblems;
    counts.set(place.id, severity === 'error' ? { errors: errors + 1, warnings } : { errors, warnings: warnings + 1 });
  }
  return counts;
}

/** A frame around its nodes, or a box in their place. */
function groupNode(group: Group, { nodes }: DrawnGraph, at: (node: DrawnNode) => Point): GroupFlowNode {
  const members = new Set(group.nodes);
  const spots = nodes.filter(({ id }) => members.has(id)).map(at);
  const left = Math.min(...spots.map(({ x }) => x));
  const top = Math.min(...spots.map(({ y }) => y));
  const right = Math.max(...spots.map(({ x }) => x)) + nodeSize.width;
  const bottom = Math.max(...spots.map(({ y }) => y)) + nodeSize.height;
  const id = groupNodeId(group.id);
  if (group.isFolded)
    return {
      id,
      type: 'group-box',
      position: { x: left, y: top },
      data: { group },
      initialWidth: nodeSize.width,
      initialHeight: 56,
    };
  const style = { width: right - left + 2 * margin, height: bottom - top + margin + headHeight };
  return {
    id,
    type: 'group-frame',
    position: { x: left - margin, y: top - headHeight },
    data: { group },
    style,
    initialWidth: style.width,
    initialHeight: style.height,
    zIndex: -2,
    selectable: false,
    focusable: false,
  };
}

export function flowEdges(shown: Shown): readonly EditorFlowEdge[] {
  const { graph, groups, selection, problems, marks } = shown;
  const selected = new Set(selection.edges);
  const wrong = new Set(problems.flatMap(({ place }) => (place.type === 'edge' ? [place.key] : [])));
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
  const folded = foldedInto(groups);
  const groupIds = new Set(folded.values());
  const nameOf = (id: string): string => (groupIds.has(id) ? groupNodeId(id) : id);
  return shownEdges(graph.edges, folded).map((drawn) => ({
    id: drawn.key,
    type: 'way',
    source: nameOf(drawn.from),
    target: nameOf(drawn.to),
    sourceHandle: handleOf(nodes.get(drawn.from)?.outputs, drawn.output),
    targetHandle: handleOf(nodes.get(drawn.to)?.inputs, drawn.input),
    selected: selected.has(drawn.key),
    data: { drawn, hasProblem: wrong.has(drawn.key), mark: marks?.edges.get(drawn.key) },
    ariaLabel: edgeText(drawn),
    markerEnd: arrow,
  }));
}

/** As large on an edge that is selected, and drawn thicker, as on any other. */
const arrow = {
  type: MarkerType.ArrowClosed,
  markerUnits: 'userSpaceOnUse',
  width: 20,
  height: 20,
  color: 'var(--hd-edge)',
} as const;

/** A node with one output without a name has it whatever the edge calls it. */
const handleOf = (names: readonly string[] | null | undefined, name: string | undefined): string | null =>
  names?.includes(name ?? '') === true ? (name ?? null) : null;

export const edgeText = ({ from, to, output, label }: DrawnEdge): string =>
  `From ${from}${output === undefined ? '' : ` (${output})`} to ${to}${label === '' ? '' : `: ${label}`}`;
