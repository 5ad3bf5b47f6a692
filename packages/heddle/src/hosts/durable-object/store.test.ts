// The stores' conformance suite, on the storage of Durable Objects: each store is an object of its own in Cloudflare's runtime.
// It is opened again by another object on the same storage, as after an eviction.

import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { objectHeader, startObjects } from '../../../../../tests/workerd.testsuite.ts';
import type { Store } from '../../actor/ports.ts';
import { StoreError } from '../../actor/store-error.ts';
import { describeStore } from '../store.testsuite.ts';
import { answerCall, remoteStore } from './remote-store.testsuite.ts';

const text = `
  import { openObjectStore } from './open.ts';
  import { answerCall } from './remote-store.testsuite.ts';

  class StoreObject {
    constructor(ctx) {
      this.ctx = ctx;
      this.store = openObjectStore(ctx.storage).store;
    }
    async fetch(request) {
      const call = await request.text();
      if (call === 'abort') this.ctx.abort();
      return new Response(await answerCall(this.store, call));
    }
    alarm() {}
  }
`;

const folder = fileURLToPath(new URL('.', import.meta.url));
let starting: Promise<string> | null = null;
let lastName = 0;

describeStore('Durable Object', async () => {
  starting ??= startObjects('StoreObject', { text, folder });
  const url = await starting;
  lastName += 1;
  const headers = { [objectHeader]: `store-${lastName}` };
  const ask = async (call: string): Promise<string> => {
    const answer = await fetch(url, { method: 'POST', headers, body: call });
    if (!answer.ok && call !== 'abort') throw new Error(`Expected an answer, but: ${await answer.text()}`);
    return answer.text();
  };
  const store = remoteStore(ask);
  const reopen = async () => {
    await ask('abort');
    return store;
  };
  return { store, reopen, tearDown: async () => void (await ask('abort')) };
});

test('what crosses between both processes is what was sent, and a refusal is one', async () => {
  const values = [
    '\ud800',
    { ['__proto__']: [undefined, null, { a: undefined }] },
    new Uint8Array([0, 255]),
    undefined,
  ];
  const echo = {
    listRecords: (...args: readonly unknown[]) => args,
    close: () => {
      throw new StoreError('STORE_FULL', 'no room');
    },
  } as unknown as Store; // nothing else is asked
  const store = remoteStore((call) => answerCall(echo, call));
  expect(await store.listRecords('a', values as never)).toStrictEqual(['a', values]);
  await expect(store.close()).rejects.toMatchObject({ name: 'StoreError', code: 'STORE_FULL', message: 'no room' });
});
