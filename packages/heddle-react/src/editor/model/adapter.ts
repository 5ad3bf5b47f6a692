// Adapter: what the editor must know of a dialect to draw its definitions and to change them. What all dialects share (a
// list of nodes, a list of edges between them) is in `graph.ts`.

import type { ActionInfo, Dialect, Json, JsonObject, NodeTypeInfo } from 'heddle';
import { isObject } from './places.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** What an edge joins. Outputs and inputs are named where a node has several. */
export interface Ends {
  readonly from: string;
  readonly to: string;
  readonly output?: string | undefined;
  readonly input?: string | undefined;
}

/** What the engine offers to nodes. */
export interface Known {
  readonly nodeTypes: readonly NodeTypeInfo[];
  readonly actions: readonly ActionInfo[];
  readonly workflows: readonly string[];
}

export type NodeIcon =
  | 'step'
  | 'point'
  | 'prompt'
  | 'wait'
  | 'event'
  | 'workflow'
  | 'batch'
  | 'start'
  | 'end'
  | 'switch'
  | 'fan-out'
  | 'join'
  | 'edit'
  | 'note';

/** How a node is shown. */
export interface NodeLook {
  readonly icon: NodeIcon;
  /** What it does, in the words of the palette. */
  readonly kind: string;
  readonly detail: string;
  /** Names of its outputs and inputs; null: one without a name. */
  readonly outputs: readonly string[] | null;
  readonly inputs: readonly string[] | null;
  readonly isContainer?: boolean;
  /** Of a container. */
  readonly size?: { readonly width: number; readonly height: number };
}

/** Nodes and the edges between them, in the words of a dialect: what is copied, pasted, and offered by the palette. */
export interface Fragment {
  readonly dialect: Dialect;
  readonly nodes: readonly JsonObject[];
  readonly edges: readonly JsonObject[];
}

export interface PaletteItem {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly category: string;
  readonly icon: NodeIcon;
  readonly fragment: Fragment;
}

export interface DialectAdapter {
  readonly dialect: Dialect;
  /** What it is called in the editor. */
  readonly title: string;
  readonly description: string;
  readonly edgesField: (definition: JsonObject) => string;
  readonly readEnds: (edge: JsonObject) => Ends;
  readonly writeEnds: (edge: JsonObject, ends: Ends) => JsonObject;
  /** Of an edge that somebody draws, with the settings that it needs to begin with. */
  readonly newEdge: (definition: JsonObject, ends: Ends) => JsonObject;
  readonly readPosition: (node: JsonObject) => Point | null;
  readonly writePosition: (node: JsonObject, point: Point) => JsonObject;
  /** The node that it is drawn in. */
  readonly readParent: (node: JsonObject) => string | null;
  /** What a node looks like, with the edges that begin or end at it. */
  readonly look: (node: JsonObject, edges: readonly JsonObject[], known: Known) => NodeLook;
  readonly edgeLabel: (edge: JsonObject) => string;
  /** Why an edge cannot be drawn, in a sentence; null if it can. */
  readonly refuse: (definition: JsonObject, ends: Ends, known: Known) => string | null;
  /** After nodes were added, removed or renamed: what else in the definition names nodes. */
  readonly settle: (definition: JsonObject, renamed: ReadonlyMap<string, string>) => JsonObject;
  /** A fragment with names of its own where the definition has the same ones. */
  readonly freshen: (fragment: Fragment, definition: JsonObject) => Fragment;
  readonly palette: (known: Known) => readonly PaletteItem[];
  readonly blank: (id: string) => JsonObject;
}

const isNumber = (value: Json | undefined): value is number => typeof value === 'number' && Number.isFinite(value);

export function readPoint(value: Json | undefined): Point | null {
  if (!isObject(value)) return null;
  const { x, y } = value;
  return isNumber(x) && isNumber(y) ? { x, y } : null;
}

export const asPoint = ({ x, y }: Point): JsonObject => ({ x: Math.round(x), y: Math.round(y) });

/** Positions in `meta`, for dialects that have no place of their own for them. */
export const positionInMeta: Pick<DialectAdapter, 'readPosition' | 'writePosition'> = {
  readPosition: ({ meta }) => (isObject(meta) ? readPoint(meta['position']) : null),
  writePosition: (node, point) => {
    const { meta } = node;
    return { ...node, meta: { ...(isObject(meta) ? meta : {}), position: asPoint(point) } };
  },
};
