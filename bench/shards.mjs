// SHARDS: SEQ (`sequence.mjs`) on one file, on two shards in the main thread, and on two shards in threads of their own; and
// what a step takes of the processors, in all and in the main thread, which on a busy machine says more than steps a second.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createEngine } from '../packages/heddle/dist/index.js';
import { line, noop, stepsPerSecond, tell, withFile } from './scenario.mjs';

const steps = 10;
const stores = {
  one: (path) => path,
  main: (path, shards) => ({ folder: join(dirname(path), 'fleet'), shards }),
  threads: (path, shards) => ({ folder: join(dirname(path), 'fleet'), shards, threads: true }),
};
const [, , name = 'threads', shards = '2', runs = '30000'] = process.argv;

/** Of the main thread, in ticks of 10 ms; null where the system does not say. */
function mainThreadMs() {
  if (process.platform !== 'linux') return null;
  const fields = readFileSync(`/proc/self/task/${process.pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function processorMs() {
  const { user, system } = process.cpuUsage();
  return { all: (user + system) / 1_000, main: mainThreadMs() };
}

await withFile(async (path) => {
  const engine = await createEngine({ store: stores[name](path, Number(shards)), actions: noop });
  await engine.register(line('line', steps));
  await stepsPerSecond(engine, { runs: 3_000, steps });
  const before = processorMs();
  const perSecond = await stepsPerSecond(engine, { runs: Number(runs), steps });
  const after = processorMs();
  const usPerStep = (of) => ((after[of] - before[of]) * 1_000) / (Number(runs) * steps);
  const mainUs = before.main === null ? null : usPerStep('main');
  tell({ stepsPerSecond: perSecond, allUs: usPerStep('all'), mainUs });
  await engine.close();
});
