// Dataflow adapter: nodes with ports, and edges that carry values from port to port.

import type { Json, JsonObject } from 'heddle';
import {
  asPoint,
  type DialectAdapter,
  type Ends,
  type Known,
  type NodeLook,
  type PaletteItem,
  positionInMeta,
  readPoint,
} from './adapter.ts';
import { findNode, leadsTo } from './graph.ts';
import { isObject, objectsIn, textOf } from './places.ts';
import { idFor } from './token-palette.ts';

export const dataflowAdapter: DialectAdapter = {
  dialect: 'dataflow',
  title: 'Dataflow',
  description: 'Boxes with ports: a node runs when all that it depends on has run.',
  edgesField: () => 'edges',
  readParent: () => null,
  readPosition: (node) => readPoint(node['position']) ?? positionInMeta.readPosition(node),
  writePosition: (node, point) =>
    'position' in node ? { ...node, position: asPoint(point) } : positionInMeta.writePosition(node, point),
  readEnds,
  writeEnds,
  newEdge: (_, ends) => writeEnds({}, ends),
  look,
  edgeLabel: () => '',
  refuse,
  settle: (definition) => definition,
  freshen: (fragment) => ({ ...fragment, edges: fragment.edges.map(({ id: _, ...edge }) => edge) }),
  palette,
  blank: (id) => ({ dialect: 'dataflow', id, nodes: [], edges: [] }),
};

const named = (value: Json | undefined): string | undefined => textOf(value) || undefined;

function readEnds(edge: JsonObject): Ends {
  const { source, target, sourceOutput, targetInput, sourceHandle, targetHandle, sourcePort, targetPort } = edge;
  return {
    from: textOf(source),
    to: textOf(target),
    output: named(sourceOutput ?? sourceHandle ?? sourcePort),
    input: named(targetInput ?? targetHandle ?? targetPort),
  };
}

function writeEnds(edge: JsonObject, { from, to, output, input }: Ends): JsonObject {
  const isDrawn = 'sourceHandle' in edge || 'targetHandle' in edge;
  return {
    ...edge,
    source: from,
    ...(output === undefined ? {} : { [isDrawn ? 'sourceHandle' : 'sourceOutput']: output }),
    target: to,
    ...(input === undefined ? {} : { [isDrawn ? 'targetHandle' : 'targetInput']: input }),
  };
}

interface Port {
  readonly name: string;
  readonly type: string;
}

/** Those of the node, those of its type, and those that edges name. */
function portsOf(
  node: JsonObject,
  side: 'inputs' | 'outputs',
  context: { edges: readonly JsonObject[]; known: Known },
): Port[] {
  const own = objectsIn(node[side]).map(({ name, type }) => ({ name: textOf(name), type: textOf(type) }));
  const info = context.known.nodeTypes.find(({ type }) => type === node['type']);
  const ofType = (info?.[side] ?? []).map(({ name, type = '' }) => ({ name, type }));
  const used = context.edges.map(readEnds).flatMap(({ from, to, output, input }) => {
    if (side === 'outputs') return from === node['id'] && output !== undefined ? [output] : [];
    return to === node['id'] && input !== undefined ? [input] : [];
  });
  const ports = new Map<string, Port>();
  for (const port of [...ofType, ...own]) ports.set(port.name, port);
  for (const name of used) if (!ports.has(name)) ports.set(name, { name, type: '' });
  return [...ports.values()];
}

function look(node: JsonObject, edges: readonly JsonObject[], known: Known): NodeLook {
  const type = textOf(node['type']);
  const context = { edges, known };
  const names = (side: 'inputs' | 'outputs'): readonly string[] | null => {
    const ports = portsOf(node, side, context).map(({ name }) => name);
    return ports.length === 0 ? null : ports;
  };
  const title = known.nodeTypes.find((info) => info.type === type)?.title ?? type;
  const values = isObject(node['inputs']) ? JSON.stringify(node['inputs']).slice(1, -1) : '';
  return {
    icon: type === 'core.input' ? 'start' : 'step',
    kind: type === 'core.input' ? 'Input of the run' : title,
    detail: values,
    outputs: names('outputs'),
    inputs: type === 'core.input' ? [] : names('inputs'),
  };
}

function refuse(definition: JsonObject, ends: Ends, known: Known): string | null {
  const [from, to] = [findNode(definition, ends.from), findNode(definition, ends.to)];
  if (from === undefined || to === undefined) return null;
  const edges = objectsIn(definition['edges']);
  if (leadsTo(edges.map(readEnds), { from: ends.to, to: ends.from }))
    return `Expected edges that do not go in circles, but from "${ends.to}" they lead back to "${ends.from}".`;
  const context = { edges, known };
  const output = portsOf(from, 'outputs', context).find(({ name }) => name === ends.output)?.type ?? '';
  const input = portsOf(to, 'inputs', context).find(({ name }) => name === ends.input)?.type ?? '';
  const isFree = (type: string): boolean => type === '' || type === 'any';
  if (isFree(output) || isFree(input) || output === input) return null;
  return `Expected an edge to join ports of one type, but "${ends.output}" of "${ends.from}" is ${output} and "${ends.input}" of "${ends.to}" is ${input}.`;
}

function palette({ nodeTypes }: Known): readonly PaletteItem[] {
  const input: PaletteItem = {
    name: 'core.input',
    title: 'Input of the run',
    description: 'Its outputs are the fields of the input.',
    category: 'Flow',
    icon: 'start',
    fragment: { dialect: 'dataflow', nodes: [{ id: 'input', type: 'core.input' }], edges: [] },
  };
  const types = nodeTypes.filter(({ source, deprecated }) => source !== 'core' && deprecated === undefined);
  return [
    input,
    ...types.map(
      (info): PaletteItem => ({
        name: info.type,
        title: info.title,
        description: info.description ?? info.type,
        category: info.category ?? 'Actions',
        icon: 'step',
        fragment: { dialect: 'dataflow', nodes: [{ id: idFor(info.type), type: info.type }], edges: [] },
      }),
    ),
  ];
}
