// DATAFLOW: one graph of 2,000 nodes and 5,000 edges in which 1,000 nodes lead to one, that is run as often as asked for.

import { createEngine } from '../packages/heddle/dist/index.js';
import { expectCompleted, tell, withFile } from './scenario.mjs';

const runs = Number(process.argv[2]);
const [layers, width, fanIn] = [2, 999, 1_000];

/** A source, two layers of 999 nodes in which each has two edges from the layer before, and a sink behind 1,000 of them. */
function makeGraph() {
  const node = (id, names) => ({ id, type: 'sum', inputs: names.map((name) => ({ name, repeated: name === 'all' })) });
  const nodes = [node('source', ['a'])];
  const edges = [];
  const link = (source, target, targetInput) => edges.push({ source, sourceOutput: 'sum', target, targetInput });
  for (let layer = 0; layer < layers; layer++) {
    for (let i = 0; i < width; i++) {
      const id = `n${layer}-${i}`;
      nodes.push(node(id, ['a', 'b', 'c']));
      const before = (place) => (layer === 0 ? 'source' : `n${layer - 1}-${place % width}`);
      link(before(i), id, 'a');
      link(before(i + 7), id, 'b');
    }
  }
  nodes.push(node('sink', ['all']));
  for (let i = 0; i < 4; i++) link('source', `n${layers - 1}-${i}`, 'c');
  for (let i = 0; i < fanIn; i++) link(`n${layers - 1}-${i % width}`, 'sink', 'all');
  return { dialect: 'dataflow', id: 'wide', nodes, edges };
}

await withFile(async (store) => {
  const sum = ({ input: { a = 1, b = 0, c = 0, all = [] } }) => ({
    sum: all.reduce((total, value) => total + value, a + b + c) % 97,
  });
  const engine = await createEngine({ store, actions: { sum } });
  const graph = makeGraph();
  const { problems } = await engine.register(graph);
  if (problems.length > 0) throw new Error(`Expected a sound graph, but: ${problems[0].message}`);
  const from = performance.now();
  for (let i = 0; i < runs; i++) expectCompleted(await (await engine.start('wide')).result());
  const seconds = (performance.now() - from) / 1000;
  tell({ stepsPerSecond: (graph.nodes.length * runs) / seconds, nodes: graph.nodes.length, edges: graph.edges.length });
  await engine.close();
});
