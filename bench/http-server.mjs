// The server of the HTTP scenario, in a process of its own: it serves a file, and tells what it has used when it is asked.

import { serve } from '../packages/heddle/dist/server.js';

const [, , store] = process.argv;
const server = await serve({ store, port: 0 });
const everything = { tenant: 'default', scopes: new Set(['*']), keyId: null };
const { key } = await server.keys.create({ name: 'bench', scopes: ['*'] }, everything);

process.on('message', (asked) => {
  if (asked === 'memory') process.send(memory());
  if (asked === 'time') process.send(time());
  if (asked === 'close') void server.close({ graceMs: 0 }).then(() => process.exit(0));
});
process.send({ url: server.url, key });

/** After collecting garbage. */
function memory() {
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heapMb: (heapUsed + external) / 1_048_576, rssMb: rss / 1_048_576 };
}

/** Of the processor, so far: less at the mercy of others than the clock is. */
function time() {
  const { user, system } = process.cpuUsage();
  return { usedUs: user + system };
}
