// Dataflow parse: what an author or an editor wrote becomes a normalised dataflow definition, or a list of everything
// that is wrong with it.
//
// Always true: all problems are found in one go and point into the author's own JSON; what comes out has no cycle, no
// id twice, and edges that name their ports.

import { given } from '../../base/given.ts';
import { isJsonArray, type Json } from '../../base/json.ts';
import { isJsonObject } from '../../base/path.ts';
import { checkSchema } from '../../definition/check-expressions.ts';
import { checkObject } from '../../definition/check-shape.ts';
import { pointerTo } from '../../definition/origins.ts';
import type { ObjectShape } from '../../definition/shape.ts';
import type { ShapeCheck } from '../../definition/shape-reports.ts';
import type { Catalogue } from '../catalogue/entry.ts';
import { withoutDecoration } from '../decoration.ts';
import {
  isReactFlow,
  reactFlowEdgeFields,
  reactFlowFields,
  reactFlowNodeFields,
  renameFields,
  withoutDrawing,
  withoutUnnamedHandles,
} from '../react-flow.ts';
import { checkDataflow } from './check.ts';
import type { DataflowDraft } from './draft.ts';
import { dataflowShape, drawnDataflowShape, drawnNames } from './fields.ts';
import type { NormalDataflow } from './normal.ts';
import { readPorts, reportPorts } from './ports.ts';

interface DataflowOptions {
  readonly nodeTypes?: Catalogue;
  readonly isWork?: (type: string) => boolean;
}

export function parseDataflow(
  json: Json,
  { nodeTypes = {}, isWork = () => false, ...check }: ShapeCheck & DataflowOptions,
): NormalDataflow | null {
  const { reporter } = check;
  const isDrawn = isReactFlow(json);
  const draft = readDraft(check, isDrawn ? drawnDataflowShape : dataflowShape, withNamedHandles(json));
  if (isDrawn) renameFields(draft.edges, drawnNames, reporter);
  const written = listOf(json, 'nodes');
  const allNodesRead = draft.nodes.length === written.length;
  if (!allNodesRead) reportPortsOfOthers(written, draft, check);
  draft.nodes = withoutDecoration({
    ...draft,
    ends: draft.edges.flatMap(({ source, target }) => [source, target]),
    isWork: (type) => Object.hasOwn(nodeTypes, type) || isWork(type),
  });
  for (const node of draft.nodes) readPorts(check, node, nodeTypes);
  checkSchema(check, draft, 'inputSchema', draft.inputSchema);
  checkDataflow(draft, { reporter, allNodesRead, names: isDrawn ? drawnNames : {} });
  return reporter.hasErrors ? null : finish(draft);
}

function readDraft(check: ShapeCheck, shape: ObjectShape, json: Json): DataflowDraft {
  const { draft } = checkObject(check, shape, json, { pointer: '', name: 'definition' });
  // By its shape the draft has only fields of a dataflow definition; the two lists may be missing.
  return Object.assign(draft, {
    nodes: draft['nodes'] ?? [],
    edges: draft['edges'] ?? [],
  }) as unknown as DataflowDraft;
}

// DA11: a handle that an editor saved as null or as an empty text names no port.
function withNamedHandles(json: Json): Json {
  if (!isJsonObject(json) || !isJsonArray(json['edges'])) return json;
  return { ...json, edges: json['edges'].map(withoutUnnamedHandles) };
}

function listOf(json: Json, field: string): readonly Json[] {
  const list = isJsonObject(json) ? json[field] : undefined;
  return Array.isArray(list) ? list : [];
}

function reportPortsOfOthers(written: readonly Json[], { nodes }: DataflowDraft, check: ShapeCheck): void {
  const read = new Set(nodes.map((node) => check.reporter.origins.of(node)));
  for (const [index, node] of written.entries()) {
    const pointer = pointerTo('/nodes', index);
    if (!read.has(pointer)) reportPorts(check, node, pointer);
  }
}

// DA10: what only says how the graph is drawn is left out; where a node stands is kept as its `meta`.
function finish({ $schema: _, decorative: _decorative, nodes, edges, ...rest }: DataflowDraft): NormalDataflow {
  return {
    ...withoutDrawing(rest, reactFlowFields),
    nodes: nodes.map(({ data: __, ...node }) => ({
      ...withoutDrawing(node, reactFlowNodeFields),
      ...given({
        meta: node.meta === undefined && node.position !== undefined ? { position: node.position } : node.meta,
      }),
    })),
    edges: edges.map((edge) => withoutDrawing(edge, reactFlowEdgeFields)),
  };
}
