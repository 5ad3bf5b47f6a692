import { expect, test } from 'vitest';
import { onEveryHost } from './hosts.testsuite.ts';
import {
  answer,
  callAt,
  each,
  ended,
  eventsOf,
  type Fields,
  fail,
  go,
  join,
  launch,
  scripted,
  stateOf,
  visits,
  work,
  workflow,
} from './token-engine.testsuite.ts';

const coded = (code: string, message = 'no'): Error => Object.assign(new Error(message), { code });
const items = { items: ['a', 'b', 'c'] };

/** One branch per item, which may fail; they meet at `after`. */
const fan = (synchronization: Fields, more: readonly Fields[] = []): Fields =>
  workflow(
    'w',
    [
      'fan',
      work('score', { inputMapping: { item: 'item' }, outputMapping: { 'state.score': 'result.score' } }),
      'after',
      work('handle', { inputMapping: { error: 'state._last_error' } }),
    ],
    [
      each('fan', 'score', 'input.items', 'g', { onBranchFailure: 'end' }),
      join('score', 'after', 'g', synchronization),
      ...more,
    ],
  );

onEveryHost('branches that have settled', (host) => {
  test('[MG16][MG17] a join tells how each branch ended, over a restart too', async () => {
    const merge = [
      { source: '_branch.output.score', target: 'state.scores', strategy: 'append' },
      { target: 'state.outcomes', strategy: 'append', include: 'settled' },
      {
        source: "{'item': item, 'code': _branch.error.code}",
        target: 'state.errors',
        strategy: 'append',
        include: 'settled',
      },
    ];
    let t = await host.open(scripted);
    const { id } = await launch(t, fan({ merge }), items);
    await fail(t, 'score', coded('TOO_LONG', 'too long'), { item: 'b' });
    t = await host.restart(t, scripted);
    await t.settle();
    await answer(t, 'score', { score: 3 }, { item: 'c' });
    await answer(t, 'score', { score: 1 }, { item: 'a' });
    const run = t.engine.run(id);
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect(await stateOf(run)).toEqual({
      scores: [1, 3],
      outcomes: [
        { index: 0, status: 'completed', output: { score: 1 } },
        { index: 1, status: 'failed', error: { code: 'TOO_LONG', message: 'too long', nodeId: 'score', attempts: 1 } },
        { index: 2, status: 'completed', output: { score: 3 } },
      ],
      errors: [{ item: 'b', code: 'TOO_LONG' }],
    });
  });

  test('[SY14][SY16] a quorum that cannot be met is handled, and names its causes', async () => {
    const t = await host.open(scripted);
    const definition = fan({ strategy: { mOfN: 2 } }, [go('after', 'handle', { on: 'failure' })]);
    const run = await launch(t, definition, items);
    await fail(t, 'score', coded('FIRST'), { item: 'a' });
    await fail(t, 'score', coded('THIRD'), { item: 'c' });
    expect(callAt(t, 'handle').input).toMatchObject({
      error: {
        code: 'FAN_IN_UNREACHABLE',
        nodeId: 'after',
        details: {
          causes: [
            { index: 0, code: 'FIRST' },
            { index: 2, code: 'THIRD' },
          ],
          moreCauses: 0,
        },
      },
    });
    await answer(t, 'handle');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect(await visits(run)).toEqual([
      'fan:completed',
      'score:failed',
      'score:cancelled',
      'score:failed',
      'after:failed',
      'handle:completed',
    ]);
    expect(await eventsOf(run, 'fan_in.completed')).toEqual([]);
  });

  test('[FL5] a saga knows to its end why it runs, over a restart too', async () => {
    const why = { inputMapping: { why: 'state._failure.code', last: 'state._last_error.code' } };
    const saga = workflow(
      'w',
      [work('ship'), work('refund', why), work('unreserve', why), work('tell', why)],
      [go('ship', 'refund', { on: 'failure' }), go('refund', 'unreserve'), go('unreserve', 'tell')],
    );
    let t = await host.open(scripted);
    const { id } = await launch(t, saga);
    await fail(t, 'ship', coded('LOST'));
    expect(callAt(t, 'refund').input).toEqual({ why: 'LOST', last: 'LOST' });
    await answer(t, 'refund');
    t = await host.restart(t, scripted);
    await t.settle();
    expect(callAt(t, 'unreserve').input).toEqual({ why: 'LOST' });
    await answer(t, 'unreserve');
    expect(callAt(t, 'tell').input).toEqual({ why: 'LOST' });
    await answer(t, 'tell');
    expect(await ended(t.engine.run(id))).toMatchObject({ status: 'completed' });
  });

  test('[SY14] a join whose time is up is handled, over a restart too; without a handler the run fails', async () => {
    const late = { timeoutMs: 1_000 };
    let t = await host.open(scripted);
    const { id } = await launch(t, fan(late, [go('after', 'handle', { on: 'any' })]), items);
    await answer(t, 'score', { score: 1 }, { item: 'a' });
    t = await host.restart(t, scripted);
    await t.advance(1_000);
    expect(callAt(t, 'handle').input).toMatchObject({ error: { code: 'FAN_IN_TIMED_OUT', nodeId: 'after' } });
    await answer(t, 'handle');
    const run = t.engine.run(id);
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    const other = await launch(t, { ...fan(late), id: 'other' }, items);
    await answer(t, 'score', { score: 1 }, { item: 'a' });
    await t.advance(1_000);
    expect(await ended(other)).toMatchObject({ status: 'failed', error: { code: 'FAN_IN_TIMED_OUT' } });
  });
});
