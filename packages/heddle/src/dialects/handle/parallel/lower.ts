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
import { isTrigger, mainHandle } from '../graph.ts';
import type { NormalConnection, NormalHandle, NormalHandleNode } from '../normal.ts';
import { type Drawing, type Part, readDrawing } from './drawing.ts';
import { errorHandle, findKind, groupKind, lowerSettings } from './kinds.ts';
import { expressionIn, readNode } from './values.ts';

export function lowerParallel(definition: NormalHandle): Lowered {
  const { dialect, mode: _, drawing: __, nodes, connections, maxNodes: ___, maxIterations, ...rest } = definition;
  const drawing = readDrawing(nodes, connections);
  const [first, ...others] = drawing.parts.find(({ container }) => container === null)?.roots ?? [];
  const inbound = groupBy(connections, ({ toNodeId }) => toNodeId);
  const known: Known = { inbound: (id) => inbound.get(id) ?? [], drawing };
  return {
    ...rest,
    initialNode: first?.id ?? '', // there is one: the outermost nodes are in no container
    moreInitialNodes: others.map(({ id }) => id),
    nodes: nodes.map((node) => lowerNode(node, known)),
    transitions: drawing.parts.flatMap((part) => lowerPart(part, known, maxIterations)),
    output: outputOf(nodes),
    policy: { ...policy, dialect, madeNodes: listMade(nodes) },
  };
}

interface Known {
  readonly inbound: (id: string) => readonly NormalConnection[];
  readonly drawing: Drawing<NormalHandleNode, NormalConnection>;
}

const listMade = (nodes: readonly NormalHandleNode[]): readonly string[] =>
  nodes.flatMap(({ id, isMade }) => (isMade ? [id] : []));

const policy: Omit<Policy, 'dialect' | 'madeNodes'> = {
  ...tokenPolicy,
  noMatch: 'end',
  namesHandles: true,
  exhaustedLoop: 'fail',
};

type OwnPart = Part<NormalHandleNode, NormalConnection>;

function lowerNode(node: NormalHandleNode, { inbound, drawing }: Known): LoweredNode {
  const { id, type, name, data = {}, retry, timeoutMs } = node;
  const shared = { id, ...given({ name, retry, timeoutMs }) };
  const kind = findKind(type);
  if (beginsRun(node, inbound(id))) return { ...shared, edits: [{ set: [id], to: { path: ['input'] } }] };
  if (kind === undefined) {
    return {
      ...shared,
      action: type,
      inputEdits: [...lowerSettings(data), ...lowerPorts(inbound(id))],
      edits: [{ set: [id], to: { path: ['result', 'output'] } }],
    };
  }
  if (type === 'core.merge') {
    const before = inbound(id).map(({ fromNodeId }) => fromNodeId);
    return { ...shared, edits: [{ set: [id], to: { expression: gather(before) } }] };
  }
  const lowered = kind.lower(node, data);
  if (!kind.isContainer) return { ...shared, ...lowered };
  return {
    ...shared,
    ...lowerContainer(
      node,
      lowered,
      drawing.parts.find(({ container }) => container?.id === id),
    ),
  };
}

/** A trigger where a run begins: it puts out the input of the run. Elsewhere its type is an action like any other. */
const beginsRun = (node: NormalHandleNode, inbound: readonly NormalConnection[]): boolean =>
  isTrigger(node) && findKind(node.type) === undefined && inbound.length === 0 && node.parentId === undefined;

/** What each item comes to is the output of its last node, or of several theirs by id, unless the author says it. */
function lowerContainer(
  { id, type, data = {} }: NormalHandleNode,
  lowered: Omit<LoweredNode, 'id'>,
  part: OwnPart | undefined,
): Omit<LoweredNode, 'id'> {
  const isGroup = type === groupKind;
  const { collection = '[]' } = lowered.batch ?? {};
  // Nothing is drawn in it: each item comes to nothing.
  if (part === undefined || lowered.batch === undefined)
    return {
      edits: [{ set: [id], to: { expression: isGroup ? 'null' : `(${collection}).map(item, null)` }, required: true }],
    };
  const output = data['output'] === undefined ? writeLast(part) : expressionIn(data['output']);
  if (isGroup) {
    const handle = data['handle'] === undefined ? 'null' : expressionIn(data['handle']);
    const source = `{"output": ${output}, "handle": ${handle}}`;
    return { ...lowered, batch: { ...lowered.batch, merge: { strategy: 'collect', source } } };
  }
  const told = `{"index": _branch.index, "status": _branch.status, `;
  const source = data['tolerateFailures']
    ? `_branch.status == "failed" ? ${told}"error": _branch.error} : ${told}"output": ${output}}`
    : output;
  const include = data['tolerateFailures'] ? ('settled' as const) : ('arrived' as const);
  return { ...lowered, batch: { ...lowered.batch, merge: { strategy: 'collect', source, include } } };
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

const gather = (ids: readonly string[]): string =>
  `{${[...new Set(ids)].map((id) => `${JSON.stringify(id)}: ${readNode(id)}`).join(', ')}}`;

function writeLast({ nodes, edges, back }: OwnPart): string {
  const left = new Set(edges.filter((edge) => !back.has(edge)).map(({ fromNodeId }) => fromNodeId));
  const last = nodes.map(({ id }) => id).filter((id) => !left.has(id));
  const [only] = last;
  return only !== undefined && last.length === 1 ? readNode(only) : gather(last);
}

/** DR9: the output of a run is that of the first end that it came to; without an end in the graph, those of all nodes. */
function outputOf(nodes: readonly NormalHandleNode[]): SourceDefinition {
  const ends = nodes.filter(({ type }) => type === 'core.end');
  return ends.length === 0 ? { path: ['state'] } : { first: ends.map(({ id }) => ({ path: ['state', id] })) };
}

function lowerPart(
  { container, nodes, edges, roots, back }: OwnPart,
  { inbound: all }: Known,
  maxIterations: number | undefined,
): LoweredTransition[] {
  const inbound = groupBy(edges, ({ toNodeId }) => toNodeId);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const headers = new Set([...back].map(({ toNodeId }) => toNodeId));
  const timed = new Set(edges.filter(({ fromOutput }) => fromOutput === 'timeout').map(({ fromNodeId }) => fromNodeId));
  // DR20: a node that several edges lead to runs once, after all of those that are followed.
  const joinAt = (id: string) => {
    if (!headers.has(id) && (inbound.get(id)?.length ?? 0) < 2) return undefined;
    const { type, data } = byId.get(id) ?? {};
    return {
      over: 'edges' as const,
      require: type === 'core.merge' && data?.['require'] === 'all' ? ('all' as const) : ('some' as const),
    };
  };
  return [
    ...(container === null ? [] : roots.map((root) => enterItem(container, root))),
    ...edges.map((edge) => {
      const from = byId.get(edge.fromNodeId);
      const beginsThere = from !== undefined && beginsRun(from, all(from.id));
      return {
        ...given({ id: edge.id }),
        from: edge.fromNodeId,
        to: edge.toNodeId,
        ...(from && !beginsThere ? wayOf(from, edge.fromOutput, timed.has(from.id)) : {}),
        ...given({ synchronization: joinAt(edge.toNodeId) }),
        ...(back.has(edge) ? { loop: { maxIterations: edge.maxIterations ?? maxIterations ?? 1 } } : {}),
      };
    }),
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
function wayOf({ id, type, data = {} }: NormalHandleNode, handle: string, hasTimeout: boolean) {
  if (handle === errorHandle) {
    const others = `!(state._last_error.code in ["INPUT_EXPIRED", "EVENT_TIMED_OUT"])`;
    return { on: 'failure' as const, ...given({ condition: hasTimeout ? others : undefined }) };
  }
  const kind = findKind(type);
  if (kind !== undefined) return kind.way(handle, id, data);
  return { condition: `result.handles == null || ${JSON.stringify(handle)} in result.handles` };
}
