// PARK: runs that wait for a timer, or for a person. How much memory they add, and how soon work goes on after a restart
// beside them.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createEngine } from '../packages/heddle/dist/index.js';
import { line, memoryMb, tell, withFile } from './scenario.mjs';

const [, , what, path] = process.argv;
const waits = { timer: { wait: { seconds: 86_400 } }, person: { input: { title: 'Go on?' } } };

async function park(store, runs, waitsFor) {
  const engine = await createEngine({ store, actions: { noop: () => new Promise(() => undefined) } });
  await engine.register({ id: 'park', initialNode: 'wait', nodes: [{ id: 'wait', ...waits[waitsFor] }] });
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
    const addedMb = await park(store, Number(what), path ?? 'timer');
    const { stdout } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), 'restart', store], {
      encoding: 'utf8',
    });
    tell({ addedMb, ...JSON.parse(stdout) });
  });
}
