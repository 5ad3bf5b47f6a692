import { expect, test } from 'vitest';
import { onEveryHost } from './hosts.testsuite.ts';
import {
  answer,
  callsAt,
  each,
  ended,
  go,
  join,
  keep,
  launch,
  merge,
  scripted,
  stateOf,
  visits,
  work,
  workflow,
} from './token-engine.testsuite.ts';

onEveryHost('waits', (host) => {
  const waiting = (wait: object) => workflow('w', [{ id: 'nap', wait }, work('after')], [go('nap', 'after')]);

  test('seconds: a number is a value', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, waiting({ seconds: 1.5 }));
    expect(await visits(run)).toEqual(['nap:waiting_for_timer']);
    expect(await run.summary()).toMatchObject({ status: 'waiting', nextTimerAt: t.clock.now() + 1500 });
    await t.advance(1499);
    expect(callsAt(t, 'after')).toEqual([]);
    await t.advance(1);
    expect(await visits(run)).toEqual(['nap:completed', 'after:dispatched']);
  });

  test('seconds: a string is an expression', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, waiting({ seconds: 'input.minutes * 60' }), { minutes: 2 });
    await t.advance(119_999);
    expect(await run.status()).toBe('waiting');
    await t.advance(1);
    expect(await run.status()).toBe('running');
  });

  test.each([
    ['milliseconds', (at: number) => at],
    ['an ISO text', (at: number) => new Date(at).toISOString()],
  ])('until %s', async (_, write) => {
    const t = await host.open(scripted);
    const run = await launch(t, waiting({ until: 'input.due' }), { due: write(t.clock.now() + 5000) });
    await t.advance(4999);
    expect(await run.status()).toBe('waiting');
    await t.advance(1);
    expect(await run.status()).toBe('running');
  });

  test.each([
    ['until', { until: 'input.past' }],
    ['of no seconds', { seconds: 0 }],
    ['of less than none', { seconds: 'input.negative' }],
  ])('a time in the past resumes at once: %s', async (_, wait) => {
    const t = await host.open(scripted);
    const run = await launch(t, waiting(wait), { past: t.clock.now() - 1, negative: -5 });
    expect(await visits(run)).toEqual(['nap:completed', 'after:dispatched']);
  });

  test.each(['soon', null, true, [1]])('what is no time fails the node: %j', async (due) => {
    const t = await host.open(scripted);
    const run = await launch(t, waiting({ until: 'input.due' }), { due });
    expect(await ended(run)).toMatchObject({ status: 'failed', error: { nodeId: 'nap' } });
  });

  test('waits hold no slot, at any number, and fire in the order of their times', async () => {
    const t = await host.open({ ...scripted, limits: { concurrencyPerProcess: 1 } });
    const definition = workflow(
      'w',
      ['start', { id: 'nap', wait: { seconds: 'item' } }, keep('b', 'v', { inputMapping: { item: 'item' } }), 'after'],
      [
        each('start', 'nap', 'input.items', 'g'),
        go('nap', 'b'),
        join('b', 'after', 'g', merge('_branch.output.v', 'state.vs')),
      ],
    );
    const run = await launch(t, definition, { items: [30, 10, 20] });
    for (const item of [10, 20, 30]) {
      await t.advance(10_000);
      expect(callsAt(t, 'b').map(({ input }) => input)).toEqual([{ item }]);
      await answer(t, 'b', { v: item });
    }
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect(await stateOf(run)).toEqual({ vs: [30, 10, 20] });
  });

  test('[restart] a wait is durable: it goes on in the next process, at its time, or late if nobody was there', async () => {
    const first = await host.open(scripted);
    const { id } = await launch(first, waiting({ seconds: 60 }));
    await first.advance(20_000);
    const second = await host.restart(first, scripted);
    await second.advance(39_999);
    expect(await second.engine.run(id).status()).toBe('waiting');
    await second.engine.close({ graceMs: 0 });
    await second.clock.advance(100_000);
    const third = await host.restart(second, scripted);
    await third.settle();
    expect(await visits(third.engine.run(id))).toEqual(['nap:completed', 'after:dispatched']);
  });
});
