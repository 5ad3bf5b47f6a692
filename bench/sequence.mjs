// SEQ: runs of ten sequential actions that do nothing, 1,000 runs at a time. With `never` all is written by the main thread.

import { createEngine } from '../packages/heddle/dist/index.js';
import { openSqliteStore } from '../packages/heddle/dist/sqlite.js';
import { line, noop, stepsPerSecond, tell, withFile } from './scenario.mjs';

const steps = 10;

await withFile(async (path) => {
  const store = await openSqliteStore(path, { writerThread: process.argv[2] ?? 'auto' });
  const engine = await createEngine({ store, actions: noop });
  await engine.register(line('line', steps));
  await stepsPerSecond(engine, { runs: 3_000, steps });
  tell({ stepsPerSecond: await stepsPerSecond(engine, { runs: 30_000, steps }) });
  await engine.close();
});
