import { expect, test } from 'vitest';
import { onEveryHost } from './hosts.testsuite.ts';
import { asking, asks, promptAt, say } from './prompts.testsuite.ts';
import {
  answer,
  ended,
  fail,
  go,
  join,
  launch,
  register,
  scripted,
  spawn,
  stateOf,
  work,
  workflow,
} from './token-engine.testsuite.ts';

onEveryHost('corners of prompts', (host) => {
  const serial = { inputPolicy: 'serial' };
  const two = [go('start', 'a'), go('start', 'b')];

  test('[IN4][IN8] serial: a deadline counts from the turn to ask, and the next has its turn when one expires', async () => {
    const t = await host.open();
    const nodes = ['start', asks('a', { deadlineMs: 1_000 }), asks('b', { deadlineMs: 1_000 }), 'late'];
    const definition = workflow('w', nodes, [...two, go('a', 'late', { on: 'failure' })], serial);
    const run = await launch(t, definition);
    await t.advance(999);
    expect(await asking(run)).toEqual(['a']);
    await t.advance(1);
    expect(await asking(run)).toEqual(['b']);
    expect(await promptAt(run, 'b')).toMatchObject({ requestedAt: t.clock.now(), deadline: t.clock.now() + 1_000 });
    await t.advance(999);
    await say(t, run, 'b', 'in time');
    expect([await run.status(), await stateOf(run)]).toEqual(['completed', { b: 'in time' }]);
  });

  test('[IN5] what a join does not need any more is called off', async () => {
    const t = await host.open();
    const definition = workflow(
      'w',
      ['start', asks('ask'), 'joined'],
      [spawn('start', 'ask', 3, 'g'), join('ask', 'joined', 'g', { strategy: 'any' })],
    );
    const run = await launch(t, definition);
    const [first, ...others] = await run.prompts();
    await run.reply(String(first?.correlationId), 1);
    await t.settle();
    expect([await run.status(), await run.prompts()]).toEqual(['completed', []]);
    for (const { correlationId } of others) {
      await expect(run.reply(correlationId, 1)).rejects.toMatchObject({ code: 'PROMPT_CANCELLED' });
    }
  });

  test('an answer that was kept while the run was paused counts, although the deadline passed meanwhile', async () => {
    const t = await host.open();
    const run = await launch(t, workflow('w', [asks('ask', { deadlineMs: 1_000 })]));
    const { correlationId } = await promptAt(run, 'ask');
    await run.pause();
    await run.reply(correlationId, 'in time');
    await t.advance(5_000);
    await run.resume();
    await t.settle();
    expect([await run.status(), await stateOf(run)]).toEqual(['completed', { ask: 'in time' }]);
  });

  test('a deadline that passed while the run was paused counts when it goes on', async () => {
    const t = await host.open();
    const run = await launch(t, workflow('w', [asks('ask', { deadlineMs: 1_000 })]));
    const { correlationId } = await promptAt(run, 'ask');
    await run.pause();
    await t.advance(5_000);
    expect(await asking(run)).toEqual(['ask']);
    await run.resume();
    await t.advance(0);
    expect(await ended(run)).toMatchObject({ status: 'failed', error: { code: 'INPUT_EXPIRED' } });
    await expect(run.reply(correlationId, 1)).rejects.toMatchObject({ code: 'PROMPT_EXPIRED' });
  });

  test('serial: an answer while paused holds the next back until the run goes on', async () => {
    const t = await host.open();
    const run = await launch(t, workflow('w', ['start', asks('a'), asks('b')], two, serial));
    const { correlationId } = await promptAt(run, 'a');
    await run.pause();
    await run.reply(correlationId, 1);
    expect(await asking(run)).toEqual([]);
    await run.resume();
    await t.settle();
    expect(await asking(run)).toEqual(['b']);
  });

  test('[RX3] a retry asks anew what was asked, and the old prompt is over', async () => {
    const t = await host.open(scripted);
    const nodes = ['start', asks('a', { deadlineMs: 60_000 }), asks('b'), work('toil')];
    const run = await launch(t, workflow('w', nodes, [...two, go('start', 'toil')], serial));
    const old = await promptAt(run, 'a');
    await fail(t, 'toil');
    await t.advance(1_000);
    const retried = await run.retry();
    await t.settle();
    expect((await t.engine.prompts()).map(({ runId, nodeId }) => [runId, nodeId])).toEqual([[retried.id, 'a']]);
    await expect(run.reply(old.correlationId, 1)).rejects.toMatchObject({ code: 'PROMPT_CANCELLED' });
    await say(t, retried, 'a', 1);
    await say(t, retried, 'b', 2);
    await answer(t, 'toil');
    expect([await retried.status(), await stateOf(retried)]).toEqual(['completed', { a: 1, b: 2 }]);
  });

  test('a run that times out takes its prompts with it', async () => {
    const t = await host.open();
    const run = await launch(t, workflow('w', [asks('ask')], [], { timeoutMs: 1_000 }));
    const { correlationId } = await promptAt(run, 'ask');
    await t.advance(1_000);
    expect([await run.status(), await run.prompts()]).toEqual(['timed_out', []]);
    await expect(run.reply(correlationId, 1)).rejects.toMatchObject({ code: 'PROMPT_CANCELLED' });
  });

  test('two hundred runs that ask: all listed, none in the way of another', async () => {
    const t = await host.open();
    await register(t.engine, workflow('w', [asks('ask')]));
    for (let index = 0; index < 200; index++) await t.engine.start('w');
    await t.settle();
    const all = await t.engine.prompts({ limit: 500 });
    expect(new Set(all.map(({ runId }) => runId)).size).toBe(200);
    await Promise.all(all.map(({ runId, correlationId }) => t.engine.run(runId).reply(correlationId, 1)));
    await t.settle();
    expect(await t.engine.prompts()).toEqual([]);
    expect(await t.engine.runs({ subRuns: true, status: 'suspended' })).toEqual([]);
  });
});
