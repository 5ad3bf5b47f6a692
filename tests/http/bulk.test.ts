// What is done to many runs at once.

import { expect, test } from 'vitest';
import { greeting, served } from './server.testsuite.ts';

const asking = {
  id: 'asking',
  initialNode: 'ask',
  nodes: [{ id: 'ask', input: { title: 'Go on?' } }],
  transitions: [],
};

test('[HT15] runs are cancelled by a filter, a page at a time; without one nothing happens unless all are meant', async () => {
  const { client } = await served();
  await client.register(asking);
  await client.register(greeting);
  for (let n = 0; n < 3; n++) await client.start('asking');
  const done = await client.start('greeting', { name: 'Ada' });
  await done.result();
  const cancel = (body: object) => client.call('cancelRuns', body);
  await expect(cancel({})).rejects.toMatchObject({ code: 'FILTER_MISSING' });
  await expect(cancel({ limit: 10 })).rejects.toMatchObject({ code: 'FILTER_MISSING' });
  const first = await cancel({ workflow: 'asking', limit: 2 });
  expect(first).toMatchObject({ items: [{ applied: true }, { applied: true }], next: expect.any(String) });
  const second = await cancel({ workflow: 'asking', limit: 2, after: first.next! });
  expect(second).toMatchObject({ items: [{ applied: true }], next: null });
  const all = await cancel({ all: true });
  expect(all.items.map(({ applied }) => applied)).toEqual([false, false, false, false]);
  expect(await done.status()).toBe('completed');
});
