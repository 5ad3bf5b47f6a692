// ServerProcess: the program that is killed: the real server on a real file and a real port. It serves when it is told
// to, and closes when it is told to, if it lives that long.

import { loadSqlite } from '../../packages/heddle/src/hosts/sqlite/sqlite-module.ts';
import { serve } from '../../packages/heddle/src/server.ts';
import { definitions, triggers } from '../kill/workflows.ts';
import { obeyOrders, say } from './obey.ts';
import type { Order } from './protocol.ts';

type Serving = Extract<Order, { type: 'serve' }>;

async function open({ file, port }: Serving): Promise<(graceMs: number) => Promise<void>> {
  const server = await serve({
    store: file,
    port,
    // Nothing is given up, however often it is lost.
    limits: { dispatchesMax: 1_000_000 },
    log: (level, entry) => {
      if (level === 'error') say({ type: 'broken', message: JSON.stringify(entry) });
    },
  });
  for (const definition of definitions) await server.engine.register(definition);
  for (const trigger of triggers) await server.engine.triggers.create(trigger);
  return (graceMs) => server.close({ graceMs });
}

await loadSqlite(); // Beforehand, so that opening takes no longer than it must.
obeyOrders((order) => {
  if (order.type !== 'serve') throw new Error(`Expected to be told to serve, but found ${order.type}`);
  return open(order);
});
