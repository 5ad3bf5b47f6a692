// The stores' conformance suite, on the storage of Durable Objects: each store is an object of its own in Cloudflare's runtime.
// It is opened again by another object on the same storage, as after an eviction.

import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { objectHeader, startObjects } from '../../../../../tests/workerd.testsuite.ts';
import type { Store } from '../../actor/ports.ts';
import { StoreError } from '../../actor/store-error.ts';
import { describeArtifacts } from '../artifact.testsuite.ts';
import { describeStore, type StoreUnderTest } from '../store.testsuite.ts';
import { answerCall, remoteStore } from './remote-store.testsuite.ts';

const text = `
  import { bucketArtifacts } from './bucket-artifacts.ts';
  import { openObjectStore } from './open.ts';
  import { answerCall } from './remote-store.testsuite.ts';

  class StoreObject {
    constructor(ctx, env) {
      this.ctx = ctx;
      this.env = env;
      this.store = null;
    }
    open(prefix) {
      const options = prefix === null ? {} : { artifacts: bucketArtifacts(this.env.BUCKET, prefix) };
      return openObjectStore(this.ctx.storage, options).store;
    }
    async fetch(request) {
      const call = await request.text();
      if (call === 'abort') this.ctx.abort();
      this.store ??= this.open(request.headers.get('x-prefix'));
      return new Response(await answerCall(this.store, call));
    }
    alarm() {}
  }
`;

const folder = fileURLToPath(new URL('.', import.meta.url));
let starting: Promise<string> | null = null;
let lastName = 0;

async function setUp(artifacts: 'in the object' | 'in a bucket'): Promise<StoreUnderTest> {
  starting ??= startObjects('StoreObject', { text, folder });
  const url = await starting;
  lastName += 1;
  const name = `store-${lastName}`;
  const headers = { [objectHeader]: name, ...(artifacts === 'in a bucket' ? { 'x-prefix': `${name}/` } : {}) };
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
}

describeStore('Durable Object', () => setUp('in the object'));

describe('the Durable Object store whose artifacts are in a bucket', () => {
  let host: StoreUnderTest;
  beforeEach(async () => {
    host = await setUp('in a bucket');
  });
  afterEach(() => host.tearDown());
  describeArtifacts(
    () => host.store,
    async () => void (await host.reopen()),
  );
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
