// Drawing: what a viewer must know of a compiled graph to show a run on its drawing, as plain JSON. The server answers
// with it, so that a browser folds a journal without a parser or compiler.
//
// Always true: nodes and transitions stand in the order of the definition; what nobody drew is not among the nodes, and
// among the transitions it is marked.

import type { Graph, Transition } from '../../definition/graph.ts';

export interface Drawing {
  /** VW11: those that were drawn, also those that no way leads to. */
  readonly nodes: readonly string[];
  readonly transitions: readonly DrawnTransition[];
  /** A node that the compiler made, of which users see nothing. */
  readonly hiddenNode: string | null;
}

export interface DrawnTransition {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** Nobody drew it. */
  readonly isMade?: true;
  /** It leads back: how often it was taken is how often its loop went round again. */
  readonly isLoop?: true;
  /** It opens a group, or more branches of one. */
  readonly opens?: string;
  /** Its tokens arrive at a join over siblings, of this group; null: of the innermost that they are in. */
  readonly joins?: string | null;
  /** Its tokens arrive at a join over edges. */
  readonly isOverEdges?: true;
}

/** Of a graph, and of the ids of all nodes as their author wrote them. */
export function drawingOf(graph: Graph, written: Iterable<string> = []): Drawing {
  const { hiddenNode, madeNodes } = graph.policy;
  const made = new Set(madeNodes);
  const nodes = new Set([...written, ...graph.nodes.keys()]);
  for (const id of [hiddenNode, ...madeNodes]) if (id !== null) nodes.delete(id);
  // VW13: a way is drawn unless it begins at the hidden node, leads to a node that was made, or is never taken.
  const isMade = ({ isProbe, from, to }: Transition): boolean => isProbe || from === hiddenNode || made.has(to);
  return {
    nodes: [...nodes],
    transitions: graph.transitions.map((transition) => ({
      ...describeTransition(transition),
      ...(isMade(transition) ? { isMade: true } : {}),
    })),
    hiddenNode,
  };
}

function describeTransition({ id, from, to, loop, opens, join, overEdges }: Transition): DrawnTransition {
  return {
    id,
    from,
    to,
    ...(loop ? { isLoop: true } : {}),
    ...(opens ? { opens: opens.name } : {}),
    ...(join ? { joins: join.group } : {}),
    ...(overEdges ? { isOverEdges: true } : {}),
  };
}
