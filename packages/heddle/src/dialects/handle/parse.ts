// Handle parse: what an author or an editor wrote becomes a normalised handle definition, or a list of everything that is
// wrong with it.
//
// Always true: all problems are found in one go and point into the author's own JSON; what comes out has nodes, no id
// twice, and connections that lead somewhere and name their handles.

import { given } from '../../base/given.ts';
import type { Json } from '../../base/json.ts';
import { isJsonObject } from '../../base/path.ts';
import { checkObject } from '../../definition/check-shape.ts';
import type { KnownWork } from '../../definition/flow/known-schemas.ts';
import type { ShapeCheck } from '../../definition/shape-reports.ts';
import type { Catalogue } from '../catalogue/entry.ts';
import { withoutDecoration } from '../decoration.ts';
import {
  reactFlowEdgeFields,
  reactFlowFields,
  reactFlowNodeFields,
  renameFields,
  withoutDrawing,
  withoutUnnamedHandles,
} from '../react-flow.ts';
import { checkHandle, type HandleDraft } from './check.ts';
import { drawnNames, shapeOf } from './fields.ts';
import { mainHandle } from './graph.ts';
import type { HandleConnection } from './handle.ts';
import type { NormalHandle } from './normal.ts';
import { applyCatalogue } from './parallel/apply-catalogue.ts';
import { resolveParents } from './parallel/parents.ts';

interface HandleOptions extends Partial<KnownWork> {
  readonly isWork?: (type: string) => boolean;
  readonly nodeTypes?: Catalogue;
}

export function parseHandle(
  json: Json,
  { isWork = () => false, nodeTypes: catalogue = {}, ...check }: ShapeCheck & HandleOptions,
): NormalHandle | null {
  const { draft, allNodesRead } = readDraft(json, check, catalogue);
  const ends = draft.connections.flatMap(({ fromNodeId, toNodeId }) => [fromNodeId, toNodeId]);
  const drawn = draft.nodes;
  const isKnown = (type: string): boolean => Object.hasOwn(catalogue, type) || isWork(type);
  draft.nodes = withoutDecoration({ ...draft, ends, isWork: isKnown });
  if (draft.nodes.length === 0 && drawn.length > 0) reportOnlyDecoration(drawn, check);
  checkHandle(draft, { ...check, allNodesRead });
  return check.reporter.hasErrors ? null : finish(draft, json);
}

/** `allNodesRead`: every node that the author wrote could be read. */
function readDraft(
  json: Json,
  check: ShapeCheck,
  catalogue: Catalogue,
): { readonly draft: HandleDraft; readonly allNodesRead: boolean } {
  const isDrawn = isJsonObject(json) && 'edges' in json;
  const mode = readMode(json);
  const shape = shapeOf(mode, isDrawn);
  const { draft: read } = checkObject(check, shape, withNamedHandles(json), { pointer: '', name: 'definition' });
  if (isDrawn) renameFields([read], { connections: 'edges' }, check.reporter);
  // By its shape the draft has only fields of a handle definition; the two lists may be missing.
  const draft = Object.assign(read, {
    nodes: read['nodes'] ?? [],
    connections: read['connections'] ?? [],
    word: isDrawn ? 'edge' : 'connection',
  }) as unknown as HandleDraft;
  if (isDrawn) renameFields(draft.connections, drawnNames, check.reporter);
  const allNodesRead =
    draft.nodes.length > 0 &&
    isJsonObject(json) &&
    Array.isArray(json['nodes']) &&
    json['nodes'].length === draft.nodes.length;
  if (mode === 'sequential') return { draft, allNodesRead };
  const { nodes, connections } = applyCatalogue(draft, { ...check, catalogue, word: draft.word });
  const drawn = { nodes: resolveParents(nodes, check), connections: connections.map(withOwnLimit) };
  return { draft: { ...draft, mode, ...drawn }, allNodesRead };
}

// DR1: what React Flow saved, without a word on its dialect, is run in parallel.
function readMode(json: Json): 'sequential' | 'parallel' {
  if (!isJsonObject(json)) return 'sequential';
  const { mode, dialect } = json;
  return mode === 'parallel' || (mode === undefined && dialect === undefined && 'edges' in json)
    ? 'parallel'
    : 'sequential';
}

/** HN17: a graph as React Flow saves it is read as it is: its words for connections, unnamed handles, what is only drawn. */
function withNamedHandles(json: Json): Json {
  if (!isJsonObject(json)) return json;
  const entries = Object.entries(json).map(([key, value]): [string, Json] => [
    key,
    (key === 'edges' || key === 'connections') && Array.isArray(value) ? value.map(withoutUnnamedHandles) : value,
  ]);
  return Object.fromEntries(entries);
}

/** Editors keep what is the author's in the `data` of an edge. */
function withOwnLimit(connection: HandleConnection & { readonly data?: Json }): HandleConnection {
  const { data = null } = connection;
  const limit = isJsonObject(data) ? data['maxIterations'] : undefined;
  return typeof limit === 'number' && connection.maxIterations === undefined
    ? Object.assign(connection, { maxIterations: limit })
    : connection;
}

// HN27: a drawing of nothing but decoration is refused: a run would have nowhere to begin.
function reportOnlyDecoration(nodes: HandleDraft['nodes'], { reporter }: ShapeCheck): void {
  const types = [...new Set(nodes.map(({ type }) => `"${type}"`))].slice(0, 10).join(', ');
  const message = `Expected a node that is more than decoration, but all are of type ${types}, without connections`;
  reporter.error('OUT_OF_RANGE', '/nodes', { message });
}

function finish(
  { $schema: _, decorative: _decorative, word: _word, mode, nodes, connections, ...rest }: HandleDraft,
  json: Json,
): NormalHandle {
  const isParallel = mode === 'parallel';
  const parentOf = ({ parentId }: HandleDraft['nodes'][number]) => (isParallel ? given({ parentId }) : {});
  return {
    ...withoutDrawing(rest, reactFlowFields),
    dialect: 'handle',
    ...(isParallel && isJsonObject(json) ? { mode: 'parallel' as const, drawing: json } : {}),
    nodes: nodes.map((node) => ({ type: 'default', ...withoutDrawing(node, reactFlowNodeFields), ...parentOf(node) })),
    // HN24: a connection that names no handle has `main`, at either end.
    connections: connections.map((connection) => ({
      fromOutput: mainHandle,
      toInput: mainHandle,
      ...withoutDrawing(connection, reactFlowEdgeFields),
    })),
  };
}
