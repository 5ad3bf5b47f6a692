// Handle adapter: drawings such as React Flow saves them. Nodes have a type of the catalogue and settings; edges leave
// handles; containers have nodes drawn in them.

import type { Json, JsonObject, NodeTypeInfo } from 'heddle';
import { listHandles } from 'heddle/dialects';
import {
  asPoint,
  type DialectAdapter,
  type Ends,
  type Fragment,
  type Known,
  type NodeIcon,
  type NodeLook,
  type PaletteItem,
  positionInMeta,
  readPoint,
} from './adapter.ts';
import { edgesOf, findNode, leadsTo, nodesOf } from './graph.ts';
import { isList, isObject, objectsIn, textOf } from './places.ts';
import { idFor } from './token-palette.ts';

export const handleAdapter: DialectAdapter = {
  dialect: 'handle',
  title: 'Drawn graph',
  description: 'Node types of the catalogue, joined at their handles, as React Flow saves them.',
  edgesField: (definition) => ('connections' in definition ? 'connections' : 'edges'),
  readParent: (node) => textOf(node['parentId'] ?? node['parentNode']) || null,
  readPosition: (node) => readPoint(node['position']) ?? positionInMeta.readPosition(node),
  writePosition: (node, point) => ({ ...node, position: asPoint(point) }),
  readEnds,
  writeEnds,
  newEdge,
  look,
  edgeLabel: ({ label, maxIterations }) =>
    typeof maxIterations === 'number' ? `↻ at most ${maxIterations}` : textOf(label),
  refuse,
  settle,
  freshen: (fragment: Fragment) => ({ ...fragment, edges: fragment.edges.map(({ id: _, ...edge }) => edge) }),
  palette,
  blank: (id) => ({ id, nodes: [], edges: [], viewport: { x: 0, y: 0, zoom: 1 } }),
};

const named = (value: Json | undefined): string | undefined => textOf(value) || undefined;

function readEnds(edge: JsonObject): Ends {
  const { source, target, sourceHandle, targetHandle, fromNodeId, toNodeId, fromOutput, toInput } = edge;
  return {
    from: textOf(source ?? fromNodeId),
    to: textOf(target ?? toNodeId),
    output: named(sourceHandle ?? fromOutput),
    input: named(targetHandle ?? toInput),
  };
}

/** In the words that the edge has, React Flow's for a new one. */
function writeEnds(edge: JsonObject, { from, to, output, input }: Ends): JsonObject {
  if ('fromNodeId' in edge)
    return {
      ...edge,
      fromNodeId: from,
      toNodeId: to,
      ...(output === undefined ? {} : { fromOutput: output }),
      ...(input === undefined ? {} : { toInput: input }),
    };
  return {
    ...edge,
    source: from,
    target: to,
    ...(output === undefined ? {} : { sourceHandle: output }),
    ...(input === undefined ? {} : { targetHandle: input }),
  };
}

function newEdge(definition: JsonObject, ends: Ends): JsonObject {
  const edges = edgesOf(definition, handleAdapter);
  const isNative = handleAdapter.edgesField(definition) === 'connections';
  const edge = writeEnds(isNative ? { fromNodeId: '' } : {}, ends);
  const id = [ends.from, ends.output, ends.to, ends.input].filter((part) => part !== undefined).join('-');
  const taken = new Set(edges.map((one) => textOf(one['id'])));
  const free = taken.has(id) ? `${id}-${edges.length + 1}` : id;
  const isBack = leadsTo(edges.map(readEnds), { from: ends.to, to: ends.from });
  return { id: free, ...edge, ...(isBack && !isSequential(definition) ? { maxIterations: 10 } : {}) };
}

const isSequential = ({ dialect, mode }: JsonObject): boolean =>
  mode === 'sequential' || (mode === undefined && dialect === 'handle');

const typeOf = (known: Known, node: JsonObject): NodeTypeInfo | undefined =>
  known.nodeTypes.find(({ type }) => type === node['type']);

function look(node: JsonObject, edges: readonly JsonObject[], known: Known): NodeLook {
  const info = typeOf(known, node);
  const type = textOf(node['type']);
  const data = isObject(node['data']) ? node['data'] : {};
  const label = textOf(data['label']);
  const detail = info === undefined ? label : (firstText(data) ?? label);
  const listed = info === undefined ? null : listHandles(info, data);
  const used = edges
    .map(readEnds)
    .filter(({ from }) => from === node['id'])
    .flatMap(({ output }) => output ?? []);
  const outputs = listed === null ? [...new Set(used)] : [...new Set([...listed, ...used])];
  const isPlain = outputs.length === 0 && listed === null;
  const isContainer = info?.isContainer === true || type === 'group';
  return {
    icon: iconOf(type),
    kind: info?.title ?? type,
    detail,
    outputs: isPlain || (outputs.length === 1 && outputs[0] === 'main') ? null : outputs,
    inputs: null,
    ...(isContainer ? { isContainer, size: sizeOf(node) } : {}),
  };
}

/** As React Flow keeps it, in one of several places. */
function sizeOf({ style, measured, width, height }: JsonObject): { readonly width: number; readonly height: number } {
  const pick = (field: 'width' | 'height', own: Json | undefined, otherwise: number): number => {
    const places = [own, isObject(style) ? style[field] : undefined, isObject(measured) ? measured[field] : undefined];
    return places.find((value): value is number => typeof value === 'number') ?? otherwise;
  };
  return { width: pick('width', width, 320), height: pick('height', height, 200) };
}

/** The first setting that is a text says most. */
function firstText(data: JsonObject): string | undefined {
  return Object.values(data).find((value): value is string => typeof value === 'string');
}

const icons: Readonly<Record<string, NodeIcon>> = {
  'core.condition': 'switch',
  'core.switch': 'switch',
  'core.prompt': 'prompt',
  'core.event': 'event',
  'core.timer': 'wait',
  'core.workflow': 'workflow',
  'core.foreach': 'batch',
  'core.batch': 'batch',
  'core.group': 'batch',
  'core.merge': 'join',
  'core.end': 'end',
};

const iconOf = (type: string): NodeIcon => icons[type] ?? (/note|comment|annotation/i.test(type) ? 'note' : 'step');

function refuse(definition: JsonObject, ends: Ends, known: Known): string | null {
  const [from, to] = [findNode(definition, ends.from), findNode(definition, ends.to)];
  if (from === undefined || to === undefined) return null;
  if (handleAdapter.readParent(from) !== handleAdapter.readParent(to))
    return `Expected an edge to stay inside or outside of a container, but "${ends.from}" and "${ends.to}" are not drawn in the same one.`;
  if (from['type'] === 'core.end')
    return `Expected an edge to leave a node that continues, but "${ends.from}" is an end.`;
  const info = typeOf(known, from);
  const handles = info === undefined ? null : listHandles(info, isObject(from['data']) ? from['data'] : {});
  const output = ends.output ?? 'main';
  if (handles !== null && output !== 'error' && !handles.includes(output))
    return `Expected an edge to leave one of the handles of "${ends.from}" (${handles.join(', ')}), but it leaves "${output}".`;
  const isSame = edgesOf(definition, handleAdapter)
    .map(readEnds)
    .some(
      (one) => one.from === ends.from && one.to === ends.to && one.output === ends.output && one.input === ends.input,
    );
  return isSame
    ? `Expected another edge than there is from "${ends.from}" to "${ends.to}", but this one is there already.`
    : null;
}

/** Nodes are named by those that are drawn in them, and by expressions: `nodes.load.orders`. */
function settle(definition: JsonObject, renamed: ReadonlyMap<string, string>): JsonObject {
  if (renamed.size === 0) return definition;
  const nodes = nodesOf(definition).map((node) => {
    const parent = handleAdapter.readParent(node);
    const moved = parent !== null && renamed.has(parent) ? { ...node, parentId: renamed.get(parent) ?? parent } : node;
    const { data } = moved;
    return data === undefined ? moved : { ...moved, data: renameInTexts(data, renamed) };
  });
  return { ...definition, nodes };
}

function renameInTexts(value: Json, renamed: ReadonlyMap<string, string>): Json {
  if (typeof value === 'string') return renameInText(value, renamed);
  if (isList(value)) return value.map((one) => renameInTexts(one, renamed));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, renameInTexts(one, renamed)]));
}

function renameInText(text: string, renamed: ReadonlyMap<string, string>): string {
  let changed = text;
  for (const [from, to] of renamed) {
    const isWord = /^[A-Za-z_]\w*$/.test(to);
    const read = isWord ? `nodes.${to}` : `nodes[${JSON.stringify(to)}]`;
    if (/^[A-Za-z_]\w*$/.test(from)) changed = changed.replaceAll(new RegExp(`\\bnodes\\.${from}\\b`, 'g'), read);
    changed = changed.replaceAll(`nodes[${JSON.stringify(from)}]`, read).replaceAll(`nodes['${from}']`, read);
  }
  return changed;
}

function palette({ nodeTypes }: Known): readonly PaletteItem[] {
  return nodeTypes
    .filter(({ deprecated }) => deprecated === undefined)
    .toSorted((a, b) => Number(b.source === 'core') - Number(a.source === 'core'))
    .map((info) => ({
      name: info.type,
      title: info.title,
      description: info.description ?? info.type,
      category: info.category ?? (info.source === 'core' ? 'Flow' : 'Actions'),
      icon: iconOf(info.type),
      fragment: { dialect: 'handle', nodes: [newNode(info)], edges: [] },
    }));
}

function newNode({ type, version, inputs = [], isContainer }: NodeTypeInfo): JsonObject {
  const defaults = objectsIn(inputs.map(({ name, value }) => (value === undefined ? {} : { name, value })));
  const data = Object.fromEntries(
    defaults.flatMap(({ name, value }) => (value === undefined ? [] : [[textOf(name), value]])),
  );
  return {
    id: idFor(type),
    type,
    typeVersion: version,
    position: { x: 0, y: 0 },
    data,
    ...(isContainer === true ? { style: { width: 320, height: 200 } } : {}),
  };
}
