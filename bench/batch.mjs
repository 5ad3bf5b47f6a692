// BATCH: 100,000 items in slices of 100, as many slices under way as asked for. How much memory it holds early, late, and
// for the slices that are under way.

import { createEngine } from '../packages/heddle/dist/index.js';
import { expectCompleted, memoryMb, tell, withFile } from './scenario.mjs';

const parallel = Number(process.argv[2]);
const [items, size] = [100_000, 100];

await withFile(async (store) => {
  const held = { early: 0, late: 0 };
  let slices = 0;
  const work = async ({ input }) => {
    slices++;
    if (slices === 100) held.early = memoryMb();
    if (slices === 900) held.late = memoryMb();
    return { done: input.items.length };
  };
  const engine = await createEngine({ store, actions: { work } });
  await engine.register({
    id: 'batch',
    initialNode: 'make',
    nodes: [
      { id: 'make', outputMapping: { 'state.items': 'input.items' } },
      {
        id: 'slices',
        batch: {
          items: 'state.items',
          batchSize: size,
          parallelBatches: parallel,
          merge: { source: '_branch.output.done', strategy: 'append' },
        },
        outputMapping: { 'output.done': 'sum(result)' },
      },
      {
        id: 'work',
        action: 'work',
        inputMapping: { items: 'state.items' },
        outputMapping: { 'state.done': 'result.done' },
      },
    ],
    transitions: [
      { from: 'make', to: 'slices' },
      { from: 'slices', to: 'work', on: 'slice' },
    ],
  });
  const list = Array.from({ length: items }, (_, i) => ({ id: i, name: `item ${i}` }));
  const from = performance.now();
  const result = await (await engine.start('batch', { items: list })).result();
  const seconds = (performance.now() - from) / 1000;
  expectCompleted(result);
  if (result.output.done !== items) throw new Error(`Expected ${items} items, but ${result.output.done} were done`);
  tell({ seconds, earlyMb: held.early, lateMb: held.late });
  await engine.close();
});
