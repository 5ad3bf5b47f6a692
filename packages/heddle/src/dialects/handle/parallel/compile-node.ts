// Compile node: a node of a type that compiles becomes what its function says: one node of another type under the same id, or
// a group with nodes in it. Rule DR36.

import { copyToJson } from '../../../base/check-json.ts';
import { given } from '../../../base/given.ts';
import { isJsonObject } from '../../../base/path.ts';
import { checkObject } from '../../../definition/check-shape.ts';
import { retryShape } from '../../../definition/fields.ts';
import { actionName, nodeId } from '../../../definition/names.ts';
import type { Field, ObjectShape, Shape } from '../../../definition/shape.ts';
import {
  type CatalogueEntry,
  type CompiledEdge,
  type CompiledGraph,
  type CompiledNode,
  listHandles,
} from '../../catalogue/entry.ts';
import { mainHandle } from '../graph.ts';
import type { HandleConnection } from '../handle.ts';
import type { Drawn, Edges, Node, TypeCheck } from './apply-catalogue.ts';
import { groupKind } from './kinds.ts';
import { nodeOutput, writeValue } from './values.ts';

/** Types that compile to types that compile, one in the other. */
const compilersMax = 8;

export interface NodeAtHand {
  readonly node: Node;
  readonly entry: CatalogueEntry;
  readonly edges: Edges;
  readonly depth: number;
}

/** The node is changed in place: it is another `node`, or a group, with what is answered inside. Null: that was told. */
export function compileNode(at: NodeAtHand, check: TypeCheck): Drawn | 'node' | null {
  const { node, entry, edges, depth } = at;
  const { reporter } = check;
  const pointer = reporter.origins.of(node);
  if (depth >= compilersMax) {
    const message = `Expected node "${node.id}" to compile to nodes that do work, but its types compile to each other, ${compilersMax} deep`;
    reporter.error('COMPILE_FAILED', pointer, { message });
    return null;
  }
  const compiled = callCompiler(at, check);
  if (compiled === null) return null;
  if (!('nodes' in compiled)) {
    becomeNode(node, compiled, edges);
    return 'node';
  }
  const handles = listHandles(entry, node.data ?? {}) ?? undefined;
  const group = given({ output: compiled.output, handle: compiled.handle, handles });
  Object.assign(node, { type: groupKind, data: group });
  const inside = nameInside(node.id, compiled);
  for (const part of [...inside.nodes, ...inside.connections]) reporter.origins.place(part, pointer);
  return inside;
}

function callCompiler({ node, entry }: NodeAtHand, check: TypeCheck): CompiledNode | CompiledGraph | null {
  const { reporter, limits } = check;
  const { id, type, data = {} } = node;
  const pointer = reporter.origins.of(node);
  const outputOf = (name: string): string => nodeOutput(insideId(id, name));
  try {
    const expressionOf = (setting: string): string => writeValue(data[setting] ?? null);
    const returned = entry.compile?.({ id, settings: data, expressionOf, outputOf });
    const { definitionBytesMax: bytesMax, jsonDepthMax: depthMax } = limits;
    const json = copyToJson(returned, { bytesMax, depthMax, limitName: 'definitionBytesMax' });
    if (!json.ok) throw new Error(json.message);
    // What is wrong from here on is not what the author wrote: it is told at the node that was drawn.
    reporter.closeAt(pointer);
    const isGraph = isJsonObject(json.value) && 'nodes' in json.value;
    const place = { pointer, name: `what node type "${type}" compiles node "${id}" to` };
    const { draft, isWhole } = checkObject(check, isGraph ? graphShape : nodeShape, json.value, place);
    return isWhole ? (draft as unknown as CompiledNode | CompiledGraph) : null; // by its shape
  } catch (error) {
    const message = `Expected node type "${type}" to compile node "${id}", but it failed: ${error instanceof Error ? error.message : String(error)}`;
    reporter.error('COMPILE_FAILED', pointer, { message });
    return null;
  }
}

/** What was drawn at the node counts before what its compiler says. */
function becomeNode(node: Node, { type, data = {}, retry, timeoutMs, handles = {} }: CompiledNode, edges: Edges): void {
  Object.assign(node, { type, data, ...given({ retry: node.retry ?? retry, timeoutMs: node.timeoutMs ?? timeoutMs }) });
  for (const edge of edges.outbound) {
    const { fromOutput = mainHandle } = edge;
    if (Object.hasOwn(handles, fromOutput)) Object.assign(edge, { fromOutput: handles[fromOutput] });
  }
}

const insideId = (id: string, name: string): string => `${id}/${name}`;

function nameInside(id: string, { nodes, edges = [] }: CompiledGraph): Drawn {
  return {
    nodes: nodes.map(({ id: name, parentId, ...rest }) => ({
      ...rest,
      id: insideId(id, name),
      parentId: parentId === undefined ? id : insideId(id, parentId),
      isMade: true as const,
    })),
    connections: edges.map(
      ({ source, target, sourceHandle, targetHandle, maxIterations }: CompiledEdge): HandleConnection => ({
        fromNodeId: insideId(id, source),
        toNodeId: insideId(id, target),
        ...given({ fromOutput: sourceHandle, toInput: targetHandle, maxIterations }),
      }),
    ),
  };
}

const text: Shape = { type: 'text', what: 'a text' };
const settingsMap: Shape = { type: 'map', of: { type: 'opaque' } };
const field = (shape: Shape, description: string, required?: true): Field => ({
  shape,
  description,
  ...given({ required }),
});
const work: Readonly<Record<string, Field>> = {
  type: field({ ...actionName, what: 'a node type' }, 'Its type.', true),
  data: field(settingsMap, 'Its settings.'),
  retry: field(retryShape, 'When a failed attempt is made again.'),
  timeoutMs: field(
    { type: 'number', integer: true, min: 1, limit: 'timeoutMsMax' },
    'The longest that an attempt may take.',
  ),
};

const nodeShape: ObjectShape = {
  type: 'object',
  what: 'a compiled node',
  fields: { ...work, handles: field({ type: 'map', of: text }, 'By handle of the type: that of what it becomes.') },
};

const graphShape: ObjectShape = {
  type: 'object',
  what: 'a compiled graph',
  fields: {
    nodes: field(
      {
        type: 'list',
        min: 1,
        limit: 'definitionNodesMax',
        of: {
          type: 'object',
          what: 'a compiled node',
          fields: {
            ...work,
            id: field(nodeId, 'Unique in the graph.', true),
            typeVersion: field({ type: 'number', integer: true, min: 1 }, 'Of its settings.'),
            parentId: field(nodeId, 'The node that it lies in.'),
          },
        },
      },
      'Its nodes.',
      true,
    ),
    edges: field(
      {
        type: 'list',
        limit: 'definitionTransitionsMax',
        of: {
          type: 'object',
          what: 'a compiled edge',
          fields: {
            source: field(nodeId, 'The node that it leaves.', true),
            target: field(nodeId, 'The node that it leads to.', true),
            sourceHandle: field(nodeId, 'The handle that it leaves.'),
            targetHandle: field(nodeId, 'The input that it leads to.'),
            maxIterations: field({ type: 'number', integer: true, min: 1, limit: 'loopIterationsMax' }, 'Of a loop.'),
          },
        },
      },
      'The ways between them.',
    ),
    output: field(text, 'An expression for the output of the whole.'),
    handle: field(text, 'An expression for the handle that is taken.'),
  },
};
