import { expect, test } from 'vitest';
import type { TestEngine, TestEngineOptions } from '../../packages/heddle/src/testing/test-engine.ts';
import { type AcceptanceHost, onEveryHost } from './hosts.testsuite.ts';
import { answer, callsAt, type Fields, register, scripted, work, workflow } from './token-engine.testsuite.ts';
import { failCommits, listening, outputsOf } from './triggers.testsuite.ts';

const hour = 3_600_000;

/** At once done; puts out the time that it was started for. */
const quick = workflow('quick', ['a'], [], { outputMapping: { at: '_trigger.scheduledFor' } });
/** Done when the test says so. */
const slow = workflow('slow', [work('a')], [], { outputMapping: { at: '_trigger.scheduledFor' } });

const hourly = (target: string, more: Fields = {}) => ({
  id: 's',
  type: 'schedule',
  cron: '0 * * * *',
  workflow: target,
  ...more,
});

async function open(host: AcceptanceHost, trigger: unknown, options: TestEngineOptions = {}): Promise<TestEngine> {
  const t = await host.open({ ...scripted, ...options });
  await register(t.engine, quick, slow);
  expect(await t.engine.triggers.create(trigger)).toMatchObject({ problems: [], isNew: true });
  return t;
}

/** The times that runs were started for, as `01T02:00`. */
async function times(t: TestEngine, target = 'quick'): Promise<string[]> {
  const outputs = (await outputsOf(t, target)) as { at: string }[];
  return outputs.map(({ at }) => at.slice(8, 16));
}

/** Nobody is there for a while. */
async function away(
  host: AcceptanceHost,
  t: TestEngine,
  ms: number,
  options: TestEngineOptions = {},
): Promise<TestEngine> {
  await t.engine.close({ graceMs: 0 });
  await t.clock.advance(ms);
  const next = await host.restart(t, { ...scripted, ...options });
  await next.settle();
  return next;
}

onEveryHost('schedules', (host) => {
  test('[TR6] [TR12] [TR16] a schedule fires at its times, with nothing as input', async () => {
    const t = await open(host, hourly('quick'));
    await register(t.engine, workflow('all', ['a'], [], { outputMapping: { input: 'input', trigger: '_trigger' } }));
    await t.engine.triggers.create({ ...hourly('all'), id: 'other', cron: '30 0 * * *' });
    expect((await t.engine.triggers.list()).map(({ id, nextAt }) => [id, nextAt])).toEqual([
      ['other', t.clock.now() + hour / 2],
      ['s', t.clock.now() + hour],
    ]);
    await t.advance(hour - 1);
    expect(await times(t)).toEqual([]);
    await t.advance(1 + 2 * hour);
    expect(await times(t)).toEqual(['01T01:00', '01T02:00', '01T03:00']);
    const scheduledFor = '2030-01-01T00:30:00.000Z';
    expect(await outputsOf(t, 'all')).toEqual([
      { input: {}, trigger: { type: 'schedule', depth: 1, firedAt: scheduledFor, triggerId: 'other', scheduledFor } },
    ]);
    const [last] = await t.engine.runs({ subRuns: true, workflow: 'quick', limit: 1 });
    expect(await t.engine.triggers.get('s')).toMatchObject({
      nextAt: t.clock.now() + hour,
      lastRunId: last?.runId,
      queued: [],
    });
  });

  test('[TR16] the input may be made from the time', async () => {
    const t = await host.open();
    await register(t.engine, workflow('w', ['a'], [], { outputMapping: { input: 'input' } }));
    await t.engine.triggers.create({ ...hourly('w'), input: { 'for.time': 'event.scheduledFor', region: "'eu'" } });
    await t.advance(hour);
    expect(await outputsOf(t, 'w')).toEqual([{ input: { for: { time: '2030-01-01T01:00:00.000Z' }, region: 'eu' } }]);
  });

  test.each([
    ['30 2 * * *', '2030-03-30T12:00:00Z', 2, ['31T01:00', '01T00:30']],
    ['30 2 * * *', '2030-10-26T12:00:00Z', 2, ['27T00:30', '28T01:30']],
    ['0 9 * * *', '2030-03-30T12:00:00Z', 2, ['31T07:00', '01T07:00']],
    ['0 9 * * *', '2030-10-26T00:00:00Z', 2, ['26T07:00', '27T08:00']],
  ])('[TR3] in Berlin %s from %s on', async (cron, from, days, expected) => {
    const t = await host.open();
    await t.clock.advanceTo(Date.parse(from));
    await register(t.engine, quick);
    await t.engine.triggers.create({ ...hourly('quick'), cron, timeZone: 'Europe/Berlin' });
    await t.advance(days * 24 * hour);
    expect(await times(t)).toEqual(expected);
  });

  test('[TR8] skip: times at which the run before is under way pass', async () => {
    const t = await open(host, hourly('slow'));
    await t.advance(3 * hour);
    expect(callsAt(t, 'a')).toHaveLength(1);
    await answer(t, 'a');
    await t.advance(hour);
    await answer(t, 'a');
    expect(await times(t, 'slow')).toEqual(['01T01:00', '01T04:00']);
  });

  test('[TR7] allow: as many as there are times', async () => {
    const t = await open(host, hourly('slow', { overlap: 'allow' }));
    await t.advance(3 * hour);
    expect(callsAt(t, 'a')).toHaveLength(3);
  });

  test('[TR9] queue: one after the other, none is lost', async () => {
    const t = await open(host, hourly('slow', { overlap: 'queue' }));
    await t.advance(3 * hour);
    expect(await t.engine.triggers.get('s')).toMatchObject({
      queued: [Date.parse('2030-01-01T02:00:00Z'), Date.parse('2030-01-01T03:00:00Z')],
    });
    for (const expected of [['01T01:00'], ['01T01:00', '01T02:00'], ['01T01:00', '01T02:00', '01T03:00']]) {
      expect(callsAt(t, 'a')).toHaveLength(1);
      await answer(t, 'a');
      const done = (await t.engine.runs({ subRuns: true, status: 'completed' })).map(({ output }) =>
        (output as { at: string }).at.slice(8, 16),
      );
      expect(done.toReversed()).toEqual(expected);
    }
    expect(callsAt(t, 'a')).toEqual([]);
    expect(await t.engine.triggers.get('s')).toMatchObject({ queued: [] });
  });

  test('[TR4] one that is replaced goes on with what is queued, and from now on with its new times', async () => {
    const t = await open(host, hourly('slow', { overlap: 'queue' }));
    await t.advance(2 * hour);
    const replaced = hourly('slow', { overlap: 'queue', cron: '*/20 * * * *' });
    const { trigger } = await t.engine.triggers.create(replaced, { replace: true });
    expect(trigger).toMatchObject({ queued: [Date.parse('2030-01-01T02:00:00Z')], nextAt: t.clock.now() + hour / 3 });
    expect(callsAt(t, 'a')).toHaveLength(1);
    await answer(t, 'a');
    await t.advance(hour / 3);
    await answer(t, 'a');
    await answer(t, 'a');
    expect(await times(t, 'slow')).toEqual(['01T01:00', '01T02:00', '01T02:20']);
  });

  test('[TR9] queue: so many wait, later ones pass, and that is told', async () => {
    const told = listening();
    const t = await open(host, hourly('slow', { overlap: 'queue' }), {
      limits: { queuedRunsMax: 2 },
      onError: told.onError,
    });
    await t.advance(5 * hour);
    expect([(await t.engine.triggers.get('s')).queued.length, told.codes()]).toEqual([
      2,
      ['LIMIT_EXCEEDED', 'LIMIT_EXCEEDED'],
    ]);
  });

  test('[TR9] [restart] queue: the next engine goes on with it, whether the run ended before or after', async () => {
    const first = await open(host, hourly('slow', { overlap: 'queue' }));
    await first.advance(3 * hour);
    const second = await host.restart(first, scripted);
    await second.settle();
    expect(callsAt(second, 'a')).toHaveLength(1);
    await answer(second, 'a');
    expect((await second.engine.triggers.get('s')).queued).toHaveLength(1);
    const mend = failCommits(second.store, ({ records }) => records.some(({ kind }) => kind === 'trigger'));
    await answer(second, 'a');
    mend();
    const third = await host.restart(second, scripted);
    await third.settle();
    expect([callsAt(third, 'a').length, (await third.engine.triggers.get('s')).queued]).toEqual([1, []]);
    await answer(third, 'a');
    expect(await times(third, 'slow')).toEqual(['01T01:00', '01T02:00', '01T03:00']);
  });

  test('[TR9] a run that is refused keeps no other from starting', async () => {
    const told = listening();
    const t = await host.open({ ...scripted, onError: told.onError });
    await t.engine.triggers.create(hourly('slow', { overlap: 'queue' }));
    await t.advance(hour);
    await register(t.engine, slow);
    await t.advance(hour);
    expect([told.codes(), callsAt(t, 'a').length]).toEqual([['WORKFLOW_NOT_FOUND'], 1]);
  });

  test.each([
    [0, []],
    [1, ['01T10:00']],
    [3, ['01T08:00', '01T09:00', '01T10:00']],
    [100, ['01T02:00', '01T03:00', '01T04:00', '01T05:00', '01T06:00', '01T07:00', '01T08:00', '01T09:00', '01T10:00']],
  ])('[TR21] [restart] after a downtime the newest %i are made up for, and then it goes on', async (catchUp, made) => {
    const first = await open(host, hourly('quick', { overlap: 'allow', catchUp }));
    await first.advance(hour);
    const second = await away(host, first, 9.5 * hour);
    expect(await times(second)).toEqual(['01T01:00', ...made]);
    await second.advance(hour);
    expect(await times(second)).toEqual(['01T01:00', ...made, '01T11:00']);
  });

  test('[TR21] [TR8] [restart] by default the newest alone', async () => {
    const first = await open(host, hourly('slow'));
    const second = await away(host, first, 100 * 24 * hour);
    expect(callsAt(second, 'a')).toHaveLength(1);
    await answer(second, 'a');
    expect(await times(second, 'slow')).toEqual(['11T00:00']);
  });

  test('[TR21] [TR9] [restart] those that are made up for queue up, too', async () => {
    const first = await open(host, hourly('slow', { overlap: 'queue', catchUp: 3 }));
    const second = await away(host, first, 9 * hour);
    expect([callsAt(second, 'a').length, (await second.engine.triggers.get('s')).queued.length]).toEqual([1, 2]);
  });

  host.testHere(
    '[TR13] [restart] an engine that dies after the start and before noting it starts no second run',
    async () => {
      const first = await open(host, hourly('quick'));
      const mend = failCommits(first.store, ({ records }) => records.some(({ kind }) => kind === 'trigger'));
      await first.advance(hour);
      expect(await times(first)).toEqual(['01T01:00']);
      mend();
      const second = await away(host, first, 0);
      expect([await times(second), (await second.engine.triggers.get('s')).nextAt]).toEqual([
        ['01T01:00'],
        second.clock.now() + hour,
      ]);
    },
  );

  host.testHere('[TR20] a store that fails for a while delays it', async () => {
    const t = await open(host, hourly('quick'));
    const mend = failCommits(t.store, ({ keys }) => keys.length > 0);
    await t.advance(hour + 10_000);
    expect(await times(t)).toEqual([]);
    mend();
    await t.advance(10_000);
    expect(await times(t)).toEqual(['01T01:00']);
  });

  test('[TR5] switched off it fires nothing, and makes up for nothing', async () => {
    const t = await open(host, hourly('quick', { catchUp: 5, overlap: 'allow' }));
    expect(await t.engine.triggers.disable('s')).toMatchObject({ nextAt: null });
    await t.advance(3 * hour);
    expect(await t.engine.triggers.enable('s')).toMatchObject({ nextAt: t.clock.now() + hour });
    await t.advance(hour);
    expect(await times(t)).toEqual(['01T04:00']);
    await t.engine.triggers.remove('s');
    await t.advance(3 * hour);
    expect(await times(t)).toEqual(['01T04:00']);
  });

  test('[TR5] what was queued is dropped with it', async () => {
    const t = await open(host, hourly('slow', { overlap: 'queue' }));
    await t.advance(3 * hour);
    await t.engine.triggers.disable('s');
    await answer(t, 'a');
    expect([callsAt(t, 'a'), (await t.engine.triggers.get('s')).queued]).toEqual([[], []]);
  });

  test('several triggers at one time', async () => {
    const t = await host.open();
    await register(t.engine, quick);
    for (let n = 0; n < 50; n++) await t.engine.triggers.create({ ...hourly('quick'), id: `s${n}` });
    await t.advance(hour);
    expect(await times(t)).toHaveLength(50);
  });
});
