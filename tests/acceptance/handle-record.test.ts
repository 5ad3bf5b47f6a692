import { expect, test } from 'vitest';
import { ActionError } from '../../packages/heddle/src/executor/action-error.ts';
import { answerNode, callOf, drawing, walking } from './handle.testsuite.ts';
import { onEveryHost } from './hosts.testsuite.ts';
import { launch } from './token-engine.testsuite.ts';

const ran = {
  workflowId: 'w',
  eventId: null,
  triggerType: 'MANUAL_TRIGGER',
  triggerDepth: 0,
  currentNodeId: null,
  waitingAtNodeId: null,
  nextStepAt: null,
  waitLabel: null,
};
const unended = { completeAt: null, output: null, error: null, errorStack: null };

onEveryHost('handles: the execution record', (host) => {
  test('[HN25] a run of another dialect has none', async () => {
    const t = await host.open();
    const run = await launch(t, { id: 'w', initialNode: 'a', nodes: [{ id: 'a' }] });
    await expect(run.execution()).rejects.toMatchObject({ code: 'DIALECT_MISMATCH' });
  });

  test('[T244][T245][T246][T247][T251][T252] created RUNNING, currentNodeId before each node, then SUCCESS with the final context', async () => {
    const t = await host.open({ scripted: ['work'] });
    const run = await launch(t, drawing(['a:work', 'b:work'], ['a->b']), { n: 1 });
    expect(await run.execution()).toEqual({ ...ran, ...unended, status: 'RUNNING', currentNodeId: 'a' });
    await answerNode(t, 'a', { a: 1 });
    expect(await run.execution()).toEqual({ ...ran, ...unended, status: 'RUNNING', currentNodeId: 'b' });
    await t.advance(5_000);
    await answerNode(t, 'b', { b: 1 });
    expect(await run.execution()).toEqual({
      ...ran,
      ...unended,
      status: 'SUCCESS',
      completeAt: t.clock.now(),
      output: { n: 1, a: 1, b: 1 },
    });
  });

  test('[T248][T249][T250] at a wait it is WAITING at the node until the time; after it no more', async () => {
    const t = await host.open({ scripted: ['work'] });
    const run = await launch(t, drawing(['a:work', 'b:work'], ['a->b']));
    await answerNode(t, 'a', { _wait: { seconds: 60 } });
    expect(await run.execution()).toEqual({
      ...ran,
      ...unended,
      status: 'WAITING',
      currentNodeId: 'a',
      waitingAtNodeId: 'a',
      nextStepAt: t.clock.now() + 60_000,
    });
    await t.advance(60_000);
    expect(await run.execution()).toEqual({ ...ran, ...unended, status: 'RUNNING', currentNodeId: 'b' });
  });

  test('[T253][T254] on failure FAILED, with error, errorStack and completeAt, the rest cleared', async () => {
    const error = new ActionError('The mail server said no', { code: 'MAIL_REFUSED', details: { to: 'ada' } });
    const walked = walking({
      b: () => {
        throw error;
      },
    });
    const t = await host.open({ executors: walked.executors });
    const run = await launch(t, drawing(['a', 'b', 'c'], ['a->b', 'b->c']));
    expect(await run.execution()).toEqual({
      ...ran,
      status: 'FAILED',
      completeAt: t.clock.now(),
      output: null,
      error: 'The mail server said no',
      errorStack: error.stack,
    });
    expect(error.stack).toMatch(/^ActionError: The mail server said no\n {4}at /);
    expect(walked.visited).toEqual(['a', 'b']);
  });

  test('[T253][HN23] a failure that no executor threw has a stack too', async () => {
    const t = await host.open();
    const run = await launch(t, drawing(['a:NOBODY']));
    const error = 'Expected an action named "NOBODY", but none is registered';
    expect(await run.execution()).toMatchObject({
      status: 'FAILED',
      error,
      errorStack: `ACTION_NOT_FOUND: ${error}\n    at node "a"`,
    });
  });

  test('[T254] a run that ends while it waits, or works, keeps nothing of it', async () => {
    const t = await host.open({ scripted: ['work'] });
    const definition = drawing(['a:work'], [], { timeoutMs: 1_000 });
    const cancelled = await launch(t, definition);
    await answerNode(t, 'a', { _wait: { seconds: 60 } });
    await cancelled.cancel('enough');
    expect(await cancelled.execution()).toMatchObject({ ...ran, status: 'FAILED', completeAt: t.clock.now() });
    const late = await launch(t, definition);
    await t.advance(1_000);
    expect(await late.execution()).toMatchObject({
      ...ran,
      status: 'FAILED',
      error: 'Expected the run to end within 1000 ms, but it did not',
    });
  });

  test('[T247] while an attempt waits to be made again the node is still the current one, and the record RUNNING', async () => {
    const t = await host.open({
      actions: {
        FLAKY: {
          retry: { maxAttempts: 2, initialDelayMs: 1_000 },
          run: ({ attempt, input }) => {
            if (attempt === 1) throw new Error('not yet');
            return input['context'];
          },
        },
      },
    });
    const run = await launch(t, drawing(['a:FLAKY']), { n: 1 });
    expect(await run.execution()).toEqual({ ...ran, ...unended, status: 'RUNNING', currentNodeId: 'a' });
    await t.advance(1_000);
    expect(await run.execution()).toMatchObject({ status: 'SUCCESS', output: { n: 1 } });
  });

  test('[T245][T246][T284] type and depth of the trigger come from _trigger', async () => {
    const t = await host.open({ scripted: ['work'] });
    const trigger = { type: 'WEBHOOK_TRIGGER', depth: 2, firedAt: '2026-01-01T00:00:00.000Z' };
    const run = await launch(t, drawing(['a:work']), { _trigger: trigger });
    expect(await run.execution()).toMatchObject({ triggerType: 'WEBHOOK_TRIGGER', triggerDepth: 2 });
    expect(callOf(t, 'a').input['context']).toEqual({ _trigger: trigger });
    await answerNode(t, 'a', { _trigger: { type: 'X', depth: 9 } });
    expect(await run.execution()).toMatchObject({ triggerType: 'WEBHOOK_TRIGGER', triggerDepth: 2 });
  });

  test.each([
    ['nothing', undefined],
    ['no object', 'x'],
    ['empty', {}],
    ['of other kinds', { type: 5, depth: '2' }],
    ['a depth below 0', { depth: -3 }],
    ['an empty type', { type: '' }],
  ])('[T245][T246][HN22] otherwise MANUAL_TRIGGER and 0: %s', async (_, _trigger) => {
    const t = await host.open({ executors: walking().executors });
    const run = await launch(t, drawing(['a']), _trigger === undefined ? {} : { _trigger });
    expect(await run.execution()).toMatchObject({ triggerType: 'MANUAL_TRIGGER', triggerDepth: 0 });
  });

  test('[restart] the record is the same in the next process', async () => {
    const first = await host.open({ executors: walking().executors });
    const run = await launch(first, drawing(['a']), { n: 1 });
    const record = await run.execution();
    const second = await host.restart(first);
    expect(await second.engine.run(run.id).execution()).toEqual(record);
  });

  test('a run that is not there has no record', async () => {
    const t = await host.open();
    await expect(t.engine.run('nobody').execution()).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  });
});
