// The four notices of a run that asks people: suspended, resumed, asked, answered; in its events and to callbacks.

import { expect, test } from 'vitest';
import type { Run } from '../../packages/heddle/src/api/run.ts';
import type { HttpTransport } from '../../packages/heddle/src/outbound/transport.ts';
import type { TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import { type AcceptanceHost, onEveryHost } from './hosts.testsuite.ts';
import { asks, say } from './prompts.testsuite.ts';
import { go, launch, register, scripted, work, workflow } from './token-engine.testsuite.ts';

const on = ['run.suspended', 'run.resumed', 'run.ended', 'prompt.opened', 'prompt.answered'] as const;
const noticed: ReadonlySet<string> = new Set([
  'workflow.suspended',
  'workflow.resumed',
  'workflow.completed',
  'workflow.failed',
  'workflow.cancelled',
  'input.requested',
  'input.resumed',
]);

/** As the stream of a run has them, to its end. */
async function streamed(run: Run): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of run.events()) if (noticed.has(type)) types.push(type);
  return types;
}

/** As callbacks are to be told of them, in the order of the feed. */
async function called({ engine }: TestEngine): Promise<string[]> {
  const deliveries = await engine.callbacks.deliveries();
  return deliveries.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(({ event }) => event);
}

const transport: HttpTransport = {
  resolve: async () => ['1.1.1.1'],
  send: async () => ({ status: 200, headers: {}, body: new Uint8Array() }),
};

async function open(host: AcceptanceHost): Promise<TestEngine> {
  const t = await host.open({ ...scripted, http: { transport } });
  await t.engine.callbacks.create({ id: 'all', url: 'https://hooks.invalid/', on });
  return t;
}

onEveryHost('notices', (host) => {
  test('[T475][SP1][CB1] a run that continues after the answer', async () => {
    const t = await open(host);
    const run = await launch(t, workflow('w', [asks('ask'), asks('again')], [go('ask', 'again')]));
    const stream = streamed(run);
    await say(t, run, 'ask', 1);
    await say(t, run, 'again', 2);
    expect(await stream).toEqual([
      'input.requested',
      'workflow.suspended',
      'input.resumed',
      'input.requested',
      'input.resumed',
      'workflow.resumed',
      'workflow.completed',
    ]);
    expect(await called(t)).toEqual([
      'prompt.opened',
      'run.suspended',
      'prompt.answered',
      'prompt.opened',
      'prompt.answered',
      'run.resumed',
      'run.ended',
    ]);
  });

  test('[T475][SP1][CB1] a run that works after the answer', async () => {
    const t = await open(host);
    const run = await launch(t, workflow('w', [asks('ask'), work('a')], [go('ask', 'a')]));
    await say(t, run, 'ask', 1);
    await t.advance(0);
    expect(await called(t)).toEqual(['prompt.opened', 'run.suspended', 'prompt.answered', 'run.resumed']);
  });

  test.each([
    ['completes', {}, 'workflow.completed'],
    ['fails', { outputSchema: { type: 'object', required: ['missing'] } }, 'workflow.failed'],
  ])('[T475][SP3] a resumed run is told also when the answer ends it: it %s', async (_, more, end) => {
    const t = await open(host);
    const run = await launch(t, workflow('w', [asks('ask')], [], more));
    await say(t, run, 'ask', 1);
    await t.advance(0);
    const events = ['input.requested', 'workflow.suspended', 'input.resumed', 'workflow.resumed', end];
    expect(await streamed(run)).toEqual(events);
    expect(await called(t)).toEqual(['prompt.opened', 'run.suspended', 'prompt.answered', 'run.resumed', 'run.ended']);
  });

  test('[T475][SP3] a parent that the answer to its sub-run ends', async () => {
    const t = await open(host);
    await register(t.engine, workflow('child', [asks('ask')]));
    const run = await launch(t, workflow('w', [{ id: 'call', workflow: 'child' }]));
    await say(t, run, 'ask', 1);
    expect(await streamed(run)).toEqual(['workflow.suspended', 'workflow.resumed', 'workflow.completed']);
  });

  test('[T475][SP3] a suspended run that is cancelled is not resumed', async () => {
    const t = await open(host);
    const run = await launch(t, workflow('w', [asks('ask')]));
    await run.cancel('enough');
    expect(await streamed(run)).toEqual(['input.requested', 'workflow.suspended', 'workflow.cancelled']);
  });
});
