// Layout: where nodes go that nobody has placed. Dagre, loaded when it is used.
//
// Always true: no two nodes overlap; the same graph is laid out the same.

export interface LayoutNode {
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

export interface LayoutEdge {
  readonly from: string;
  readonly to: string;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

const gap = { nodesep: 48, ranksep: 48, edgesep: 24 };

/** The upper left corner of every node, from top to bottom. */
export async function layOut(
  nodes: readonly LayoutNode[],
  edges: readonly LayoutEdge[],
): Promise<ReadonlyMap<string, Point>> {
  const { graphlib, layout } = await import('@dagrejs/dagre');
  const graph = new graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', ...gap });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, width, height } of nodes) graph.setNode(id, { width, height });
  for (const [place, { from, to }] of edges.entries())
    if (graph.hasNode(from) && graph.hasNode(to)) graph.setEdge(from, to, {}, String(place));
  layout(graph);
  return new Map(
    nodes.map(({ id, width, height }) => {
      const { x = 0, y = 0 } = graph.node(id);
      return [id, { x: x - width / 2, y: y - height / 2 }];
    }),
  );
}
