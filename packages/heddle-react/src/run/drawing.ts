// Drawing: what is drawn of a definition of any dialect: its nodes with a name and what they do, its edges with what they
// are taken for. Ids are those of the journal.
//
// Always true: nothing of a definition is trusted to have a shape; what cannot be read is left out, and the node stays.

import type { Json, JsonObject } from 'heddle';
import type { Drawing, DrawnTransition } from 'heddle/journal';
import type { Point } from '../canvas/layout.ts';

export interface DrawnNode {
  readonly id: string;
  readonly title: string;
  /** What it does, in a word or two. */
  readonly what: string;
  /** Where its author has put it, in its container if it has one. */
  readonly position: Point | null;
  /** The node that it lies in. */
  readonly container: string | null;
  /** Of a container. */
  readonly size: { readonly width: number; readonly height: number } | null;
  /** As it was written. */
  readonly written: JsonObject;
}

export interface DrawnEdge extends DrawnTransition {
  /** What it is taken for, as it was written: a condition, the name of an output. */
  readonly label: string;
}

export interface DrawnGraph {
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly DrawnEdge[];
}

export function drawGraph(drawing: Drawing, definition: JsonObject): DrawnGraph {
  const written = new Map(objectsIn(definition['nodes']).map((node) => [textAt(node, 'id'), node]));
  const nodes = drawing.nodes.map((id) => drawNode(id, written.get(id) ?? {}));
  const containers = new Map(nodes.map(({ id, container }) => [id, container]));
  const ways = waysOf(definition);
  const edges = drawing.transitions
    .filter(({ isMade, from, to }) => isMade !== true && containers.get(to) !== from)
    .map((transition) => ({ ...transition, label: labelOf(transition, ways) }));
  return { nodes, edges };
}

/** Whether its author has placed everything: then it is drawn so. */
export const isPlaced = ({ nodes }: DrawnGraph): boolean =>
  nodes.length > 0 && nodes.every(({ position }) => position !== null);

/** On the canvas, wherever each lies in. */
export function placesOf({ nodes }: DrawnGraph): ReadonlyMap<string, Point> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return new Map(nodes.map((node) => [node.id, placeOf(node, byId)]));
}

/** Containers lie in one another so deep at most; what lies in itself would have no end. */
const depthMax = 20;

function placeOf(node: DrawnNode, byId: ReadonlyMap<string, DrawnNode>): Point {
  const place = { x: 0, y: 0 };
  let at: DrawnNode | undefined = node;
  for (let depth = 0; at && depth < depthMax; depth++) {
    place.x += at.position?.x ?? 0;
    place.y += at.position?.y ?? 0;
    at = byId.get(at.container ?? '');
  }
  return place;
}

function drawNode(id: string, written: JsonObject): DrawnNode {
  const data = objectAt(written, 'data');
  const container = textAt(written, 'parentId') ?? textAt(written, 'parentNode');
  return {
    id,
    title: textAt(written, 'name') ?? textAt(data, 'label') ?? id,
    what: whatOf(written),
    position: pointAt(written, 'position') ?? pointAt(objectAt(written, 'meta'), 'position'),
    container: container ?? null,
    size: sizeOf(written),
    written,
  };
}

/** The words of the dialect: an action, a workflow, what is waited for, a type. */
function whatOf(written: JsonObject): string {
  const action = nameAt(written, 'action', 'name');
  if (action !== null) return action;
  const workflow = nameAt(written, 'workflow', 'id');
  if (workflow !== null) return `workflow ${workflow}`;
  const event = textAt(objectAt(written, 'wait'), 'event');
  if (event !== null) return `waits for ${event}`;
  if (written['wait'] !== undefined) return 'waits';
  if (written['input'] !== undefined && written['type'] === undefined) return 'asks';
  if (written['batch'] !== undefined) return 'batch';
  return textAt(written, 'type') ?? 'passes on';
}

interface Way {
  readonly id: string | null;
  readonly from: string;
  readonly to: string;
  readonly label: string;
}

/** Transitions, edges, connectors, connections: as each dialect calls them. */
function waysOf(definition: JsonObject): readonly Way[] {
  const names = ['transitions', 'edges', 'connectors', 'connections'];
  const ways = names.flatMap((name) => objectsIn(definition[name]));
  return ways.map((way) => ({
    id: textAt(way, 'id'),
    from: firstText(way, 'from', 'source', 'fromNodeId') ?? '',
    to: firstText(way, 'to', 'target', 'toNodeId') ?? '',
    label: wayLabel(way),
  }));
}

function wayLabel(way: JsonObject): string {
  const on = textAt(way, 'on');
  const foreach = textAt(objectAt(way, 'foreach'), 'collection');
  const spawns = way['spawnCount'];
  const parts = [
    on === 'failure' || on === 'any' || on === 'slice' ? `on ${on}` : null,
    textAt(way, 'condition'),
    foreach === null ? null : `for each of ${foreach}`,
    typeof spawns === 'number' && spawns > 1 ? `${spawns} times` : null,
    firstText(way, 'output', 'sourceHandle', 'fromOutput'),
  ];
  return parts.filter((part) => part !== null && part !== 'main').join(', ');
}

function labelOf({ id, from, to }: DrawnTransition, ways: readonly Way[]): string {
  const way = ways.find((each) => each.id === id) ?? ways.find((each) => each.from === from && each.to === to);
  return way?.label ?? '';
}

function sizeOf(written: JsonObject): DrawnNode['size'] {
  for (const holder of [written, objectAt(written, 'style')]) {
    const { width, height } = holder;
    if (typeof width === 'number' && typeof height === 'number') return { width, height };
  }
  return null;
}

// ------------------------------------------------------------------------------------------- reading what may be anything

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const objectsIn = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter((each) => isObject(each)) : [];

const objectAt = (holder: JsonObject, name: string): JsonObject => {
  const value = holder[name];
  return isObject(value) ? value : {};
};

const textAt = (holder: JsonObject, name: string): string | null => {
  const value = holder[name];
  return typeof value === 'string' && value !== '' ? value : null;
};

const firstText = (holder: JsonObject, ...names: readonly string[]): string | null =>
  names.map((name) => textAt(holder, name)).find((text) => text !== null) ?? null;

/** A name, or an object that has it. */
const nameAt = (holder: JsonObject, name: string, member: string): string | null =>
  textAt(holder, name) ?? textAt(objectAt(holder, name), member);

const pointAt = (holder: JsonObject, name: string): Point | null => {
  const { x, y } = objectAt(holder, name);
  return typeof x === 'number' && typeof y === 'number' ? { x, y } : null;
};
