// Parents: which node another is drawn in. Frames may lie in between; what counts is the nearest that runs its children.
// Rules DR4 and DR22.

import { nearestHint } from '../../../base/nearest.ts';
import type { ShapeCheck } from '../../../definition/shape-reports.ts';
import type { HandleDraft } from '../check.ts';
import { findKind } from './kinds.ts';

type Node = HandleDraft['nodes'][number];

/** The same nodes, each with its container as parent, or without one. `nodes` are all that are drawn. */
export function resolveParents(nodes: readonly Node[], { reporter }: ShapeCheck): readonly Node[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  for (const node of nodes) {
    const { parentId } = node;
    if (typeof parentId !== 'string') continue;
    const pointer = reporter.origins.of(node, 'parentId');
    // DR22: the node that another is drawn in is there, and is not drawn in it itself.
    if (!byId.has(parentId)) {
      const message = `Expected the parent of node "${node.id}" to be a node, but there is no "${parentId}"`;
      reporter.error('UNKNOWN_NODE', pointer, { message, hint: () => nearestHint(parentId, byId.keys()) });
    } else if ([...ancestorsOf(node, byId)].includes(node)) {
      const message = `Expected node "${node.id}" to be drawn in others, but it is drawn in itself`;
      reporter.error('CYCLE', pointer, { message });
    }
  }
  const containers = nodes.map((node) => findContainer(node, byId));
  for (const [index, node] of nodes.entries()) Object.assign(node, { parentId: containers[index]?.id });
  return nodes;
}

// DR4: a node runs for the items of the nearest container that it is drawn in.
function findContainer(node: Node, byId: ReadonlyMap<string, Node>): Node | undefined {
  for (const parent of ancestorsOf(node, byId)) if (findKind(parent.type ?? '')?.isContainer) return parent;
  return undefined;
}

/** From the inside to the outside. */
function* ancestorsOf(node: Node, byId: ReadonlyMap<string, Node>): Generator<Node> {
  const seen = new Set<Node>();
  for (let here = byId.get(node.parentId ?? ''); here && !seen.has(here); here = byId.get(here.parentId ?? '')) {
    yield here;
    seen.add(here);
  }
}
