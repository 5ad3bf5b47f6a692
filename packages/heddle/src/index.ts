// The main door, for Node: an engine on a file, in memory, or on a store of your own.

import type { Store } from './actor/ports.ts';
import { checkOptions } from './engine/check-options.ts';
import type { Engine, EngineOptions } from './engine/engine.ts';
import { openEngine } from './engine/local-engine.ts';
import type { SharedStore } from './fleet/open-shared-fleet.ts';
import { memoryStore } from './hosts/memory/store.ts';
import type { FleetFolder } from './hosts/sqlite/fleet-folder.ts';
import { openSqliteStore } from './hosts/sqlite/open.ts';
import { nodeTransport } from './outbound/node/transport.ts';

export * from './exports.ts';
export type { SharedStore } from './fleet/open-shared-fleet.ts';
export type { FleetFolder } from './hosts/sqlite/fleet-folder.ts';
export { type NodeTransportOptions, nodeTransport } from './outbound/node/transport.ts';

export interface EngineFolder extends FleetFolder {
  /** Whether each shard is in a thread of its own, and actions alone in this one: for machines with more than two cores. */
  readonly threads?: boolean;
}

/**
 * `store` is the path of a SQLite file (made if it is not there), `'memory'`, a store of your own, or the folder of a fleet of
 * SQLite files (made, with as many shards as are named, if it is not there), or a database that several processes share.
 */
export async function createEngine({
  store = 'memory',
  ...given
}: EngineOptions & { readonly store?: string | Store | EngineFolder | SharedStore } = {}): Promise<Engine> {
  if (isFleetFolder(store)) return openFleetIn(store, given);
  const options = withSockets(given);
  if (isShared(store)) return openShared(store, options);
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

type Given = string | Store | EngineFolder | SharedStore;
const isFleetFolder = (store: Given): store is EngineFolder =>
  typeof store === 'object' && store !== null && 'folder' in store;
const isShared = (store: Given): store is SharedStore =>
  typeof store === 'object' && store !== null && 'openShared' in store;

async function openShared(store: SharedStore, options: EngineOptions): Promise<Engine> {
  const { openSharedFleet } = await import('./fleet/open-shared-fleet.ts');
  const { readOnly = false } = options;
  return (await openSharedFleet(await store.openShared({ readOnly }), options)).engine;
}

/** Fleets are loaded when one is opened; what is only looked at needs no threads. */
async function openFleetIn({ threads = false, ...place }: EngineFolder, options: EngineOptions): Promise<Engine> {
  const { readOnly = false } = options;
  checkOptions('the folder of a fleet', { threads }, { threads: 'flag' });
  if (threads && !readOnly) return (await import('./fleet/threads/open-threads.ts')).openThreads(place, options);
  const [{ openFleet }, { openFleetFolder }] = await Promise.all([
    import('./fleet/open-fleet.ts'),
    import('./hosts/sqlite/fleet-folder.ts'),
  ]);
  return openFleet(await openFleetFolder(place, { readOnly }), withSockets(options));
}

/** On Node there are sockets, unless something else answers for them. */
function withSockets({ http, ...options }: EngineOptions): EngineOptions {
  return { ...options, http: { transport: nodeTransport(), ...http } };
}
