// FAN: one run that fans out to as many actions as asked for, and joins them.

import { createEngine } from '../packages/heddle/dist/index.js';
import { expectCompleted, noop, tell, withFile } from './scenario.mjs';

const branches = Number(process.argv[2]);

await withFile(async (store) => {
  const engine = await createEngine({ store, actions: noop });
  await engine.register({
    id: 'fan',
    initialNode: 'begin',
    nodes: [{ id: 'begin' }, { id: 'work', action: 'noop', outputMapping: { 'state.done': 'true' } }, { id: 'end' }],
    transitions: [
      { from: 'begin', to: 'work', spawnCount: branches, siblingGroup: 'all' },
      {
        from: 'work',
        to: 'end',
        synchronization: {
          strategy: 'all',
          merge: { source: '_branch.output.done', target: 'state.done', strategy: 'append' },
        },
      },
    ],
    outputMapping: { count: 'size(state.done)' },
  });
  const from = performance.now();
  const run = await engine.start('fan');
  const result = await run.result();
  const seconds = (performance.now() - from) / 1000;
  expectCompleted(result);
  if (result.output.count !== branches)
    throw new Error(`Expected ${branches} branches, but ${result.output.count} were merged`);
  tell({ seconds });
  await engine.close();
});
