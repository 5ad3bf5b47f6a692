import { expect, test } from 'vitest';
import { type ExecutionEvent, startFromEvent } from '../../packages/heddle/src/engine/handle-event.ts';
import { drawing, walking } from './handle.testsuite.ts';
import { onEveryHost } from './hosts.testsuite.ts';
import { register } from './token-engine.testsuite.ts';

onEveryHost('handles: events', (host) => {
  const opened = async () => {
    const walked = walking();
    const t = await host.open({ executors: walked.executors });
    await register(t.engine, drawing(['a']), drawing(['a'], [], { id: 'other' }));
    return { t, walked };
  };
  const runsOf = async (t: Awaited<ReturnType<typeof opened>>['t']) => (await t.engine.runs({ subRuns: true })).length;

  test.each<[string, unknown, string]>([
    ['without workflowId', { data: {} }, '/data/workflowId'],
    ['with an empty one', { data: { workflowId: '' } }, '/data/workflowId'],
    ['with one of another kind', { data: { workflowId: 7 } }, '/data/workflowId'],
    ['without data', { id: 'e' }, '/data'],
    ['that is none', null, ''],
    ['with an id of another kind', { id: 7, data: { workflowId: 'w' } }, '/id'],
    ['with initial data of another kind', { data: { workflowId: 'w', initialData: [1] } }, '/data/initialData'],
  ])('[T240][HN34] an event %s is refused, and nothing starts', async (_, event, pointer) => {
    const { t } = await opened();
    await expect(startFromEvent(t.engine, event as ExecutionEvent)).rejects.toMatchObject({
      code: 'EVENT_INVALID',
      pointer,
    });
    expect(await runsOf(t)).toBe(0);
  });

  test('[T240] a workflow that is not registered is refused too', async () => {
    const { t } = await opened();
    const event = { id: 'e1', data: { workflowId: 'nobody' } };
    await expect(startFromEvent(t.engine, event)).rejects.toMatchObject({ code: 'WORKFLOW_NOT_FOUND' });
    expect(await runsOf(t)).toBe(0);
  });

  test('[T241] without initialData the initial context is empty', async () => {
    const { t, walked } = await opened();
    const run = await startFromEvent(t.engine, { data: { workflowId: 'w' } });
    expect(await run.result()).toMatchObject({ status: 'completed', output: {} });
    expect(walked.seen).toEqual({ a: {} });
  });

  test.each<[string, unknown]>([
    ['null', null],
    ['a list', [1]],
    ['a text', 'x'],
    ['a number', 5],
  ])('[T241][HN10] the context is empty, too, if a run is started with %s', async (_, input) => {
    const { t, walked } = await opened();
    const run = await t.engine.start('w', input);
    expect(await run.result()).toMatchObject({ status: 'completed', output: {} });
    expect(walked.seen).toEqual({ a: {} });
  });

  test('[T242][T243] initialData becomes the starting context, with what it says of the trigger', async () => {
    const { t, walked } = await opened();
    const initialData = {
      name: 'Ada',
      _trigger: { type: 'FORM_TRIGGER', depth: 1, firedAt: '2026-01-01T00:00:00.000Z' },
    };
    const run = await startFromEvent(t.engine, { data: { workflowId: 'w', initialData } });
    await run.result();
    expect(walked.seen).toEqual({ a: initialData });
    expect(await run.execution()).toMatchObject({
      status: 'SUCCESS',
      triggerType: 'FORM_TRIGGER',
      triggerDepth: 1,
      output: initialData,
    });
  });

  test('[T244] the record has the workflow id and the event id', async () => {
    const { t } = await opened();
    const run = await startFromEvent(t.engine, { id: 'evt_1', data: { workflowId: 'w' } });
    expect(await run.execution()).toMatchObject({ workflowId: 'w', eventId: 'evt_1' });
  });

  test('[HN35] the same event never starts a second run: at once, later, after a restart', async () => {
    const { t, walked } = await opened();
    const event = { id: 'evt_1', data: { workflowId: 'w', initialData: { n: 1 } } };
    const [one, two] = await Promise.all([startFromEvent(t.engine, event), startFromEvent(t.engine, event)]);
    await t.settle();
    const three = await startFromEvent(t.engine, event);
    const next = await host.restart(t, { executors: walked.executors });
    const four = await startFromEvent(next.engine, event);
    await next.settle();
    expect(new Set([one.id, two.id, three.id, four.id]).size).toBe(1);
    expect(walked.visited).toEqual(['a']);
  });

  test('[HN35] another event with the same id is refused', async () => {
    const { t } = await opened();
    await startFromEvent(t.engine, { id: 'evt_1', data: { workflowId: 'w' } });
    for (const data of [{ workflowId: 'other' }, { workflowId: 'w', initialData: { n: 2 } }]) {
      await expect(startFromEvent(t.engine, { id: 'evt_1', data })).rejects.toMatchObject({
        code: 'IDEMPOTENCY_KEY_REUSED',
      });
    }
    expect(await runsOf(t)).toBe(1);
  });
});
