// OBJECTS: what runs in a Durable Object cost, counted in workerd, and how fast an object is beside a file without durability, in
// the same run. What docs/guide/scaling.md calculates with.
//
//   node bench/objects.mjs

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { Miniflare } from 'miniflare';
import { createEngine } from '../packages/heddle/dist/index.js';
import { openSqliteStore } from '../packages/heddle/dist/sqlite.js';
import { line, median, noop, withFile } from './scenario.mjs';

const steps = 10;
const branches = 10_000;
const saturated = { runs: 1_000, atATime: 200 };
const rounds = 5;

const fan = {
  id: 'fan',
  initialNode: 'begin',
  nodes: [{ id: 'begin' }, { id: 'work', action: 'noop' }, { id: 'end' }],
  transitions: [
    { from: 'begin', to: 'work', spawnCount: branches, siblingGroup: 'all' },
    { from: 'work', to: 'end', synchronization: { siblingGroup: 'all', strategy: 'all' } },
  ],
};
const parked = { id: 'parked', initialNode: 'ask', nodes: [{ id: 'ask', input: {} }], transitions: [] };

const here = path.dirname(fileURLToPath(import.meta.url));
const outfile = path.join(here, '../node_modules/.cache/heddle-bench/object.js');
mkdirSync(path.dirname(outfile), { recursive: true });
buildSync({
  entryPoints: [path.join(here, 'object-worker.mjs')],
  outfile,
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  mainFields: ['module', 'main'],
  external: ['cloudflare:*', 'node:*'],
  target: 'es2023',
});
const miniflare = new Miniflare({
  modules: true,
  scriptPath: outfile,
  compatibilityDate: '2026-04-01',
  compatibilityFlags: ['nodejs_compat'],
  durableObjects: { OBJECT: { className: 'MeasuredObject', useSQLite: true } },
  cf: false,
});

async function ask(method, ...args) {
  const response = await miniflare.dispatchFetch('http://object/', {
    method: 'POST',
    body: JSON.stringify({ method, args }),
  });
  const { value, error } = await response.json();
  if (error) throw new Error(error);
  return value;
}

/** The same work on a file, without the wait for the disk. */
async function onFile(runs, atATime) {
  return withFile(async (file) => {
    const engine = await createEngine({ store: await openSqliteStore(file, { writerThread: 'never' }), actions: noop });
    await engine.register(line('line', steps));
    const seconds = await work(engine, runs, atATime);
    await engine.close();
    return (runs * steps) / seconds;
  });
}

async function work(engine, runs, atATime) {
  let started = 0;
  const client = async () => {
    while (started < runs) {
      started += 1;
      await (await engine.start('line')).result();
    }
  };
  const from = performance.now();
  await Promise.all(Array.from({ length: atATime }, client));
  return (performance.now() - from) / 1_000;
}

const per = (counts, number) =>
  `${(counts.rowsWritten / number).toFixed(2)} rows written, ${(counts.rowsRead / number).toFixed(1)} read, ${counts.alarms} alarms set`;

try {
  for (const definition of [line('line', steps), fan, parked]) await ask('register', definition);
  const boot = await ask('bootMs');
  const alone = await ask('run', 'line', 100, 1);
  const many = await ask('run', 'line', saturated.runs, saturated.atATime);
  const wide = await ask('run', 'fan', 1, 1);
  const waiting = await ask('park', 'parked', 200);
  console.log(`a line of ${steps} steps, a step, alone:      ${per(alone, 100 * steps)}`);
  console.log(`a line of ${steps} steps, a step, ${saturated.atATime} at once: ${per(many, saturated.runs * steps)}`);
  console.log(`a fan-out of ${branches}, a branch:         ${per(wide, branches)}`);
  console.log(`a run that waits for a person, a run:    ${per(waiting, 200)}`);
  console.log(`boot of a known object: ${boot.toFixed(1)} ms`);
  const [objects, files] = [[], []];
  for (let round = 0; round < rounds; round++) {
    const { ms } = await ask('run', 'line', saturated.runs, saturated.atATime);
    objects.push((saturated.runs * steps * 1_000) / ms);
    files.push(await onFile(saturated.runs, saturated.atATime));
  }
  const share = median(objects) / median(files);
  console.log(
    `${Math.round(median(objects))} steps/s in an object, ${Math.round(median(files))} on a file: ${(100 * share).toFixed(0)} %`,
  );
} finally {
  await miniflare.dispose();
}
