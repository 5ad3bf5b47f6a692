// Handle graph: what a drawing of nodes and connections says about where to begin and how to continue. Plain functions,
// published, so that editors and dispatchers read a drawing as the engine does. Rules HN13 to HN15.

import { groupBy } from '../../base/group-by.ts';
import { HeddleError } from '../../base/heddle-error.ts';

/** The handle of a connection that names none. */
export const mainHandle = 'main';

/** From an output of a node to an input of another. */
export interface Connection {
  readonly fromNodeId: string;
  readonly toNodeId: string;
  readonly fromOutput?: string | null;
  readonly toInput?: string | null;
}

/** Targets by node and output handle, in the order of the connections. */
export type Adjacency = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;

interface AnyNode {
  readonly id: string;
}

interface TypedNode extends AnyNode {
  readonly type?: string | undefined;
}

export function buildAdjacencyMap(connections: Iterable<Connection>): Adjacency {
  const adjacency = new Map<string, Map<string, string[]>>();
  for (const { fromNodeId, toNodeId, fromOutput } of connections) {
    const handles = adjacency.get(fromNodeId) ?? new Map<string, string[]>();
    adjacency.set(fromNodeId, handles);
    const handle = fromOutput ?? mainHandle;
    const targets = handles.get(handle) ?? [];
    handles.set(handle, targets);
    targets.push(toNodeId);
  }
  return adjacency;
}

/** The targets of one handle of a node, of `main` if none is named; an empty list if there are none. */
export function getNextNodeIds(
  adjacency: Adjacency,
  currentNodeId: string,
  branch: string = mainHandle,
): readonly string[] {
  return adjacency.get(currentNodeId)?.get(branch) ?? [];
}

export function buildNodeMap<Node extends AnyNode>(nodes: Iterable<Node>): Map<string, Node> {
  return new Map([...nodes].map((node) => [node.id, node]));
}

/** HN13: a run begins at the node that no connection leads to; of several, at the first trigger, else at the first. */
export function findEntryNode<Node extends TypedNode>(
  nodes: readonly Node[],
  connections: Iterable<Connection>,
): Node | null {
  const targets = new Set([...connections].map(({ toNodeId }) => toNodeId));
  const candidates = nodes.filter(({ id }) => !targets.has(id));
  return candidates.find(isTrigger) ?? candidates[0] ?? nodes[0] ?? null;
}

export function isTrigger({ type = '' }: Pick<TypedNode, 'type'>): boolean {
  return /trigger|^initial$/i.test(type);
}

/** HN14: every node after those that lead to it; nodes that do not depend on each other keep the order of the list. */
export function topologicalSort<Node extends AnyNode>(
  nodes: readonly Node[],
  connections: Iterable<Connection>,
): Node[] {
  const { followers, inbound } = countInbound(nodes, connections);
  const sorted = nodes.filter(({ id }) => inbound.get(id) === 0);
  for (const { id } of sorted) {
    for (const follower of followers.get(id) ?? []) {
      const left = (inbound.get(follower.id) ?? 0) - 1;
      inbound.set(follower.id, left);
      if (left === 0) sorted.push(follower);
    }
  }
  if (sorted.length === nodes.length) return sorted;
  const stuck = nodes.filter(({ id }) => (inbound.get(id) ?? 0) > 0).map(({ id }) => JSON.stringify(id));
  const found = `${stuck.slice(0, 10).join(', ')} are on a cycle or behind one`;
  throw new HeddleError('CYCLE', `Expected connections without a cycle, but nodes ${found}`);
}

/** Connections from or to nodes that are not in the list count for nothing. */
function countInbound<Node extends AnyNode>(
  nodes: readonly Node[],
  connections: Iterable<Connection>,
): { followers: Map<string, Node[]>; inbound: Map<string, number> } {
  const nodeMap = buildNodeMap(nodes);
  const inbound = new Map(nodes.map(({ id }) => [id, 0]));
  const followers = new Map<string, Node[]>(nodes.map(({ id }) => [id, []]));
  for (const { fromNodeId, toNodeId } of connections) {
    const target = nodeMap.get(toNodeId);
    const from = followers.get(fromNodeId);
    if (target === undefined || from === undefined) continue;
    from.push(target);
    inbound.set(toNodeId, (inbound.get(toNodeId) ?? 0) + 1);
  }
  return { followers, inbound };
}

/** How a drawing is walked from its entry. */
export interface Walk<Of extends Connection> {
  /** Nodes that a way from the entry leads to. */
  readonly reached: ReadonlySet<string>;
  /** Connections that lead back to a node on the way to them. */
  readonly back: ReadonlySet<Of>;
}

/**
 * HN15: a node runs once, so a connection that leads back to a node on its own way, found depth first from the entry in
 * the order of the connections, does nothing.
 */
export function walkConnections<Of extends Connection>(entry: string, connections: readonly Of[]): Walk<Of> {
  return walkFrom([entry], connections);
}

/** The same from several entries, one after the other. */
export function walkFrom<Of extends Connection>(entries: readonly string[], connections: readonly Of[]): Walk<Of> {
  const outgoing = groupBy(connections, ({ fromNodeId }) => fromNodeId);
  const reached = new Set<string>();
  const back = new Set<Of>();
  for (const entry of entries) {
    if (reached.has(entry)) continue;
    reached.add(entry);
    const onTheWay = new Set([entry]);
    const way = [{ id: entry, next: 0 }];
    for (let here = way.at(-1); here !== undefined; here = way.at(-1)) {
      const connection = outgoing.get(here.id)?.[here.next++];
      if (connection === undefined) {
        onTheWay.delete(here.id);
        way.pop();
        continue;
      }
      const { toNodeId } = connection;
      if (onTheWay.has(toNodeId)) back.add(connection);
      if (reached.has(toNodeId)) continue;
      reached.add(toNodeId);
      onTheWay.add(toNodeId);
      way.push({ id: toNodeId, next: 0 });
    }
  }
  return { reached, back };
}

/** For a node that nobody drew. */
export function freeId(nodes: readonly AnyNode[]): string {
  const taken = new Set(nodes.map(({ id }) => id));
  let id = '(start)';
  while (taken.has(id)) id = `(${id})`;
  return id;
}
