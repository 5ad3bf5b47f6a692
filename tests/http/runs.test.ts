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
