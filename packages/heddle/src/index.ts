// The main door, for Node: an engine on a file, in memory, or on a store of your own.

import type { Store } from './actor/ports.ts';
import { type Engine, type EngineOptions, openEngine } from './engine/engine.ts';
import { memoryStore } from './hosts/memory/store.ts';
import { openSqliteStore } from './hosts/sqlite/open.ts';
import { nodeTransport } from './outbound/node/transport.ts';

export * from './exports.ts';
export { type NodeTransportOptions, nodeTransport } from './outbound/node/transport.ts';

/** `store` is the path of a SQLite file (made if it is not there), `'memory'`, or a store of your own. */
export async function createEngine({
  store = 'memory',
  ...given
}: EngineOptions & { readonly store?: string | Store } = {}): Promise<Engine> {
  const options = withSockets(given);
  if (typeof store !== 'string') return openEngine(store, options);
  if (store === 'memory') return openEngine(memoryStore(), options);
  const file = await openSqliteStore(store, { readOnly: options.readOnly ?? false });
  try {
    return await openEngine(file, options);
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** On Node there are sockets, unless something else answers for them. */
function withSockets({ http, ...options }: EngineOptions): EngineOptions {
  return { ...options, http: { transport: nodeTransport(), ...http } };
}
