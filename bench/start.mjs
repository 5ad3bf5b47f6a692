// START: from the start of a process to the result of its first run, on a new file.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expectCompleted, line, median, noop, tell, withFile } from './scenario.mjs';

const [, , store] = process.argv;

if (store === undefined) {
  const times = [];
  for (let i = 0; i < 15; i++) {
    await withFile((path) => {
      const from = performance.timeOrigin + performance.now();
      const { status, stdout, stderr } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), path], {
        encoding: 'utf8',
      });
      if (status !== 0) throw new Error(stderr);
      times.push(Number(stdout) - from);
    });
  }
  tell({ p50Ms: median(times) });
} else {
  const { createEngine } = await import('../packages/heddle/dist/index.js');
  const engine = await createEngine({ store, actions: noop });
  await engine.register(line('line', 1));
  const run = await engine.start('line');
  expectCompleted(await run.result());
  process.stdout.write(String(performance.timeOrigin + performance.now())); // leaving closes the file, which is no part of it
  process.exit(0);
}
