// React Flow: the fields that its editor saves with a graph and that say only how it is drawn, and its words for the
// others. Dialects whose graphs come from such editors read the first and forget them, and use the others in messages.

import { given } from '../base/given.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { isJsonObject } from '../base/path.ts';
import type { Reporter } from '../definition/reporter.ts';
import type { Field } from '../definition/shape.ts';

type Fields = Readonly<Record<string, Field>>;

const nodeNames = [
  'position',
  'positionAbsolute',
  'origin',
  'sourcePosition',
  'targetPosition',
  'handles',
  'measured',
  'width',
  'height',
  'initialWidth',
  'initialHeight',
  'parentId',
  'parentNode',
  'extent',
  'expandParent',
  'dragging',
  'resizing',
  'draggable',
  'connectable',
  'dragHandle',
] as const;

const edgeNames = [
  'type',
  'data',
  'animated',
  'label',
  'labelStyle',
  'labelShowBg',
  'labelBgStyle',
  'labelBgPadding',
  'labelBgBorderRadius',
  'markerStart',
  'markerEnd',
  'interactionWidth',
  'pathOptions',
  'reconnectable',
  'updatable',
] as const;

/** Nodes and edges have these. */
const sharedNames = [
  'selected',
  'selectable',
  'hidden',
  'deletable',
  'focusable',
  'zIndex',
  'style',
  'className',
  'ariaLabel',
  'ariaRole',
  'domAttributes',
] as const;

/** Beside `nodes` and `edges`. */
const graphNames = ['viewport', 'position', 'zoom'] as const;

/** For authors who write in TypeScript: what is only drawn may be anything. */
export type DrawnGraph = Drawn<(typeof graphNames)[number]>;
export type DrawnNode = Drawn<(typeof nodeNames)[number] | (typeof sharedNames)[number]>;
export type DrawnEdge = Drawn<(typeof edgeNames)[number] | (typeof sharedNames)[number]>;

type Drawn<Name extends string> = { readonly [_ in Name]?: unknown };

export const reactFlowFields: Fields = makeFields(graphNames);
export const reactFlowNodeFields: Fields = makeFields([...nodeNames, ...sharedNames]);
export const reactFlowEdgeFields: Fields = makeFields([...edgeNames, ...sharedNames]);

function makeFields(names: readonly string[]): Fields {
  const field: Field = { shape: { type: 'opaque' }, shorthand: true, description: 'How it is drawn.' };
  return Object.fromEntries(names.map((name) => [name, field]));
}

/** A copy of a checked part without the fields that only say how it is drawn. */
export function withoutDrawing<Part extends object>(part: Part, drawing: Fields): Part {
  // Fields of drawing are optional in all parts.
  return Object.fromEntries(Object.entries(part).filter(([name]) => !Object.hasOwn(drawing, name))) as Part;
}

/** A handle that is null or empty is one that nobody named: editors save it so where a node has only one. */
export function withoutUnnamedHandles(edge: Json): Json {
  if (!isJsonObject(edge)) return edge;
  const isNamed = ([key, value]: [string, Json]) => (value !== null && value !== '') || !handleNames.has(key);
  return Object.fromEntries(Object.entries(edge).filter(isNamed)) satisfies JsonObject;
}

const handleNames: ReadonlySet<string> = new Set(['sourceHandle', 'targetHandle']);

/** Whether the author's words are those of React Flow; messages then use them too. */
export function isReactFlow(json: Json): boolean {
  if (!isJsonObject(json)) return false;
  const { nodes, edges, viewport } = json;
  return viewport !== undefined || hasAny(nodes, ['position']) || hasAny(edges, handleNames);
}

/** Whether it has the words of a dataflow: ports of nodes, and edges between them. */
export function hasPorts({ nodes, edges }: JsonObject): boolean {
  return hasAny(nodes, ['inputs', 'outputs']) || hasAny(edges, portNames);
}

export const portNames = ['sourceOutput', 'targetInput', 'sourcePort', 'targetPort'];

function hasAny(list: Json | undefined, names: Iterable<string>): boolean {
  return (
    Array.isArray(list) && list.some((item: Json) => [...names].some((name) => isJsonObject(item) && name in item))
  );
}

/** React Flow's names for fields, by their own. */
export type FieldNames = Readonly<Record<string, string>>;

/** Fields under the names that React Flow has for them; their own are other names. `data` is for what is the author's. */
export function asReactFlow(fields: Fields, names: FieldNames): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([own, { shorthand, ...field }]): [string, Field] => {
      const name = names[own] ?? own;
      const aliases = [own, ...(field.aliases ?? [])].filter((alias) => alias !== name);
      return [name, { ...field, aliases, ...given({ shorthand: own === 'data' ? undefined : shorthand }) }];
    }),
  );
}

/** Gives the fields of checked parts their own names back. */
export function renameFields(parts: Iterable<object>, names: FieldNames, { origins }: Reporter): void {
  // They are drafts, made by `checkObject`.
  for (const part of parts as Iterable<Record<string, unknown>>) {
    for (const [own, name] of Object.entries(names)) {
      if (!Object.hasOwn(part, name)) continue;
      part[own] = part[name];
      delete part[name];
      origins.placeField(part, own, origins.of(part, name));
    }
  }
}
