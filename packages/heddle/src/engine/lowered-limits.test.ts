// What was stored while a limit allowed it stays, when the engine is opened with a lower one.

import { expect, test } from 'vitest';
import { memoryStore } from '../hosts/memory/store.ts';
import { nodeTransport } from '../outbound/node/transport.ts';

import { openEngine } from './engine.testsuite.ts';

const limits = { secretsMax: 1, callbacksMax: 1 };

test('[SK2] secrets beyond a limit that was lowered are listed, and no further one is taken', async () => {
  const store = memoryStore();
  const before = await openEngine({ store });
  for (const name of ['first', 'second']) await before.engine.secrets.set(name, 'a value of some length');
  await before.engine.close();
  const { engine } = await openEngine({ store, limits });
  expect((await engine.secrets.list()).map(({ name }) => name)).toEqual(['first', 'second']);
  await expect(engine.secrets.set('third', 'a value of some length')).rejects.toMatchObject({ limit: 'secretsMax' });
  await engine.close();
});

test('[CB11] callbacks beyond a limit that was lowered are listed and known, and no further one is taken', async () => {
  const store = memoryStore();
  const callback = (id: string) => ({ id, url: 'https://example.com/', on: ['run.ended'] as const });
  const http = { transport: nodeTransport() };
  const before = await openEngine({ store, http });
  for (const id of ['first', 'second']) await before.engine.callbacks.create(callback(id));
  await before.engine.close();
  const { engine } = await openEngine({ store, http, limits });
  expect((await engine.callbacks.list()).map(({ id }) => id)).toEqual(['first', 'second']);
  expect(await engine.callbacks.disable('second')).toMatchObject({ id: 'second', enabled: false });
  await expect(engine.callbacks.create(callback('third'))).rejects.toMatchObject({ limit: 'callbacksMax' });
  await engine.close();
});
