// Drawing: how the nodes of a parallel graph lie: which run for the items of a list, where each part begins, and which edges
// lead back. Rules DR2 to DR4.

import { groupBy } from '../../../base/group-by.ts';
import { isTrigger, walkFrom } from '../graph.ts';

interface DrawnNode {
  readonly id: string;
  readonly type?: string | undefined;
  /** The container that it is drawn in. */
  readonly parentId?: string | undefined;
}

interface DrawnEdge {
  readonly fromNodeId: string;
  readonly toNodeId: string;
}

/** The whole graph, or what runs for each item of a list. */
export interface Part<Node extends DrawnNode, Edge extends DrawnEdge> {
  /** The node that runs it for each item; null for the whole graph. */
  readonly container: Node | null;
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
  /** Where it begins. */
  readonly roots: readonly Node[];
  /** Nodes that a way from the roots leads to. */
  readonly reached: ReadonlySet<string>;
  readonly back: ReadonlySet<Edge>;
}

export interface Drawing<Node extends DrawnNode, Edge extends DrawnEdge> {
  readonly parts: readonly Part<Node, Edge>[];
  /** Edges between nodes of different parts. */
  readonly crossing: readonly Edge[];
}

export function readDrawing<Node extends DrawnNode, Edge extends DrawnEdge>(
  nodes: readonly Node[],
  edges: readonly Edge[],
): Drawing<Node, Edge> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const containers = new Map(nodes.map(({ id, parentId }) => [id, byId.get(parentId ?? '') ?? null]));
  const isInside = ({ fromNodeId, toNodeId }: DrawnEdge): boolean =>
    containers.get(fromNodeId) === containers.get(toNodeId);
  /** From a container to a node in it: where an item begins. */
  const entersItem = ({ fromNodeId, toNodeId }: DrawnEdge): boolean => containers.get(toNodeId)?.id === fromNodeId;
  const members = groupBy(nodes, ({ id }) => containers.get(id) ?? null);
  const inside = groupBy(edges.filter(isInside), ({ fromNodeId }) => containers.get(fromNodeId) ?? null);
  const entries = new Set(edges.filter(entersItem).map(({ toNodeId }) => toNodeId));
  return {
    parts: [...members].map(([container, own]) =>
      readPart({ container, nodes: own, edges: inside.get(container) ?? [] }, entries),
    ),
    crossing: edges.filter((edge) => !isInside(edge) && !entersItem(edge)),
  };
}

function readPart<Node extends DrawnNode, Edge extends DrawnEdge>(
  part: Pick<Part<Node, Edge>, 'container' | 'nodes' | 'edges'>,
  entries: ReadonlySet<string>,
): Part<Node, Edge> {
  const roots = findRoots(part, entries);
  // DR3: an edge that leads back to a node on its own way begins the next round of a loop.
  const { reached, back } = walkFrom(
    roots.map(({ id }) => id),
    part.edges,
  );
  return { ...part, roots, reached, back };
}

/**
 * DR2: a part begins at all nodes that no edge leads to, and at those that an edge of its container leads to; of several
 * triggers of a run only at the first. If edges lead to every node, it begins at the first.
 */
function findRoots<Node extends DrawnNode, Edge extends DrawnEdge>(
  { container, nodes, edges }: Pick<Part<Node, Edge>, 'container' | 'nodes' | 'edges'>,
  entries: ReadonlySet<string>,
): readonly Node[] {
  const targets = new Set(edges.map(({ toNodeId }) => toNodeId));
  const roots = nodes.filter(({ id }) => !targets.has(id) || entries.has(id));
  const trigger = container === null ? roots.find(isTrigger) : undefined;
  const begun = roots.filter((node) => container !== null || node === trigger || !isTrigger(node));
  return begun.length > 0 ? begun : nodes.slice(0, 1);
}
