// Retries of runs with sub-runs: what a sub-run had done is not done again, at any depth.

import { expect, test } from 'vitest';
import { onEveryHost } from './hosts.testsuite.ts';
import {
  answer,
  callAt,
  callsAt,
  each,
  ended,
  eventsOf,
  type Fields,
  fail,
  go,
  join,
  keep,
  launch,
  merge,
  register,
  scripted,
  work,
  workflow,
} from './token-engine.testsuite.ts';

const order = workflow(
  'order',
  [keep('pay', 'receipt', { inputMapping: { of: 'input.of' } }), work('mail', { inputMapping: { of: 'input.of' } })],
  [go('pay', 'mail')],
  { outputMapping: { receipt: 'state.receipt' } },
);
const calls = (workflowId: string, more: Fields = {}): Fields => ({ id: 'call', workflow: workflowId, ...more });
const shop = workflow(
  'shop',
  [calls('order', { inputMapping: { of: 'input.of' }, outputMapping: { 'state.order': 'result' } })],
  [],
  { outputMapping: { order: 'state.order' } },
);
const childOf = async (run: Parameters<typeof eventsOf>[0]): Promise<string> =>
  (await eventsOf(run, 'subworkflow.dispatched')).at(-1)?.childRunId as string;

onEveryHost('retrying a run whose sub-run failed', (host) => {
  test.each([true, false])('[RX7] the sub-run continues from its own failure (keepKeys: %s)', async (keepKeys) => {
    const t = await host.open(scripted);
    await register(t.engine, order);
    const run = await launch(t, shop, { of: 'Ada' });
    const child = await childOf(run);
    await answer(t, 'pay', { receipt: 'r1' });
    const failedMail = callAt(t, 'mail');
    await fail(t, 'mail');
    expect(await ended(run)).toMatchObject({ status: 'failed' });

    const again = await run.retry({ keepKeys });
    await t.settle();
    expect(callsAt(t, 'pay')).toEqual([]);
    const mail = callAt(t, 'mail');
    const newChild = await childOf(again);
    expect(mail).toMatchObject({ input: { of: 'Ada' }, attempt: 1 });
    expect(mail.idempotencyKey === failedMail.idempotencyKey).toBe(keepKeys);
    expect((await eventsOf(again, 'subworkflow.dispatched'))[0]).toMatchObject({ continues: child });
    expect((await eventsOf(t.engine.run(newChild), 'workflow.started'))[0]).toMatchObject({
      retryOf: child,
      rootRunId: again.id,
      parent: { runId: again.id },
    });
    await answer(t, 'mail');
    expect(await ended(again)).toMatchObject({ status: 'completed', output: { order: { receipt: 'r1' } } });
    expect((await t.engine.audit()).problems).toEqual([]);
  });

  test('[RX7] at any depth, through a restart, and again when the retry fails too', async () => {
    let t = await host.open(scripted);
    await register(t.engine, order, { ...shop, id: 'middle' });
    const run = await launch(t, workflow('top', [calls('middle', { inputMapping: { of: 'input.of' } })]), { of: 'x' });
    await answer(t, 'pay', { receipt: 'r1' });
    const key = callAt(t, 'mail').idempotencyKey;
    await fail(t, 'mail');
    const second = await run.retry({ keepKeys: true });
    await t.settle();
    await fail(t, 'mail');
    expect(await ended(second)).toMatchObject({ status: 'failed' });
    const third = await second.retry({ keepKeys: true });
    t = await host.restart(t, scripted);
    await t.settle();
    expect(callsAt(t, 'pay')).toEqual([]);
    expect(callAt(t, 'mail').idempotencyKey).toBe(key);
    await answer(t, 'mail');
    expect(await ended(t.engine.run(third.id))).toMatchObject({ status: 'completed' });
  });

  test('[RX7] in a foreach every sub-run continues where it stood; what had completed is taken over', async () => {
    const t = await host.open(scripted);
    await register(t.engine, order);
    const many = workflow(
      'many',
      [
        'begin',
        calls('order', { inputMapping: { of: 'item' }, outputMapping: { 'state.r': 'result.receipt' } }),
        'end',
      ],
      [each('begin', 'call', 'input.list', 'g'), join('call', 'end', 'g', merge('_branch.output.r', 'state.all'))],
      { outputMapping: { all: 'state.all' } },
    );
    const run = await launch(t, many, { list: ['a', 'b', 'c', 'd'] });
    for (const of of ['a', 'b', 'c']) await answer(t, 'pay', { receipt: of }, { of });
    await answer(t, 'mail', {}, { of: 'a' });
    await fail(t, 'mail', new Error('no'), { of: 'b' });
    expect(await ended(run)).toMatchObject({ status: 'failed' });

    const again = await run.retry({ keepKeys: true });
    await t.settle();
    const open = t.script.calls.filter(({ isAnswered, signal }) => !isAnswered && !signal.aborted);
    expect(open.map(({ nodeId, input }) => `${nodeId} ${JSON.stringify(input['of'])}`).toSorted()).toEqual([
      'mail "b"',
      'mail "c"',
      'pay "d"',
    ]);
    await answer(t, 'pay', { receipt: 'd' }, { of: 'd' });
    for (const of of ['b', 'c', 'd']) await answer(t, 'mail', {}, { of });
    expect(await ended(again)).toMatchObject({ status: 'completed', output: { all: ['a', 'b', 'c', 'd'] } });
  });

  test('[RX7] a sub-run that completed as its caller failed is not run again', async () => {
    const t = await host.open(scripted);
    await register(t.engine, order);
    const both = workflow(
      'both',
      [
        'begin',
        calls('order', { inputMapping: { of: "'x'" }, outputMapping: { 'state.r': 'result.receipt' } }),
        work('other'),
      ],
      [go('begin', 'call'), go('begin', 'other')],
      { outputMapping: { r: 'state.r' } },
    );
    const run = await launch(t, both);
    await answer(t, 'pay', { receipt: 'r1' });
    callAt(t, 'mail').complete({}); // Both before anybody hears of either.
    callAt(t, 'other').fail(new Error('no'));
    await t.settle();
    expect(await ended(run)).toMatchObject({ status: 'failed' });
    const again = await run.retry();
    await t.settle();
    expect(callsAt(t, 'mail')).toEqual([]);
    await answer(t, 'other');
    expect(await ended(again)).toMatchObject({ status: 'completed', output: { r: 'r1' } });
  });

  test('[RX7] a person is not asked again what was answered', async () => {
    const t = await host.open(scripted);
    const asking = workflow(
      'order',
      [{ id: 'ask', input: { title: 'Approve?' }, outputMapping: { 'state.by': 'result.by' } }, work('mail')],
      [go('ask', 'mail')],
      { outputMapping: { receipt: 'state.by' } },
    );
    await register(t.engine, asking);
    const run = await launch(t, shop, { of: 'x' });
    const [prompt] = await t.engine.prompts({ runId: run.id });
    await run.reply(prompt?.correlationId as string, { by: 'Eva' });
    await t.settle();
    await fail(t, 'mail');
    const again = await run.retry();
    await t.settle();
    expect(await t.engine.prompts({ runId: again.id })).toEqual([]);
    await answer(t, 'mail');
    expect(await ended(again)).toMatchObject({ status: 'completed', output: { order: { receipt: 'Eva' } } });
  });

  test('[RX7] a further attempt of the node, and a sub-run that never started, begin anew', async () => {
    const t = await host.open(scripted);
    const retrying = workflow('shop', [calls('order', { retry: { maxAttempts: 2, initialDelayMs: 5 } })]);
    const run = await launch(t, retrying, {});
    expect(await ended(run)).toMatchObject({ status: 'waiting' });
    await t.advance(5);
    expect(await ended(run)).toMatchObject({ status: 'failed', error: { code: 'WORKFLOW_NOT_FOUND' } });
    await register(t.engine, order);
    const again = await run.retry();
    await t.settle();
    await answer(t, 'pay', { receipt: 'r1' });
    await fail(t, 'mail');
    await t.advance(5);
    expect(callsAt(t, 'pay')).toHaveLength(1);
    const [first, second] = await eventsOf(again, 'subworkflow.dispatched');
    expect(second).not.toHaveProperty('continues');
    expect(first?.childRunId).not.toBe(second?.childRunId);
  });

  host.testHere('[RX7] a sub-run in quarantine cannot be continued, and the retry says so', async () => {
    const t = await host.open(scripted);
    await register(t.engine, order);
    const run = await launch(t, shop, { of: 'x' });
    const child = await childOf(run);
    await fail(t, 'pay');
    const row = await t.store.readRun(child);
    if (!row) throw new Error('Expected the sub-run to be stored');
    await t.store.commit({
      runs: [{ row: { ...row, quarantine: 'damaged' }, isNew: false }],
      journal: [],
      outboxAdded: [],
      outboxDone: [],
      keys: [],
      records: [],
    });
    const again = await run.retry();
    await t.settle();
    expect(await ended(again)).toMatchObject({ status: 'failed', error: { code: 'RUN_QUARANTINED' } });
  });
});
