// Previews of retries and cancellations: what they tell is what is done then.

import { expect, test } from 'vitest';
import { graph, work as node, options } from './dataflow.testsuite.ts';
import { onEveryHost } from './hosts.testsuite.ts';
import { answer, callsAt, fail, go, launch, register, scripted, work, workflow } from './token-engine.testsuite.ts';

/** Two that work side by side behind a first, one that waits for an hour, and a sub-run. */
const order = workflow('order', [work('pay'), work('mail')], [go('pay', 'mail')]);
const shop = workflow(
  'shop',
  [
    work('first'),
    work('left'),
    work('right'),
    { id: 'pause', wait: { seconds: 3_600 } },
    { id: 'call', workflow: 'order' },
  ],
  [go('first', 'left'), go('first', 'right'), go('first', 'pause'), go('first', 'call')],
);
const asking = workflow(
  'asking',
  [{ id: 'ask', input: true }, { id: 'below', workflow: 'questions' }, { id: 'start' }],
  [go('start', 'ask'), go('start', 'below')],
  { initialNode: 'start' },
);
const questions = workflow('questions', [{ id: 'question', input: true }], []);

onEveryHost('previews', (host) => {
  test('[PV1] a retry does again what its preview says, keeps what it says, and may do twice what had begun', async () => {
    const t = await host.open(scripted);
    await register(t.engine, order);
    const run = await launch(t, shop);
    await answer(t, 'first');
    await answer(t, 'pay');
    await expect(run.previewRetry()).rejects.toMatchObject({ code: 'RUN_NOT_FAILED' });
    await fail(t, 'left');
    expect(await run.previewRetry()).toEqual({
      isFromStart: false,
      again: [
        { nodeId: 'left', visits: 1, begun: 1, continued: 0 },
        { nodeId: 'right', visits: 1, begun: 1, continued: 0 },
        { nodeId: 'call', visits: 1, begun: 0, continued: 1 },
      ],
      waiting: [{ nodeId: 'pause', visits: 1 }],
      kept: [{ nodeId: 'first', visits: 1 }],
    });
    expect(await run.status()).toBe('failed');
    const before = t.script.calls.length;
    await run.retry();
    await t.settle();
    const again = t.script.calls.slice(before).map(({ nodeId }) => nodeId);
    expect(again.toSorted()).toEqual(['left', 'mail', 'right']);
  });

  test('[PV1] a run that failed before anything was done begins anew', async () => {
    const t = await host.open(scripted);
    const broken = workflow('broken', [{ id: 'a' }, { id: 'b' }], [go('a', 'b', { condition: 'input.missing' })]);
    const run = await launch(t, broken);
    expect(await run.status()).toBe('failed');
    expect(await run.previewRetry()).toEqual({
      isFromStart: true,
      again: [{ nodeId: 'a', visits: 1, begun: 0, continued: 0 }],
      waiting: [],
      kept: [],
    });
  });

  test('[PV1] where outputs are kept, nodes that have one are not executed again', async () => {
    const t = await host.open(options);
    const run = await launch(
      t,
      graph([node('a'), node('b'), node('c'), node('d')], ['a.x->b.p', 'b.x->c.p', 'a.x->d.p']),
    );
    await answer(t, 'a', { x: 1 });
    await answer(t, 'd', { x: 4 });
    await fail(t, 'b');
    expect(await run.previewRetry()).toEqual({
      isFromStart: true,
      again: [{ nodeId: 'b', visits: 1, begun: 1, continued: 0 }],
      waiting: [],
      kept: [
        { nodeId: 'a', visits: 1 },
        { nodeId: 'd', visits: 1 },
      ],
    });
    await run.retry();
    await t.settle();
    expect(['a', 'b', 'd'].map((id) => callsAt(t, id).length)).toEqual([0, 1, 0]);
  });

  test('[PV2] cancelling ends what its preview says: visits, tasks, sub-runs and prompts', async () => {
    const t = await host.open(scripted);
    await register(t.engine, order);
    await register(t.engine, questions);
    const working = await launch(t, shop);
    await answer(t, 'first');
    expect(await working.previewCancel()).toEqual({
      applies: true,
      ended: [
        { nodeId: 'left', visits: 1, begun: 1 },
        { nodeId: 'right', visits: 1, begun: 1 },
        { nodeId: 'pause', visits: 1, begun: 0 },
        { nodeId: 'call', visits: 1, begun: 0 },
      ],
      subRuns: 1,
      openPrompts: 0,
    });
    const asked = await launch(t, asking);
    expect(await asked.previewCancel()).toMatchObject({ applies: true, subRuns: 1, openPrompts: 2 });
    expect(await asked.prompts()).toHaveLength(2);
    const [below] = await t.engine.runs({ parentRunId: asked.id });
    expect(await t.engine.run(below?.runId ?? '').previewCancel()).toMatchObject({ subRuns: 0, openPrompts: 1 });
    await asked.cancel();
    await t.settle();
    expect(await asked.previewCancel()).toEqual({ applies: false, ended: [], subRuns: 0, openPrompts: 0 });
    expect(await asked.prompts()).toEqual([]);
  });

  test('[PV3] of many runs those are told that would be cancelled or retried, and nothing is done', async () => {
    const t = await host.open(scripted);
    const one = workflow('one', [work('step')], []);
    const [failed, running] = [await launch(t, one), await launch(t, one)];
    await fail(t, 'step');
    const bulk = { workflow: 'one', preview: true };
    const byRun = ({ items }: { readonly items: readonly { readonly runId: string }[] }) =>
      new Map(items.map(({ runId, ...told }) => [runId, told]));
    const cancelled = byRun(await t.engine.call('cancelRuns', bulk));
    expect([cancelled.get(failed.id), cancelled.get(running.id)]).toEqual([{ applied: false }, { applied: true }]);
    const retried = byRun(await t.engine.call('retryRuns', bulk));
    expect(retried.get(failed.id)).toEqual({ applied: true });
    expect(retried.get(running.id)).toMatchObject({ applied: false, code: 'RUN_NOT_FAILED' });
    expect([await failed.status(), await running.status()]).toEqual(['failed', 'running']);
    expect(await t.engine.runs()).toHaveLength(2);
    const done = await t.engine.call('retryRuns', { workflow: 'one', statuses: ['failed'] });
    const again = byRun(await t.engine.call('retryRuns', bulk));
    expect(again.get(failed.id)).toEqual({ applied: true, retriedAs: done.items[0]?.retriedAs });
  });
});
