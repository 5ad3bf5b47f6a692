// POSTGRES: SEQ (`sequence.mjs`) over PostgreSQL, a real server with durable commits, beside the same over a file: an engine on one
// shard, and engines on several shards in one process, each with commits of its own on their way.

import { createEngine } from '../packages/heddle/dist/index.js';
import { postgresStores } from '../packages/heddle/dist/postgres.js';
import { startPostgres } from '../scripts/postgres-server.mjs';
import { line, noop, stepsPerSecond, tell, withFile } from './scenario.mjs';

const [, , name = 'one', runs = '10000'] = process.argv;
const steps = 10;
const secretKey = Buffer.alloc(32, 'b').toString('base64');

/** Engines that know nothing of each other: what the database takes, without what a fleet does above it. */
async function openEngines(shards) {
  const server = await startPostgres({ isDurable: true });
  const open = (shard) => postgresStores({ url: server.url(), schema: `s${shard}`, shards: 1, secretKey });
  const all = await Promise.all(Array.from({ length: shards }, (_, shard) => open(shard)));
  const engines = await Promise.all(all.map(({ openStore }) => createEngine({ store: openStore(0), actions: noop })));
  const close = async () => {
    for (const engine of engines) await engine.close();
    for (const stores of all) await stores.close();
    server.stop();
  };
  return { engines, close };
}

async function measure(engines) {
  const each = { runs: Math.floor(Number(runs) / engines.length), steps };
  for (const engine of engines) await engine.register(line('line', steps));
  await Promise.all(engines.map((engine) => stepsPerSecond(engine, { runs: 1_000, steps })));
  const rates = await Promise.all(engines.map((engine) => stepsPerSecond(engine, each)));
  tell({ stepsPerSecond: rates.reduce((sum, rate) => sum + rate, 0) });
}

if (name === 'file')
  await withFile(async (path) => {
    const engine = await createEngine({ store: path, actions: noop });
    await measure([engine]);
    await engine.close();
  });
else {
  const { engines, close } = await openEngines(name === 'one' ? 1 : Number(name));
  await measure(engines);
  await close();
}
