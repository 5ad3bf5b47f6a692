import { expect, test } from 'vitest';
import { adding, answerNode, callOf, drawing, type Fields, walking } from './handle.testsuite.ts';
import { onEveryHost } from './hosts.testsuite.ts';
import { eventsOf, launch } from './token-engine.testsuite.ts';

onEveryHost('handles: waits', (host) => {
  /** `a` waits, `b` comes after it. */
  const waiting = async (controls: Fields | ((now: number) => Fields)) => {
    const walked = walking({
      a: (params) => adding(typeof controls === 'function' ? controls(t.clock.now()) : controls)(params),
    });
    const t = await host.open({ executors: walked.executors });
    const run = await launch(t, drawing(['a', 'b'], ['a->b']), { n: 1 });
    return { t, run, walked };
  };
  const iso = (at: number) => new Date(at).toISOString();

  test('[T274][T275][T248][T249][T250] _wait: WAITING, sleeps the seconds, RUNNING, goes on; it is removed', async () => {
    const t = await host.open({ scripted: ['work'] });
    const run = await launch(t, drawing(['a:work', 'b:work'], ['a->b']), { n: 1 });
    await answerNode(t, 'a', { _wait: { seconds: 90 } });
    const nextStepAt = t.clock.now() + 90_000;
    const during = { status: 'WAITING', currentNodeId: 'a', waitingAtNodeId: 'a', nextStepAt };
    expect(await run.execution()).toMatchObject(during);
    expect(await run.status()).toBe('waiting');
    await t.advance(89_999);
    expect(await run.execution()).toMatchObject(during);
    await t.advance(1);
    expect(await run.execution()).toMatchObject({
      status: 'RUNNING',
      currentNodeId: 'b',
      waitingAtNodeId: null,
      nextStepAt: null,
    });
    expect(callOf(t, 'b').input['context']).toEqual({ n: 1 });
    await answerNode(t, 'b');
    expect(await run.result()).toMatchObject({ status: 'completed', output: { n: 1 } });
  });

  test('[T276][T277][T249] _waitUntil: WAITING, sleeps until the timestamp, goes on; it is removed', async () => {
    const { t, run, walked } = await waiting((now) => ({ _waitUntil: { timestamp: iso(now + 5_000) } }));
    expect(await run.execution()).toMatchObject({
      status: 'WAITING',
      waitingAtNodeId: 'a',
      nextStepAt: t.clock.now() + 5_000,
    });
    await t.advance(4_999);
    expect(walked.visited).toEqual(['a']);
    await t.advance(1);
    expect(walked.seen['b']).toEqual({ n: 1 });
    expect(await run.result()).toMatchObject({ status: 'completed', output: { n: 1 } });
  });

  test('[T278] the optional label is accepted', async () => {
    const { t, run } = await waiting((now) => ({
      _wait: { seconds: 1, label: 'nap' },
      _waitUntil: { timestamp: iso(now + 2_000), label: 'tea' },
    }));
    expect(await run.execution()).toMatchObject({ status: 'WAITING', waitLabel: 'tea' });
    await t.advance(2_000);
    expect(await run.result()).toMatchObject({ status: 'completed', output: { n: 1 } });
  });

  test.each<[string, string | null, (now: number) => Fields]>([
    ['of a wait', 'nap', () => ({ _wait: { seconds: 1, label: 'nap' } })],
    ['of a time', 'tea', (now) => ({ _waitUntil: { timestamp: iso(now + 1_000), label: 'tea' } })],
    [
      'of the later of two',
      'tea',
      (now) => ({ _wait: { seconds: 1, label: 'nap' }, _waitUntil: { timestamp: iso(now + 2_000), label: 'tea' } }),
    ],
    ['of 200 characters at most', '🍵'.repeat(200), () => ({ _wait: { seconds: 1, label: '🍵'.repeat(201) } })],
    ['none', null, () => ({ _wait: { seconds: 1 } })],
    ['none that is no text', null, () => ({ _wait: { seconds: 1, label: { a: 1 } } })],
  ])('[T477][HN45][HN46] the label: %s', async (_, label, controls) => {
    const { t, run } = await waiting(controls);
    const labelled = label === null ? {} : { label };
    const [event] = await eventsOf(run, 'token.waiting');
    expect(event).toMatchObject({ for: 'timer', ...labelled });
    expect(event !== undefined && 'label' in event).toBe(label !== null);
    const labels = async () => (await run.tokens()).flatMap(({ waitLabel }) => waitLabel ?? []);
    expect(await labels()).toEqual(label === null ? [] : [label]);
    expect(await run.execution()).toMatchObject({ status: 'WAITING', waitLabel: label });
    await t.advance(2_000);
    expect(await labels()).toEqual([]);
    expect(await run.execution()).toMatchObject({ status: 'SUCCESS', waitLabel: null });
  });

  test('[T477][HN46] the label is there after a restart', async () => {
    const { t, run, walked } = await waiting({ _wait: { seconds: 60, label: 'nap' } });
    const later = await host.restart(t, { executors: walked.executors });
    const again = later.engine.run(run.id);
    expect(await again.execution()).toMatchObject({ status: 'WAITING', waitLabel: 'nap' });
    expect((await again.tokens()).at(-1)).toMatchObject({ status: 'waiting_for_timer', waitLabel: 'nap' });
    await later.advance(60_000);
    expect(await again.status()).toBe('completed');
  });

  test.each([
    ['the seconds', 60, 30_000, 60_000],
    ['the timestamp', 30, 60_000, 60_000],
  ])('[HN3] both: until the later of the two, %s', async (_, seconds, untilMs, expectedMs) => {
    const { t, run } = await waiting((now) => ({
      _wait: { seconds },
      _waitUntil: { timestamp: iso(now + untilMs) },
    }));
    await t.advance(expectedMs - 1);
    expect(await run.execution()).toMatchObject({ status: 'WAITING', nextStepAt: t.clock.now() + 1 });
    await t.advance(1);
    expect(await run.status()).toBe('completed');
  });

  test('[X26][HN3] fractional seconds are floored', async () => {
    const { t, run } = await waiting({ _wait: { seconds: 2.9 } });
    expect(await run.execution()).toMatchObject({ nextStepAt: t.clock.now() + 2_000 });
    await t.advance(2_000);
    expect(await run.status()).toBe('completed');
  });

  test.each<[string, Fields]>([
    ['no seconds', { _wait: { seconds: 0 } }],
    ['less than none', { _wait: { seconds: -5 } }],
    ['a fraction of one', { _wait: { seconds: 0.9 } }],
    ['a text', { _wait: { seconds: '5' } }],
    ['no object', { _wait: 5 }],
    ['nothing', { _wait: {} }],
    ['an unparsable timestamp', { _waitUntil: { timestamp: 'tomorrow' } }],
    ['a timestamp in the past', { _waitUntil: { timestamp: '1999-01-01T00:00:00Z' } }],
    ['a timestamp of another kind', { _waitUntil: { timestamp: 5 } }],
    ['null', { _wait: null, _waitUntil: null }],
  ])('[X26][HN3][HN4] what is no wait is ignored, and removed: %s', async (_, controls) => {
    const { run, walked } = await waiting(controls);
    expect(await run.result()).toMatchObject({ status: 'completed', output: { n: 1 } });
    expect(walked.seen['b']).toEqual({ n: 1 });
  });

  test('[X26] an unparsable one does not spoil the other', async () => {
    const { t, run } = await waiting({ _wait: { seconds: 3 }, _waitUntil: { timestamp: '?' } });
    expect(await run.execution()).toMatchObject({ status: 'WAITING', nextStepAt: t.clock.now() + 3_000 });
  });

  test.each<[string, Fields]>([
    ['seconds', { _wait: { seconds: 1e306 } }],
    ['a time', { _waitUntil: { timestamp: '+200000-01-01T00:00:00Z' } }],
  ])('[HN3] a wait beyond timeoutMsMax fails the node: %s', async (_, controls) => {
    const { run } = await waiting(controls);
    expect(await run.summary()).toMatchObject({ status: 'failed', error: { code: 'WAIT_INVALID', nodeId: 'a' } });
  });

  test('[T280][HN6] branch and wait may be combined: the handle is followed after the wait', async () => {
    const walked = walking({ a: adding({ _branch: 'later', _wait: { seconds: 10 } }) });
    const t = await host.open({ executors: walked.executors });
    const run = await launch(t, drawing(['a', 'b', 'c'], ['a->b', 'a/later->c']));
    await t.advance(9_999);
    expect(walked.visited).toEqual(['a']);
    await t.advance(1);
    expect(walked.visited).toEqual(['a', 'c']);
    expect(await run.result()).toMatchObject({ status: 'completed', output: {} });
  });

  test('[T279] none of the control keys appears in the final output, also not from the last node', async () => {
    const controls = { _branch: 'gone', _wait: { seconds: 1 }, _waitUntil: { timestamp: iso(0) } };
    const walked = walking({ a: adding({ ...controls, kept: { _branch: 'mine' } }) });
    const t = await host.open({ executors: walked.executors });
    const run = await launch(t, drawing(['a']), { n: 1 });
    await t.advance(1_000);
    expect(await run.result()).toMatchObject({ output: { n: 1, kept: { _branch: 'mine' } } });
    expect(await run.execution()).toMatchObject({ output: { n: 1, kept: { _branch: 'mine' } } });
  });

  test('[T279][HN10] nor those that came with the initial data, which do not steer either', async () => {
    const walked = walking();
    const t = await host.open({ executors: walked.executors });
    const initialData = { n: 1, _branch: 'true', _wait: { seconds: 9 }, _waitUntil: { timestamp: iso(1e15) } };
    const run = await launch(t, drawing(['a', 'b', 'c'], ['a->b', 'a/true->c']), initialData);
    expect(await run.result()).toMatchObject({ status: 'completed', output: { n: 1 } });
    expect(walked.visited).toEqual(['a', 'b']);
    expect(walked.seen['a']).toEqual({ n: 1 });
  });

  test('[HN3] a wait holds the whole run: nodes that are ready wait too', async () => {
    const walked = walking({ b: adding({ _wait: { seconds: 10 } }) });
    const t = await host.open({ executors: walked.executors });
    const run = await launch(t, drawing(['a', 'b', 'c', 'd'], ['a->b', 'a->c', 'b->d']));
    expect(walked.visited).toEqual(['a', 'b']);
    await t.advance(9_999);
    expect(walked.visited).toEqual(['a', 'b']);
    await t.advance(1);
    expect(walked.visited).toEqual(['a', 'b', 'c', 'd']);
    expect(await run.status()).toBe('completed');
  });

  test('[restart] a wait is durable, and its context and handle are kept', async () => {
    const first = await host.open({ scripted: ['work'] });
    const run = await launch(first, drawing(['a:work', 'b:work', 'c:work'], ['a->b', 'a/late->c']));
    await answerNode(first, 'a', { n: 1, _branch: 'late', _wait: { seconds: 60 } });
    await first.advance(20_000);
    const second = await host.restart(first, { scripted: ['work'] });
    const again = second.engine.run(run.id);
    await second.advance(39_999);
    expect(await again.execution()).toMatchObject({ status: 'WAITING', waitingAtNodeId: 'a', currentNodeId: 'a' });
    await second.advance(1);
    expect(callOf(second, 'c').input['context']).toEqual({ n: 1 });
    expect(await again.execution()).toMatchObject({ status: 'RUNNING', waitingAtNodeId: null, currentNodeId: 'c' });
  });
});
