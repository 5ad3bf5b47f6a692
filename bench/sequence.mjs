// SEQ: runs of ten sequential actions that do nothing, 1,000 runs at a time. With `never` all is written by the main thread.

import { createEngine } from '../packages/heddle/dist/index.js';
import { openSqliteStore } from '../packages/heddle/dist/sqlite.js';
import { expectCompleted, line, noop, tell, withFile } from './scenario.mjs';

const steps = 10;
const atATime = 1_000;

async function stepsPerSecond(engine, runs) {
  let started = 0;
  const from = performance.now();
  const client = async () => {
    while (started < runs) {
      started++;
      const run = await engine.start('line');
      expectCompleted(await run.result());
    }
  };
  await Promise.all(Array.from({ length: atATime }, client));
  return ((runs * steps) / (performance.now() - from)) * 1000;
}

await withFile(async (path) => {
  const store = await openSqliteStore(path, { writerThread: process.argv[2] ?? 'auto' });
  const engine = await createEngine({ store, actions: noop });
  await engine.register(line('line', steps));
  await stepsPerSecond(engine, 3_000);
  tell({ stepsPerSecond: await stepsPerSecond(engine, 30_000) });
  await engine.close();
});
