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
/** From here on ranks are found the fast way, with some longer edges: 1,000 nodes in 1 s instead of 26. */
const largeFrom = 200;

/** The upper left corner of every node, from top to bottom. */
export async function layOut(
  nodes: readonly LayoutNode[],
  edges: readonly LayoutEdge[],
): Promise<ReadonlyMap<string, Point>> {
  const { graphlib, layout } = await import('@dagrejs/dagre');
  const graph = new graphlib.Graph({ multigraph: true });
  const ranker = nodes.length < largeFrom ? 'network-simplex' : 'tight-tree';
  graph.setGraph({ rankdir: 'TB', ranker, ...gap });
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
