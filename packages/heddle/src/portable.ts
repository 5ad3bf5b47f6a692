// The door for runtimes without Node's APIs: everything but stores in files.

import type { Store } from './actor/ports.ts';
import { HeddleError } from './base/heddle-error.ts';
import type { Engine, EngineOptions } from './engine/engine.ts';
import { openEngine } from './engine/local-engine.ts';
import { memoryStore } from './hosts/memory/store.ts';

export * from './exports.ts';

/** Opens an engine in memory, or on a store of your own. */
export function createEngine({
  store = 'memory',
  ...options
}: EngineOptions & { readonly store?: 'memory' | Store } = {}): Promise<Engine> {
  if (typeof store !== 'string') return openEngine(store, options);
  if (store === 'memory') return openEngine(memoryStore(), options);
  throw new HeddleError(
    'STORE_UNKNOWN',
    `Expected a store or 'memory' on this runtime, but found ${JSON.stringify(store)}`,
  );
}
