// PARK: runs that wait for a timer. How much memory they add, and how soon work goes on after a restart beside them.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createEngine } from '../packages/heddle/dist/index.js';
import { line, tell, withFile } from './scenario.mjs';

const [, , what, path] = process.argv;

/** Heap and everything outside it, after collecting garbage. */
function memoryMb() {
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1_048_576;
}

async function park(store, runs) {
  const engine = await createEngine({ store, actions: { noop: () => new Promise(() => undefined) } });
  await engine.register({ id: 'park', initialNode: 'wait', nodes: [{ id: 'wait', wait: { seconds: 86_400 } }] });
  await engine.register(line('line', 1));
  await engine.start('park');
  const before = memoryMb();
  for (let i = 0; i < runs; i += 1_000) await Promise.all(Array.from({ length: 1_000 }, () => engine.start('park')));
  const addedMb = memoryMb() - before;
  await engine.start('line');
  await engine.close({ graceMs: 0 });
  return addedMb;
}

/** In a new process: from opening the engine to the first call of an action. */
async function restart(store) {
  const from = performance.now();
  await new Promise((resolve, reject) => {
    createEngine({ store, actions: { noop: async () => resolve() } }).catch(reject);
  });
  tell({ firstTaskMs: performance.now() - from });
  process.exit(0);
}

if (what === 'restart') await restart(path);
else {
  await withFile(async (store) => {
    const addedMb = await park(store, Number(what));
    const { stdout } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), 'restart', store], {
      encoding: 'utf8',
    });
    tell({ addedMb, ...JSON.parse(stdout) });
  });
}
