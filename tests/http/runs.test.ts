// Runs over HTTP: a real server, real sockets.

import { expect, test } from 'vitest';
import { greeting, served } from './server.testsuite.ts';

test('a run is started, waited for and listed', async () => {
  const { client, url } = await served();
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(await client.register(greeting)).toMatchObject({ id: 'greeting', version: 1, isNew: true });
  const run = await client.start('greeting', { name: 'Ada' }, { tags: { who: 'ada' } });
  expect(await run.result()).toMatchObject({ status: 'completed', output: { text: 'Hello, Ada' } });
  expect(await client.runs({ tags: { who: 'ada' } })).toMatchObject([{ runId: run.id, workflow: 'greeting' }]);
  const events = [];
  for await (const event of run.events()) events.push(event.type);
  expect(events.at(0)).toBe('workflow.started');
  expect(events.at(-1)).toBe('workflow.completed');
});

test('[HT16] a page of large events is short, and the pages together have each event once', async () => {
  const large = 'x'.repeat(1_500_000);
  const { client, url } = await served({ actions: { grow: () => ({ large }) } });
  const names = ['a', 'b', 'c', 'd'];
  await client.register({
    id: 'large',
    initialNode: 'a',
    nodes: names.map((id) => ({ id, action: 'grow' })),
    transitions: names.slice(1).map((to, index) => ({ id: `to-${to}`, from: names[index], to })),
  });
  const run = await client.start('large');
  await run.result();
  const first = await fetch(`${url}/v1/runs/${run.id}/events?limit=1000`);
  const { items, next } = (await first.json()) as { readonly items: readonly { id: string }[]; readonly next: string };
  expect(next).toBe(items.at(-1)?.id);
  const ids: string[] = [];
  for await (const { id } of run.events({ follow: false })) ids.push(id);
  expect(ids.slice(0, items.length)).toEqual(items.map(({ id }) => id));
  expect(ids.length).toBeGreaterThan(items.length);
  expect(new Set(ids).size).toBe(ids.length);
});
