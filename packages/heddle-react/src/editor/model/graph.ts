// Graph: a definition of any dialect as nodes and edges, and the changes that can be made to them. Each change answers
// with another definition; nothing else of it is touched.

import type { Json, JsonObject } from 'heddle';
import type { DialectAdapter, Ends, Fragment, Known, NodeLook, Point } from './adapter.ts';
import { isObject, objectsIn, textOf } from './places.ts';

export interface DrawnNode extends NodeLook {
  readonly id: string;
  /** In the list of nodes. */
  readonly index: number;
  readonly title: string;
  readonly position: Point | null;
  readonly parent: string | null;
  readonly isInitial: boolean;
}

export interface DrawnEdge extends Ends {
  /** Its ends, and a number if others have the same: stays as long as these do. */
  readonly key: string;
  /** In the list of edges. */
  readonly index: number;
  readonly label: string;
}

export interface DrawnGraph {
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly DrawnEdge[];
}

export function drawGraph(definition: JsonObject, adapter: DialectAdapter, known: Known): DrawnGraph {
  const initial = textOf(definition['initialNode']);
  const edges = edgesByNode(definition, adapter);
  const nodes = objectsIn(definition['nodes']).map((node, index) => ({
    id: textOf(node['id']),
    index,
    title: textOf(node['name']) || textOf(node['title']) || textOf(node['id']),
    position: adapter.readPosition(node),
    parent: adapter.readParent(node),
    isInitial: initial !== '' && initial === node['id'],
    ...adapter.look(node, edges.get(textOf(node['id'])) ?? [], known),
  }));
  return { nodes, edges: drawEdges(definition, adapter) };
}

/** For each node those that begin or end at it. */
function edgesByNode(definition: JsonObject, adapter: DialectAdapter): ReadonlyMap<string, readonly JsonObject[]> {
  const edges = new Map<string, JsonObject[]>();
  for (const edge of edgesOf(definition, adapter)) {
    const { from, to } = adapter.readEnds(edge);
    for (const id of new Set([from, to])) {
      const known = edges.get(id);
      if (known === undefined) edges.set(id, [edge]);
      else known.push(edge);
    }
  }
  return edges;
}

export function drawEdges(definition: JsonObject, adapter: DialectAdapter): readonly DrawnEdge[] {
  const seen = new Map<string, number>();
  return edgesOf(definition, adapter).map((edge, index) => {
    const ends = adapter.readEnds(edge);
    const name = [ends.from, ends.output ?? '', ends.to, ends.input ?? ''].map(encodeURIComponent).join('~');
    const count = seen.get(name) ?? 0;
    seen.set(name, count + 1);
    return { ...ends, key: count === 0 ? name : `${name}~${count}`, index, label: adapter.edgeLabel(edge) };
  });
}

export const nodesOf = (definition: JsonObject): readonly JsonObject[] => objectsIn(definition['nodes']);

export const edgesOf = (definition: JsonObject, adapter: DialectAdapter): readonly JsonObject[] =>
  objectsIn(definition[adapter.edgesField(definition)]);

export const findNode = (definition: JsonObject, id: string): JsonObject | undefined =>
  nodesOf(definition).find((node) => node['id'] === id);

const withNodes = (definition: JsonObject, nodes: readonly Json[]): JsonObject => ({ ...definition, nodes });

const withEdges = (definition: JsonObject, adapter: DialectAdapter, edges: readonly Json[]): JsonObject => ({
  ...definition,
  [adapter.edgesField(definition)]: edges,
});

export function changeNode(definition: JsonObject, id: string, change: (node: JsonObject) => JsonObject): JsonObject {
  return withNodes(
    definition,
    nodesOf(definition).map((node) => (node['id'] === id ? change(node) : node)),
  );
}

export function changeEdge(
  definition: JsonObject,
  adapter: DialectAdapter,
  { key, change }: { readonly key: string; readonly change: (edge: JsonObject) => JsonObject },
): JsonObject {
  const index = drawEdges(definition, adapter).find((edge) => edge.key === key)?.index;
  const edges = edgesOf(definition, adapter);
  return withEdges(
    definition,
    adapter,
    edges.map((edge, at) => (at === index ? change(edge) : edge)),
  );
}

export function connect(definition: JsonObject, adapter: DialectAdapter, ends: Ends): JsonObject {
  return withEdges(definition, adapter, [...edgesOf(definition, adapter), adapter.newEdge(definition, ends)]);
}

/** Whether edges lead from a node to another, or it is the same. */
export function leadsTo(edges: readonly Ends[], { from, to }: Pick<Ends, 'from' | 'to'>): boolean {
  const seen = new Set([from]);
  for (const id of seen) {
    if (id === to) return true;
    for (const edge of edges) if (edge.from === id) seen.add(edge.to);
  }
  return false;
}

export interface Parts {
  readonly nodes: readonly string[];
  readonly edges: readonly string[];
}

/** Nodes with all that is drawn in them, their edges, and other edges. */
export function removeParts(definition: JsonObject, adapter: DialectAdapter, parts: Parts): JsonObject {
  const gone = withChildren(definition, adapter, parts.nodes);
  const goneEdges = new Set(parts.edges);
  const kept = drawEdges(definition, adapter).filter(
    ({ key, from, to }) => !goneEdges.has(key) && !gone.has(from) && !gone.has(to),
  );
  const edges = edgesOf(definition, adapter);
  const nodes = nodesOf(definition).filter((node) => !gone.has(textOf(node['id'])));
  const left = withEdges(
    withNodes(definition, nodes),
    adapter,
    kept.flatMap(({ index }) => edges[index] ?? []),
  );
  return adapter.settle(left, new Map());
}

function withChildren(definition: JsonObject, adapter: DialectAdapter, ids: readonly string[]): ReadonlySet<string> {
  const all = new Set(ids);
  let before = -1;
  while (all.size !== before) {
    before = all.size;
    for (const node of nodesOf(definition)) if (all.has(adapter.readParent(node) ?? '')) all.add(textOf(node['id']));
  }
  return all;
}

export function moveNodes(
  definition: JsonObject,
  adapter: DialectAdapter,
  positions: ReadonlyMap<string, Point>,
): JsonObject {
  const nodes = nodesOf(definition).map((node) => {
    const position = positions.get(textOf(node['id']));
    return position === undefined ? node : adapter.writePosition(node, position);
  });
  return withNodes(definition, nodes);
}

export function renameNode(
  definition: JsonObject,
  adapter: DialectAdapter,
  { from, to }: { readonly from: string; readonly to: string },
): JsonObject {
  const renamed = new Map([[from, to]]);
  const nodes = nodesOf(definition).map((node) => (node['id'] === from ? { ...node, id: to } : node));
  const edges = edgesOf(definition, adapter).map((edge) => renameEnds(edge, adapter, renamed));
  return adapter.settle(withEdges(withNodes(definition, nodes), adapter, edges), renamed);
}

function renameEnds(edge: JsonObject, adapter: DialectAdapter, renamed: ReadonlyMap<string, string>): JsonObject {
  const ends = adapter.readEnds(edge);
  const isTouched = renamed.has(ends.from) || renamed.has(ends.to);
  const from = renamed.get(ends.from) ?? ends.from;
  const to = renamed.get(ends.to) ?? ends.to;
  return isTouched ? adapter.writeEnds(edge, { ...ends, from, to }) : edge;
}

/** Nodes with what is drawn in them, and the edges between them. */
export function copyParts(definition: JsonObject, adapter: DialectAdapter, ids: readonly string[]): Fragment {
  const all = withChildren(definition, adapter, ids);
  return {
    dialect: adapter.dialect,
    nodes: nodesOf(definition).filter((node) => all.has(textOf(node['id']))),
    edges: edgesOf(definition, adapter).filter((edge) => {
      const { from, to } = adapter.readEnds(edge);
      return all.has(from) && all.has(to);
    }),
  };
}

export interface Inserted {
  readonly definition: JsonObject;
  /** The ids that the nodes of the fragment got. */
  readonly added: readonly string[];
}

const spacing = { x: 0, y: 110 };

/** Ids that are taken are renamed; the top left corner of the fragment goes to the point. */
export function insertFragment(
  definition: JsonObject,
  adapter: DialectAdapter,
  { fragment: given, at }: { readonly fragment: Fragment; readonly at: Point },
): Inserted {
  const fragment = adapter.freshen(given, definition);
  const renamed = freeIds(definition, fragment);
  // In the fragment alone: names that it shares with the definition are the definition's.
  const own = adapter.settle({ nodes: fragment.nodes, [adapter.edgesField(definition)]: fragment.edges }, renamed);
  const placed = fragment.nodes.map((node, index) => adapter.readPosition(node) ?? { x: 0, y: index * spacing.y });
  const isInside = new Set(fragment.nodes.map((node) => textOf(node['id'])));
  const left = Math.min(...placed.map(({ x }) => x));
  const top = Math.min(...placed.map(({ y }) => y));
  const nodes = nodesOf(own).map((node, index) => {
    const { x, y } = placed[index] ?? at;
    const parent = fragment.nodes[index] === undefined ? null : adapter.readParent(fragment.nodes[index]);
    const isChild = parent !== null && isInside.has(parent);
    const id = textOf(node['id']);
    return adapter.writePosition(
      { ...node, id: renamed.get(id) ?? id },
      isChild ? { x, y } : { x: at.x + x - left, y: at.y + y - top },
    );
  });
  const edges = edgesOf(own, adapter).map((edge) => renameEnds(edge, adapter, renamed));
  const whole = withEdges(withNodes(definition, [...nodesOf(definition), ...nodes]), adapter, [
    ...edgesOf(definition, adapter),
    ...edges,
  ]);
  return { definition: adapter.settle(whole, new Map()), added: nodes.map((node) => textOf(node['id'])) };
}

/** New ids for those that are taken: `score` becomes `score-2`. */
function freeIds(definition: JsonObject, { nodes }: Fragment): ReadonlyMap<string, string> {
  const taken = new Set(nodesOf(definition).map((node) => textOf(node['id'])));
  const renamed = new Map<string, string>();
  for (const node of nodes) {
    const id = textOf(node['id']);
    const free = freeName(id, taken);
    taken.add(free);
    if (free !== id) renamed.set(id, free);
  }
  return renamed;
}

export function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  const stem = name.replace(/-\d+$/, '');
  let number = 2;
  while (taken.has(`${stem}-${number}`)) number += 1;
  return `${stem}-${number}`;
}

/** A fragment that somebody copied, from its text; null if it is none. */
export function readFragment(text: string): Fragment | null {
  try {
    const value = JSON.parse(text) as Json; // whatever was in the clipboard
    if (!isObject(value) || !isObject(value['heddle'])) return null;
    const { dialect, nodes, edges } = value['heddle'];
    if (dialect !== 'token' && dialect !== 'thread' && dialect !== 'handle' && dialect !== 'dataflow') return null;
    return { dialect, nodes: objectsIn(nodes), edges: objectsIn(edges) };
  } catch {
    return null; // no JSON: something else was copied
  }
}

export const writeFragment = ({ dialect, nodes, edges }: Fragment): string =>
  JSON.stringify({ heddle: { dialect, nodes, edges } }, null, 2);
