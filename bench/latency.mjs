// LAT: one run of ten sequential actions on an engine that does nothing else.

import { createEngine } from '../packages/heddle/dist/index.js';
import { expectCompleted, line, median, noop, tell, withFile } from './scenario.mjs';

await withFile(async (store) => {
  const engine = await createEngine({ store, actions: noop });
  await engine.register(line('line', 10));
  const times = [];
  for (let i = 0; i < 300; i++) {
    const from = performance.now();
    const run = await engine.start('line');
    expectCompleted(await run.result());
    times.push(performance.now() - from);
  }
  tell({ p50Ms: median(times.slice(50)) });
  await engine.close();
});
