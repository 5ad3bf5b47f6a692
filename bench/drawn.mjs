// DRAWN: a graph of 2,000 nodes and 5,000 edges as an editor draws it, beside the same written as tokens; and three nodes of
// 100 ms side by side.

import { createEngine } from '../packages/heddle/dist/index.js';
import { expectCompleted, median, tell, withFile } from './scenario.mjs';

const [nodeCount, edgeCount, rounds] = [2_000, 5_000, 7];

/** Every node has a way from one of the twenty before it; the other edges are as short. */
function makeEdges() {
  let seed = 7;
  const draw = (below) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % below;
  };
  const edges = new Set();
  for (let to = 1; to < nodeCount; to++) edges.add(`${to - 1 - draw(Math.min(to, 20))} ${to}`);
  while (edges.size < edgeCount) {
    const to = 1 + draw(nodeCount - 1);
    edges.add(`${to - 1 - draw(Math.min(to, 40))} ${to}`);
  }
  return [...edges].map((edge) => edge.split(' ').map((end) => `n${end}`));
}

const ids = Array.from({ length: nodeCount }, (_, index) => `n${index}`);
const edges = makeEdges();
const inbound = new Map();
for (const [, to] of edges) inbound.set(to, (inbound.get(to) ?? 0) + 1);

const drawn = {
  id: 'drawn',
  nodes: ids.map((id, x) => ({ id, type: 'work', position: { x, y: 0 }, data: { x } })),
  edges: edges.map(([source, target], index) => ({ id: `e${index}`, source, target })),
  viewport: { x: 0, y: 0, zoom: 1 },
};
const tokens = {
  id: 'tokens',
  initialNode: 'n0',
  nodes: ids.map((id, x) => ({
    id,
    action: 'work',
    inputMapping: { x: `${x}` },
    outputMapping: { [`state.${id}`]: 'result' },
  })),
  transitions: edges.map(([from, to], index) => ({
    id: `e${index}`,
    from,
    to,
    ...(inbound.get(to) > 1 ? { synchronization: { over: 'edges' } } : {}),
  })),
};
const three = {
  id: 'three',
  nodes: ['a', 'b', 'c', 'join'].map((id) => ({ id, type: id === 'join' ? 'work' : 'nap', position: { x: 0, y: 0 } })),
  edges: ['a', 'b', 'c'].map((source) => ({ source, target: 'join' })),
};

await withFile(async (store) => {
  const nap = () => new Promise((resolve) => setTimeout(() => resolve({}), 100));
  const engine = await createEngine({ store, actions: { work: async () => ({}), nap } });
  const timed = async (work) => {
    const from = performance.now();
    await work();
    return performance.now() - from;
  };
  const run = (id) => timed(async () => expectCompleted(await (await engine.start(id)).result()));
  const registerMs = await timed(() => engine.register(drawn));
  await engine.register(tokens);
  await engine.register(three);
  const times = { drawn: [], tokens: [], three: [] };
  for (let round = 0; round <= rounds; round++) {
    for (const id of Object.keys(times)) {
      const ms = await run(id);
      if (round > 0) times[id].push(ms);
    }
  }
  const [drawnMs, tokensMs, threeMs] = Object.values(times).map(median);
  tell({ registerMs, speed: tokensMs / drawnMs, stepsPerSecond: (nodeCount / drawnMs) * 1000, threeMs });
  await engine.close();
});
