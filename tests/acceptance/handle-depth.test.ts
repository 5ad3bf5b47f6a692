import { expect, test } from 'vitest';
import type { TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import { drawing, walking } from './handle.testsuite.ts';
import { onEveryHost } from './hosts.testsuite.ts';
import { register } from './token-engine.testsuite.ts';

onEveryHost('handles: depth', (host) => {
  /** Each run of `again` publishes the event that starts `again`. */
  const opened = async (): Promise<TestEngine> => {
    const walked = walking({
      a: async ({ publish, context }) => {
        await publish('again', {});
        return context;
      },
    });
    const t = await host.open({ executors: walked.executors });
    await register(t.engine, drawing(['a'], [], { id: 'again' }));
    const { problems } = await t.engine.triggers.create({ id: 't', type: 'event', event: 'again', workflow: 'again' });
    expect(problems).toEqual([]);
    return t;
  };

  const depths = async (t: TestEngine): Promise<number[]> => {
    await t.settle();
    const records = (await t.engine.runs({ subRuns: true })).map(({ runId }) => t.engine.run(runId).execution());
    return (await Promise.all(records)).map(({ triggerDepth }) => triggerDepth).toSorted((a, b) => a - b);
  };

  test('[T281][T282][T283][T284] what a run fires is one deeper, up to 3, and then nothing fires', async () => {
    const t = await opened();
    await t.engine.start('again');
    expect(await depths(t)).toEqual([0, 1, 2, 3]);
  });

  test.each([
    [1, [1, 2, 3]],
    [2, [2, 3]],
    [3, [3]],
    [7, [7]],
  ])('[T246][T282][T283][T284] a run that says it is at depth %i', async (depth, expected) => {
    const t = await opened();
    await t.engine.start('again', { _trigger: { depth } });
    expect(await depths(t)).toEqual(expected);
  });

  test('[T246] the payload of an event cannot lower the depth, but raise it', async () => {
    const t = await opened();
    await t.engine.publish('again', { _trigger: { depth: -5 } });
    expect(await depths(t)).toEqual([1, 2, 3]);
    await t.engine.publish('again', { _trigger: { depth: 2 } });
    expect(await depths(t)).toEqual([1, 2, 3, 3]);
    const { skipped } = await t.engine.publish('again', { _trigger: { depth: 3 } });
    expect(skipped).toMatchObject([{ trigger: 't', workflow: 'again' }]);
    expect(await depths(t)).toEqual([1, 2, 3, 3]);
  });

  test('[T243][T245] a run that a trigger fired knows it, and its executors read it in the context', async () => {
    const walked = walking();
    const t = await host.open({ executors: walked.executors });
    await register(t.engine, drawing(['a']));
    await t.engine.triggers.create({ id: 't', type: 'event', event: 'paid', workflow: 'w' });
    const { eventId, fired } = await t.engine.publish('paid', { amount: 5 }, { id: 'evt_1' });
    await t.settle();
    expect(eventId).toBe('evt_1');
    const run = t.engine.run(fired[0]?.runId ?? '');
    expect(await run.execution()).toMatchObject({
      status: 'SUCCESS',
      eventId: 'evt_1',
      triggerType: 'event',
      triggerDepth: 1,
    });
    const firedAt = new Date(t.clock.now()).toISOString();
    expect(walked.seen['a']).toMatchObject({ amount: 5, _trigger: { type: 'event', depth: 1, firedAt } });
  });
});
