// Dataflow lower: what a dataflow graph is compiled to. Each node becomes an action node that reads its inputs from the
// outputs of those before it; where edges of several nodes come together, it waits for all of them. Rules DA22 to DA28.
//
// Always true: nodes stand in topological order; the definition has passed `parseDataflow`.

import { groupBy } from '../../base/group-by.ts';
import type { Json } from '../../base/json.ts';
import type { TransitionDefinition } from '../../definition/definition.ts';
import { type Policy, tokenPolicy } from '../../definition/graph.ts';
import type { EditDefinition, Lowered, LoweredNode, SourceDefinition } from '../../definition/lowered.ts';
import type { InputPort } from './dataflow.ts';
import {
  inputNodeType,
  type NormalDataflow,
  type NormalDataflowEdge,
  type NormalDataflowNode,
  nodeIdsOf,
} from './normal.ts';
import { orderNodes } from './order.ts';

export function lowerDataflow({ dialect: _, nodes: drawn, edges = [], ...rest }: NormalDataflow): Lowered {
  const ids = nodeIdsOf({ nodes: drawn, edges });
  const inbound = groupBy(edges, ({ target }) => target);
  const roots = ids.filter((id) => !inbound.has(id));
  const start = roots.length === 1 ? null : freeName(ids);
  const byId = new Map(drawn.map((node) => [node.id, node]));
  const nodes = orderNodes(ids, edges).map((id) => lowerNode(id, byId.get(id), inbound.get(id) ?? []));
  const starts = start === null ? [] : roots.map((root) => ({ from: start, to: root }));
  return {
    ...rest,
    policy: { ...dataflowPolicy, hiddenNode: start },
    initialNode: start ?? roots[0] ?? '',
    nodes: [...(start === null ? [] : [{ id: start }]), ...nodes],
    transitions: [...starts, ...nodes.flatMap(({ id }) => lowerEdges(id, inbound.get(id) ?? []))],
    output: { path: ['nodes'] },
  };
}

// DA22: a failed node is recorded and what takes from it is skipped, the rest continues; credits are asked for once.
const dataflowPolicy: Policy = {
  ...tokenPolicy,
  dialect: 'dataflow',
  unhandledFailure: 'record',
  unknownAction: 'fail', // DA46: an unknown type is an error of the drawing; the rest of the graph runs.
  keepsOutputs: true,
  charge: 'run',
};

/** DA23: a graph with one root begins there; with several, or none, at a node that nobody sees. */
function freeName(ids: readonly string[]): string {
  const taken = new Set(ids);
  let name = 'start';
  while (taken.has(name)) name += '_';
  return name;
}

function lowerNode(
  id: string,
  node: NormalDataflowNode | undefined,
  inbound: readonly NormalDataflowEdge[],
): LoweredNode {
  if (node === undefined) return missingNode(id);
  // DA25: a node of type core.input puts out the fields of the run's input.
  if (node.type === inputNodeType)
    return { ...settingsOf(node), action: 'core.echo', inputEdits: [{ merge: { path: ['input'] } }] };
  return { ...settingsOf(node), action: node.type, inputEdits: lowerInputs(node.inputs ?? [], inbound) };
}

/** What is the same in a token definition. */
function settingsOf({ type: _type, inputs: _inputs, outputs: _outputs, ...settings }: NormalDataflowNode): LoweredNode {
  return settings;
}

/** DA27: a node that only edges speak of fails, like any other: what takes from it is skipped, the rest continues. */
function missingNode(id: string): LoweredNode {
  const failWith = (key: string, literal: Json): EditDefinition => ({ set: [key], to: { literal } });
  const inputEdits = [failWith('message', `Node not found: ${id}`), failWith('code', 'NODE_NOT_FOUND')];
  return { id, action: 'core.fail', inputEdits };
}

function lowerInputs(ports: readonly InputPort[], inbound: readonly NormalDataflowEdge[]): EditDefinition[] {
  const declared = new Map(ports.map((port) => [port.name, port]));
  const edgesOf = groupBy(inbound, ({ targetInput }) => targetInput);
  const names = new Set([...declared.keys(), ...edgesOf.keys()]);
  return [...names].flatMap((name) => {
    const source = makeSource(declared.get(name), edgesOf.get(name) ?? []);
    return source === null ? [] : [{ set: [name], to: source }];
  });
}

/**
 * DA26: a value that an edge brings counts before the port's own; of several edges the last that brings one, or, at a
 * repeated input, all that come, in the order of the edges. A port without a value is absent.
 */
function makeSource(port: InputPort | undefined, edges: readonly NormalDataflowEdge[]): SourceDefinition | null {
  const brought = edges.map(({ source, sourceOutput }) => ({ path: ['nodes', source, sourceOutput] }));
  const own = port?.value === undefined ? [] : [{ literal: port.value }];
  const gathered = port?.repeated && brought.length > 0 ? [{ list: brought }] : brought.toReversed();
  const [first, ...others] = [...gathered, ...own];
  if (first === undefined) return null;
  return others.length === 0 ? first : { first: [first, ...others] };
}

/** DA28: a node waits for every node that it takes from, however many edges there are between two of them. */
function lowerEdges(id: string, inbound: readonly NormalDataflowEdge[]): TransitionDefinition[] {
  const sources = [...new Set(inbound.map(({ source }) => source))];
  const [only] = sources;
  if (only !== undefined && sources.length === 1) return [{ from: only, to: id }];
  return sources.map((from) => ({ from, to: id, synchronization: { over: 'edges', require: 'all' } }));
}
