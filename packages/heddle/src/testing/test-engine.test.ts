import { expect, test } from 'vitest';
import { createTestEngine } from './test-engine.ts';

const flow = (id: string, initialDelayMs: number) => ({
  id,
  initialNode: 'pay',
  nodes: [{ id: 'pay', action: 'charge', retry: { maxAttempts: 3, backoff: 'none' as const, initialDelayMs } }],
  transitions: [],
});

test('[SM8] settle lets a retry happen that has no delay, and leaves one that has', async () => {
  let calls = 0;
  const charge = () => {
    calls += 1;
    throw new Error('declined');
  };
  const { engine, settle, clock, advance } = await createTestEngine({ actions: { charge } });
  await engine.register(flow('now', 0));
  await engine.register(flow('later', 50));
  const before = clock.now();
  const run = await engine.start('now');
  await settle();
  expect([calls, clock.now() - before, await run.status()]).toEqual([3, 0, 'failed']);
  const other = await engine.start('later');
  await settle();
  expect([calls, await other.status()]).toEqual([4, 'waiting']);
  await advance(100);
  expect([calls, await other.status()]).toEqual([6, 'failed']);
});
