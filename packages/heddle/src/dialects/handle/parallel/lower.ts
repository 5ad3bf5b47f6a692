// Parallel lowering: from a drawn graph to a token definition. Drawn nodes keep their ids; the output of each is in the state
// under its id, which expressions read as `nodes`. Rules DR1 to DR9.
//
// Always true: a node that several edges lead to, or that an edge leads back to, is an edge join.

import { given } from '../../../base/given.ts';
import { groupBy } from '../../../base/group-by.ts';
import { type Policy, tokenPolicy } from '../../../definition/graph.ts';
import type {
  EditDefinition,
  Lowered,
  LoweredNode,
  LoweredTransition,
  SourceDefinition,
} from '../../../definition/lowered.ts';
import { freeId, isTrigger } from '../graph.ts';
import type { NormalConnection, NormalHandle, NormalHandleNode } from '../normal.ts';
import { type Drawing, type Part, readDrawing } from './drawing.ts';
import { errorHandle, findKind, lowerSettings, mainHandle } from './kinds.ts';

export function lowerParallel(definition: NormalHandle): Lowered {
  const { dialect, mode: _, drawing: __, nodes, connections, maxNodes: ___, maxIterations, ...rest } = definition;
  const drawing = readDrawing(nodes, connections);
  const start = findStart(nodes, drawing);
  const reached = new Set(drawing.parts.flatMap((part) => [...part.reached]));
  const inbound = groupBy(connections, ({ toNodeId }) => toNodeId);
  const drawn = nodes.filter(({ id }) => reached.has(id));
  return {
    ...rest,
    initialNode: start.id,
    nodes: [...start.nodes, ...drawn.map((node) => lowerNode(node, inbound.get(node.id) ?? [], drawing))],
    transitions: [...start.transitions, ...drawing.parts.flatMap((part) => lowerPart(part, maxIterations))],
    output: outputOf(drawn),
    policy: { ...policy, dialect, hiddenNode: start.nodes[0]?.id ?? null },
  };
}

const policy: Omit<Policy, 'dialect' | 'hiddenNode'> = {
  ...tokenPolicy,
  noMatch: 'end',
  namesHandles: true,
  exhaustedLoop: 'fail',
};

type OwnPart = Part<NormalHandleNode, NormalConnection>;

/** A run that begins at several nodes does so by one that nobody drew. */
function findStart(nodes: readonly NormalHandleNode[], { parts }: Drawing<NormalHandleNode, NormalConnection>) {
  const roots = parts.find(({ container }) => container === null)?.roots ?? [];
  const [only] = roots;
  if (only !== undefined && roots.length === 1) return { id: only.id, nodes: [], transitions: [] };
  const id = freeId(nodes);
  return { id, nodes: [{ id }], transitions: roots.map((root) => ({ from: id, to: root.id })) };
}

function lowerNode(
  node: NormalHandleNode,
  inbound: readonly NormalConnection[],
  drawing: Drawing<NormalHandleNode, NormalConnection>,
): LoweredNode {
  const { id, type, name, data = {}, retry, timeoutMs } = node;
  const shared = { id, ...given({ name, retry, timeoutMs }) };
  const kind = findKind(type);
  if (kind === undefined && isTrigger(node)) return { ...shared, edits: [{ set: [id], to: { path: ['input'] } }] };
  if (kind === undefined) {
    return {
      ...shared,
      action: type,
      inputEdits: [...lowerSettings(data), ...lowerPorts(inbound)],
      edits: [{ set: [id], to: { path: ['result', 'output'] } }],
    };
  }
  if (type === 'core.merge')
    return { ...shared, edits: [{ set: [id], to: gather(inbound.map(({ fromNodeId }) => fromNodeId)) }] };
  const lowered = kind.lower(node, data);
  if (!kind.isContainer || !lowered.batch?.merge || data['output'] !== undefined || data['tolerateFailures'])
    return { ...shared, ...lowered };
  const source = writeLast(drawing.parts.find(({ container }) => container?.id === id));
  return { ...shared, ...lowered, batch: { ...lowered.batch, merge: { ...lowered.batch.merge, source } } };
}

/** DR7: an edge that names an input of its target brings the output of its source there; of several the first that has one. */
function lowerPorts(inbound: readonly NormalConnection[]): EditDefinition[] {
  const ports = groupBy(
    inbound.filter(({ toInput }) => toInput !== mainHandle),
    ({ toInput }) => toInput,
  );
  return [...ports].map(([input, edges]) => ({
    set: [input],
    to: { first: edges.map(({ fromNodeId }): SourceDefinition => ({ path: ['state', fromNodeId] })) },
  }));
}

const orNull = (id: string): string => {
  const key = JSON.stringify(id);
  return `(${key} in nodes ? nodes[${key}] : null)`;
};

const gather = (ids: readonly string[]): SourceDefinition => ({
  expression: `{${[...new Set(ids)].map((id) => `${JSON.stringify(id)}: ${orNull(id)}`).join(', ')}}`,
});

/** An item comes to the output of its last node, or of several to theirs, by id. */
function writeLast(part: OwnPart | undefined): string {
  const left = new Set(part?.edges.map(({ fromNodeId }) => fromNodeId));
  const last = (part?.nodes ?? []).map(({ id }) => id).filter((id) => !left.has(id));
  const [only] = last;
  if (only !== undefined && last.length === 1) return orNull(only);
  const { expression } = gather(last) as { readonly expression: string }; // see above
  return expression;
}

/** DR9: the output of a run is that of the first end that it came to; without an end in the graph, those of all nodes. */
function outputOf(nodes: readonly NormalHandleNode[]): SourceDefinition {
  const ends = nodes.filter(({ type }) => type === 'core.end');
  return ends.length === 0 ? { path: ['state'] } : { first: ends.map(({ id }) => ({ path: ['state', id] })) };
}

function lowerPart(
  { container, nodes, edges, roots, reached, back }: OwnPart,
  maxIterations: number | undefined,
): LoweredTransition[] {
  const ways = edges.filter(({ fromNodeId }) => reached.has(fromNodeId));
  const inbound = groupBy(ways, ({ toNodeId }) => toNodeId);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const headers = new Set([...back].map(({ toNodeId }) => toNodeId));
  const hasTimeout = new Set(
    ways.filter(({ fromOutput }) => fromOutput === 'timeout').map(({ fromNodeId }) => fromNodeId),
  );
  // DR20: a node that several edges lead to runs once, after all of those that are followed.
  const joinAt = (id: string) => {
    if (!headers.has(id) && (inbound.get(id)?.length ?? 0) < 2) return undefined;
    return { over: 'edges' as const, require: (byId.get(id)?.data?.['require'] ?? 'some') as 'some' | 'all' }; // of a merge
  };
  return [
    ...(container === null ? [] : roots.map((root) => enterItem(container, root))),
    ...ways.map((edge) => ({
      ...given({ id: edge.id }),
      from: edge.fromNodeId,
      to: edge.toNodeId,
      ...wayOf(byId.get(edge.fromNodeId), edge.fromOutput, hasTimeout.has(edge.fromNodeId)),
      ...given({ synchronization: joinAt(edge.toNodeId) }),
      ...(back.has(edge) ? { loop: { maxIterations: edge.maxIterations ?? maxIterations ?? 1 } } : {}),
    })),
  ];
}

function enterItem(container: NormalHandleNode, root: NormalHandleNode): LoweredTransition {
  const tolerated = container.data?.['tolerateFailures'];
  return {
    from: container.id,
    to: root.id,
    on: 'slice',
    ...(tolerated ? { onBranchFailure: 'end' as const } : {}),
    ...(typeof tolerated === 'number' ? { maxFailures: tolerated } : {}),
  };
}

/** When an edge is followed: by the handles that its node took, or after a failure. */
function wayOf(node: NormalHandleNode | undefined, handle: string, hasTimeout: boolean) {
  if (node === undefined) return {};
  if (handle === errorHandle) {
    const others = `!(state._last_error.code in ["INPUT_EXPIRED", "EVENT_TIMED_OUT"])`;
    return { on: 'failure' as const, ...given({ condition: hasTimeout ? others : undefined }) };
  }
  const kind = findKind(node.type);
  if (kind !== undefined) return kind.way(handle, node.id);
  return isTrigger(node) ? {} : { condition: `result.handles == null || ${JSON.stringify(handle)} in result.handles` };
}
