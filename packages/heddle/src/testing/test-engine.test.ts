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

test('[SM9] a stand-in answers for every action, built-in ones too; schemas, timeouts and retries stay', async () => {
  const asked: string[] = [];
  const { engine, settle } = await createTestEngine({
    actions: {
      rate: { output: { type: 'object', required: ['score'] }, run: () => ({ score: 7 }) },
      broken: { output: { type: 'object', required: ['score'] }, run: () => ({ score: 7 }) },
    },
    standIn: ({ action, context: { nodeId, attempt }, run }) => {
      asked.push(`${nodeId}: ${action}, ${attempt}`);
      if (nodeId === 'own') return run();
      if (attempt < 2) throw new Error('not yet');
      return nodeId === 'broken' ? {} : { score: attempt };
    },
  });
  const retry = { maxAttempts: 2, backoff: 'none' as const, initialDelayMs: 0 };
  await engine.register({
    id: 'stood-in',
    initialNode: 'own',
    nodes: [
      {
        id: 'own',
        action: 'core.echo',
        inputMapping: { word: '"hello"' },
        outputMapping: { 'output.word': 'result.word' },
      },
      {
        id: 'get',
        action: 'http.request',
        inputMapping: { url: '"https://example.com"' },
        retry,
        outputMapping: { 'output.got': 'result.score' },
      },
      { id: 'echo', action: 'core.echo', retry, outputMapping: { 'output.echo': 'result.score' } },
      { id: 'rate', action: 'rate', retry, outputMapping: { 'output.rate': 'result.score' } },
      { id: 'broken', action: 'broken', retry },
    ],
    transitions: [
      { from: 'own', to: 'get' },
      { from: 'get', to: 'echo' },
      { from: 'echo', to: 'rate' },
      { from: 'rate', to: 'broken' },
    ],
  });
  const run = await engine.start('stood-in');
  await settle();
  expect(asked).toEqual([
    'own: core.echo, 1',
    'get: http.request, 1',
    'get: http.request, 2',
    'echo: core.echo, 1',
    'echo: core.echo, 2',
    'rate: rate, 1',
    'rate: rate, 2',
    'broken: broken, 1',
    'broken: broken, 2',
  ]);
  expect(await run.result()).toMatchObject({ status: 'failed', error: { code: 'ACTION_OUTPUT_INVALID' } });
  expect((await run.state()).output).toEqual({ word: 'hello', got: 2, echo: 2, rate: 2 });
});
