// Open reader: an engine that only looks, beside whoever writes. It recovers nothing and starts nothing.

import { existsSync } from 'node:fs';
import { createEngine, type Engine } from '../index.ts';
import { CommandError } from './command-error.ts';

export async function withReader<T>(store: string, read: (engine: Engine) => Promise<T>): Promise<T> {
  checkStore(store);
  const engine = await createEngine({ store, readOnly: true });
  try {
    return await read(engine);
  } finally {
    await engine.close({ graceMs: 0 });
  }
}

/** Looking at a store, or going on with one, makes none. */
export function checkStore(store: string): void {
  if (existsSync(store)) return;
  const next = 'Name one with --store FILE; `npx heddle run … --store FILE` makes one';
  throw new CommandError('STORE_MISSING', `Expected a store at ${store}, but there is no such file. ${next}.`);
}
