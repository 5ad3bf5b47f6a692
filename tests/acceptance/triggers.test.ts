import { expect, test } from 'vitest';
import type { TestEngine, TestEngineOptions } from '../../packages/heddle/src/testing/test-engine.ts';
import { type AcceptanceHost, onEveryHost } from './hosts.testsuite.ts';
import { type Fields, launch, register, work, workflow } from './token-engine.testsuite.ts';
import { failCommits, keysOf, listening, outputsOf } from './triggers.testsuite.ts';

/** Puts out its input and what fired it. */
const echo = (id: string, more: Fields = {}) =>
  workflow(id, ['a'], [], { outputMapping: { input: 'input', trigger: '_trigger' }, ...more });

/** Publishes `input.event`, if there is one, and puts out how deep it is and what came of that. */
const chain = (id: string) =>
  workflow(
    id,
    [work('tell', { action: 'tell', inputMapping: { payload: 'input' }, outputMapping: { 'output.told': 'result' } })],
    [],
    {
      outputMapping: { depth: '_trigger.depth', fired: 'output.told.fired', skipped: 'output.told.skipped' },
    },
  );

const telling: TestEngineOptions = {
  actions: {
    tell: async ({ publish, input }) => {
      const { fired, skipped } = await publish('ping', input['payload']);
      return { fired: fired.length, skipped: skipped.length };
    },
  },
};

const onPaid = (id: string, target: string, more: Fields = {}) => ({
  id,
  type: 'event',
  event: 'paid',
  workflow: target,
  ...more,
});

async function open(
  host: AcceptanceHost,
  triggers: readonly unknown[],
  options: TestEngineOptions = {},
): Promise<TestEngine> {
  const t = await host.open(options);
  await register(t.engine, echo('w'), echo('v'), chain('chain'));
  for (const trigger of triggers)
    expect(await t.engine.triggers.create(trigger)).toMatchObject({ problems: [], isNew: true });
  return t;
}

const minute = 60_000;
const firedAt = '2030-01-01T00:00:00.000Z';

onEveryHost('event triggers', (host) => {
  test('[T243] [TR12] [TR17] an event starts every workflow that listens; each knows what started it', async () => {
    const t = await open(host, [
      onPaid('a', 'w'),
      onPaid('b', 'v', { input: { n: 'event.payload.n', of: 'event.correlation' } }),
    ]);
    const published = await t.engine.publish('paid', { n: 1 }, { id: 'p1', correlation: 'o1' });
    await t.settle();
    const [w, v] = [
      (await t.engine.runs({ subRuns: true, workflow: 'w' }))[0],
      (await t.engine.runs({ subRuns: true, workflow: 'v' }))[0],
    ];
    expect(published).toEqual({
      eventId: 'p1',
      applied: true,
      delivered: 0,
      fired: [
        { trigger: 'a', workflow: 'w', runId: w?.runId },
        { trigger: 'b', workflow: 'v', runId: v?.runId },
      ],
      skipped: [],
    });
    const trigger = { type: 'event', depth: 1, firedAt, event: 'paid', eventId: 'p1' };
    expect(w?.output).toEqual({ input: { n: 1 }, trigger: { ...trigger, triggerId: 'a' } });
    expect(v?.output).toEqual({ input: { n: 1, of: 'o1' }, trigger: { ...trigger, triggerId: 'b' } });
  });

  test('[X27] [TR15] only those that listen for the name and the correlation, and whose filter holds', async () => {
    const told = listening();
    const triggers = [
      onPaid('a', 'w', { correlation: 'o1', filter: 'event.payload.n > 1' }),
      onPaid('b', 'v', { filter: 'event.payload.missing' }),
    ];
    const t = await open(host, triggers, { onError: told.onError });
    const outcome = async (name: string, n: number, correlation: string) => {
      const { fired, skipped } = await t.engine.publish(name, { n }, { correlation });
      return [
        fired.map(({ trigger }) => trigger),
        skipped.map(({ trigger, code, reason }) => `${trigger} ${code}: ${reason}`),
      ];
    };
    const broken =
      'b FILTER_FAILED: Expected the filter of trigger b to be true or false, but event.payload.missing is missing';
    expect(await outcome('paid', 2, 'o1')).toEqual([['a'], [broken]]);
    expect(await outcome('paid', 1, 'o1')).toEqual([[], ['a FILTER_FALSE: its filter does not hold', broken]]);
    expect(await outcome('paid', 2, 'o2')).toEqual([[], [broken]]);
    expect(await outcome('sent', 2, 'o1')).toEqual([[], []]);
    expect(told.codes()).toEqual(Array.from({ length: 3 }, () => 'TRIGGER_FILTER_FAILED'));
    expect(told.contexts()).toEqual(Array.from({ length: 3 }, () => ({ triggerId: 'b' })));
  });

  test('[TR2] [TR15] a filter as data, in which what is missing is no mistake', async () => {
    const told = listening();
    const filter = { field: 'event.payload.n', op: '>', value: 1 };
    const t = await open(host, [onPaid('a', 'w', { filter })], { onError: told.onError });
    const outcome = async (payload: object) => {
      const { fired, skipped } = await t.engine.publish('paid', payload);
      return [fired.length, skipped.map(({ code }) => code)];
    };
    expect(await outcome({ n: 2 })).toEqual([1, []]);
    expect(await outcome({ n: 1 })).toEqual([0, ['FILTER_FALSE']]);
    expect(await outcome({})).toEqual([0, ['FILTER_FALSE']]);
    expect(told.codes()).toEqual([]);
    expect(await t.engine.triggers.get('a')).toMatchObject({ definition: { filter } });
    const second = await host.restart(t);
    expect((await second.engine.publish('paid', { n: 2 })).fired).toHaveLength(1);
  });

  test('[X27] [TR14] one firing of a workflow, even if two of its triggers match', async () => {
    const t = await open(host, [onPaid('b', 'w'), onPaid('a', 'w')]);
    const { fired, skipped } = await t.engine.publish('paid', {});
    await t.settle();
    expect([fired, skipped].map((list) => list.map(({ trigger }) => trigger))).toEqual([['a'], ['b']]);
    expect(await outputsOf(t, 'w')).toHaveLength(1);
  });

  test('[X27] [TR20] a start that fails is told of, and does not affect the others', async () => {
    const told = listening();
    const t = await open(host, [onPaid('b', 'w')], { onError: told.onError });
    await register(t.engine, echo('strict', { inputSchema: { type: 'object', required: ['missing'] } }));
    await t.engine.triggers.create(onPaid('a', 'nobody'));
    await t.engine.triggers.create(onPaid('c', 'strict'));
    await t.engine.triggers.create(onPaid('d', 'v'));
    const { fired, skipped } = await t.engine.publish('paid', {});
    expect(fired.map(({ trigger }) => trigger)).toEqual(['b', 'd']);
    expect(skipped.map(({ trigger, code }) => [trigger, code])).toEqual([
      ['a', 'START_REFUSED'],
      ['c', 'START_REFUSED'],
    ]);
    expect(told.codes().toSorted()).toEqual(['INPUT_INVALID', 'WORKFLOW_NOT_FOUND']);
    expect(new Set(told.contexts().map(({ triggerId }) => triggerId))).toEqual(new Set(['a', 'c']));
    expect(await keysOf(t.store, 'to-fire')).toEqual([]);
  });

  test('[TR13] the same event twice starts nothing twice', async () => {
    const t = await open(host, [onPaid('a', 'w')]);
    const publish = () => t.engine.publish('paid', {}, { id: 'p1', ttlMs: minute });
    expect((await publish()).fired).toHaveLength(1);
    expect((await publish()).fired).toEqual([]);
    await t.advance(minute);
    // Its id is forgotten with it, but not that the trigger has fired for it.
    const again = await publish();
    await t.settle();
    expect(again).toMatchObject({ applied: true, fired: [{ trigger: 'a' }] });
    expect(await outputsOf(t, 'w')).toHaveLength(1);
  });

  test('[TR5] a trigger that is switched off, or removed, fires nothing', async () => {
    const t = await open(host, [{ ...onPaid('a', 'w'), enabled: false }]);
    const fires = async () => (await t.engine.publish('paid', {})).fired.length;
    expect(await fires()).toBe(0);
    expect(await t.engine.triggers.enable('a')).toMatchObject({ id: 'a', enabled: true });
    expect(await fires()).toBe(1);
    expect(await t.engine.triggers.disable('a')).toMatchObject({ id: 'a', enabled: false });
    expect(await fires()).toBe(0);
    await t.engine.triggers.enable('a');
    expect(await t.engine.triggers.remove('a')).toBe(true);
    expect(await fires()).toBe(0);
  });

  test('[restart] triggers outlive the process', async () => {
    const first = await open(host, [onPaid('a', 'w')]);
    const second = await host.restart(first);
    expect((await second.engine.publish('paid', {})).fired).toHaveLength(1);
  });

  test('tags and who pays', async () => {
    const t = await open(host, [onPaid('a', 'w', { tags: { by: 'event' } })]);
    await t.engine.publish('paid', {});
    await t.settle();
    expect(await t.engine.runs({ subRuns: true, tags: { by: 'event' } })).toMatchObject([
      { workflow: 'w', status: 'completed' },
    ]);
  });
});

onEveryHost('a crash while firing', (host) => {
  const both = [onPaid('a', 'w'), onPaid('b', 'v')];
  const countOf = async (t: TestEngine) => [(await outputsOf(t, 'w')).length, (await outputsOf(t, 'v')).length];

  host.testHere('[TR18] [restart] what was stored with the event is fired by the next engine', async () => {
    const first = await open(host, both);
    const mend = failCommits(first.store, ({ keys }) => keys.length > 0);
    const publishing = first.engine.publish('paid', { n: 1 }, { id: 'p1' });
    await first.advance(10 * minute);
    const skipped = ['a', 'b'].map((trigger) => ({ trigger, code: 'START_DELAYED' }));
    expect(await publishing).toMatchObject({ applied: true, fired: [], skipped });
    mend();
    const second = await host.restart(first);
    await second.settle();
    expect(await outputsOf(second, 'w')).toMatchObject([
      { input: { n: 1 }, trigger: { eventId: 'p1', depth: 1, firedAt } },
    ]);
    expect([await countOf(second), await keysOf(second.store, 'to-fire')]).toEqual([[1, 1], []]);
  });

  host.testHere('[TR18] [TR13] [restart] what was started is not started again', async () => {
    const first = await open(host, both);
    const isForgetting = (records: readonly { kind: string; value: string | null }[]) =>
      records.some(({ kind, value }) => kind === 'to-fire' && value === null);
    const mend = failCommits(first.store, ({ records }) => isForgetting(records));
    expect((await first.engine.publish('paid', {}, { id: 'p1' })).fired).toHaveLength(2);
    expect(await keysOf(first.store, 'to-fire')).toEqual(['p1']);
    mend();
    const second = await host.restart(first);
    await second.settle();
    expect([await countOf(second), await keysOf(second.store, 'to-fire')]).toEqual([[1, 1], []]);
  });

  host.testHere('[TR18] [restart] a trigger that was removed since had been decided to fire', async () => {
    const first = await open(host, both);
    const mend = failCommits(first.store, ({ keys }) => keys.length > 0);
    const publishing = first.engine.publish('paid', {});
    await first.advance(10 * minute);
    await publishing;
    mend();
    await first.engine.triggers.remove('a');
    const second = await host.restart(first);
    await second.settle();
    expect(await countOf(second)).toEqual([1, 1]);
  });

  test('[TR20] a store that recovers is used again, without a restart', async () => {
    const t = await open(host, both);
    const mend = failCommits(t.store, ({ keys }) => keys.length > 0);
    const publishing = t.engine.publish('paid', {});
    await t.advance(minute);
    await publishing;
    mend();
    await t.advance(minute);
    expect([await countOf(t), await keysOf(t.store, 'to-fire')]).toEqual([[1, 1], []]);
  });
});

onEveryHost('chains of triggers', (host) => {
  const ping = { id: 'again', type: 'event', event: 'ping', workflow: 'chain' };
  const depthsOf = async (t: TestEngine) => {
    await t.settle();
    return (await outputsOf(t, 'chain')) as { depth?: number; fired: number; skipped: number }[];
  };

  test('[T281][T282][T283] [TR10] [TR11] each run is one deeper; a run at depth 2 fires, one at depth 3 does not', async () => {
    const told = listening();
    const t = await open(host, [ping], { ...telling, onError: told.onError });
    await t.engine.publish('ping', { n: 1 });
    expect(await depthsOf(t)).toEqual([
      { depth: 1, fired: 1, skipped: 0 },
      { depth: 2, fired: 1, skipped: 0 },
      { depth: 3, fired: 0, skipped: 1 },
    ]);
    expect(told.codes()).toEqual(['TRIGGER_TOO_DEEP']);
  });

  test('[T281] a run that nobody fired is at depth 0', async () => {
    const t = await open(host, [ping], telling);
    await t.engine.start('chain', {});
    expect(await depthsOf(t)).toEqual([
      { fired: 1, skipped: 0 },
      { depth: 1, fired: 1, skipped: 0 },
      { depth: 2, fired: 1, skipped: 0 },
      { depth: 3, fired: 0, skipped: 1 },
    ]);
  });

  test.each([
    ['lower', -7, [1, 2, 3]],
    ['keep', 1, [2, 3]],
    ['raise', 2, [3]],
    ['stop', 3, []],
  ])('[T282][T283] [TR10] a payload cannot lower the depth: %s', async (_, depth, expected) => {
    const t = await open(host, [ping], telling);
    await t.engine.publish('ping', { _trigger: { depth } });
    expect((await depthsOf(t)).map((run) => run.depth)).toEqual(expected);
  });

  test('[TR10] a sub-run is as deep as its parent', async () => {
    const t = await open(host, [ping], telling);
    const parent = workflow('parent', [{ id: 'call', workflow: 'chain' }], []);
    await register(t.engine, parent);
    await t.engine.triggers.create({ id: 'go', type: 'event', event: 'go', workflow: 'parent' });
    await t.engine.publish('go', {});
    const depths = (await depthsOf(t)).map(({ depth }) => depth);
    expect(new Set(depths)).toEqual(new Set([1, 2, 3])); // ids of sub-runs do not sort by time
  });

  test('[TR11] the limit can be raised', async () => {
    const t = await open(host, [ping], { ...telling, limits: { triggerDepthMax: 5 } });
    await t.engine.publish('ping', {});
    expect((await depthsOf(t)).map(({ depth }) => depth)).toEqual([1, 2, 3, 4, 5]);
  });

  test('[TR12] an event of a run names that run', async () => {
    const t = await open(host, [{ ...ping, workflow: 'w' }], telling);
    const run = await launch(t, chain('chain'));
    await t.settle();
    expect(await outputsOf(t, 'w')).toMatchObject([{ trigger: { sourceRunId: run.id, depth: 1 } }]);
  });
});

onEveryHost('the ends of runs', (host) => {
  const finished = (id: string, source: string, target: string, more: Fields = {}) => ({
    id,
    type: 'workflow_finished',
    source,
    workflow: target,
    ...more,
  });
  const failing = workflow('failing', [
    work('x', { action: 'core.fail', inputMapping: { message: "'no'", code: "'BROKEN'" } }),
  ]);

  test('[TR19] [TR12] [TR16] a run that has ended fires what listens, with how it ended', async () => {
    const t = await open(host, [finished('after', 'w', 'v')]);
    const run = await t.engine.start('w', { n: 1 });
    await t.settle();
    expect(await outputsOf(t, 'v')).toEqual([
      {
        input: { runId: run.id, workflow: 'w', status: 'completed', output: { input: { n: 1 } } },
        trigger: { type: 'workflow_finished', depth: 1, firedAt, triggerId: 'after', sourceRunId: run.id },
      },
    ]);
    expect(await t.store.readOutbox(null, 10)).toEqual([]);
  });

  test('[TR19] only with the statuses that it names, and if its filter holds', async () => {
    const t = await open(host, []);
    await register(t.engine, failing);
    await t.engine.triggers.create(finished('any', 'failing', 'w', { filter: "event.payload.error.code == 'BROKEN'" }));
    await t.engine.triggers.create(finished('good', 'failing', 'v', { statuses: ['completed', 'cancelled'] }));
    await t.engine.start('failing');
    await t.settle();
    const w = (await outputsOf(t, 'w')) as { input: { error: { code: string } } }[];
    expect([w.map(({ input }) => input.error.code), await outputsOf(t, 'v')]).toEqual([['BROKEN'], []]);
  });

  test('[EX21] what was thrown is shown with the run, and not to the run that its end starts', async () => {
    const t = await open(host, []);
    await register(t.engine, failing);
    await t.engine.triggers.create(finished('any', 'failing', 'w'));
    const run = await t.engine.start('failing');
    await t.settle();
    expect((await run.summary()).error).toMatchObject({ code: 'BROKEN', thrown: { name: 'ActionError' } });
    const [w] = (await outputsOf(t, 'w')) as { input: { error: object } }[];
    expect(w?.input.error).toEqual({ code: 'BROKEN', message: 'no', nodeId: 'x', attempts: 1 });
  });

  test('[TR19] sub-runs do not count', async () => {
    const t = await open(host, [finished('after', 'w', 'v')]);
    await launch(t, workflow('parent', [{ id: 'call', workflow: 'w' }]));
    expect([(await outputsOf(t, 'w')).length, await outputsOf(t, 'v')]).toEqual([1, []]);
  });

  test('[TR11] [TR19] a workflow that listens for itself stops', async () => {
    const told = listening();
    const t = await open(host, [finished('again', 'w', 'w', { input: {} })], { onError: told.onError });
    await t.engine.start('w', {});
    await t.settle();
    const runs = (await outputsOf(t, 'w')) as { trigger?: { depth: number } }[];
    expect([runs.map(({ trigger }) => trigger?.depth), told.codes()]).toEqual([
      [undefined, 1, 2, 3],
      ['TRIGGER_TOO_DEEP'],
    ]);
  });

  test('[TR10] an output that says it is deep is believed', async () => {
    const t = await open(host, []);
    await register(t.engine, workflow('deep', ['a'], [], { outputMapping: { _trigger: 'input' } }));
    await t.engine.triggers.create(finished('after', 'deep', 'w'));
    await t.engine.start('deep', { depth: 2 });
    await t.engine.start('deep', { depth: 3 });
    await t.settle();
    expect(await outputsOf(t, 'w')).toMatchObject([{ trigger: { depth: 3 } }]);
  });

  host.testHere(
    '[TR19] [TR13] [restart] an engine that dies in between fires when it is there again, once',
    async () => {
      const first = await open(host, [finished('after', 'w', 'v')]);
      const mend = failCommits(first.store, ({ outboxDone }) => outboxDone.length > 0);
      await first.engine.start('w', {});
      await first.settle();
      expect([(await outputsOf(first, 'v')).length, (await first.store.readOutbox(null, 10)).length]).toEqual([1, 1]);
      mend();
      const second = await host.restart(first);
      await second.settle();
      expect([(await outputsOf(second, 'v')).length, await second.store.readOutbox(null, 10)]).toEqual([1, []]);
    },
  );

  test('[TR19] [restart] nor is anything lost if it could not fire', async () => {
    const first = await open(host, [finished('after', 'w', 'v')]);
    await first.engine.start('w', {});
    const mend = failCommits(first.store, ({ keys }) => keys.length > 0);
    await first.settle();
    mend();
    const second = await host.restart(first);
    await second.settle();
    expect([(await outputsOf(second, 'v')).length, await second.store.readOutbox(null, 10)]).toEqual([1, []]);
  });
});

onEveryHost('manual triggers and the list', (host) => {
  test('[TR23] fires when it is told to, once for an id', async () => {
    const t = await open(host, [{ id: 'm', type: 'manual', workflow: 'w' }]);
    const { fired, skipped } = await t.engine.triggers.fire('m', { n: 1 }, { id: 'once' });
    const again = await t.engine.triggers.fire('m', { n: 1 }, { id: 'once' });
    await t.engine.triggers.fire('m');
    await t.settle();
    expect([fired, skipped, again.fired]).toEqual([
      [{ trigger: 'm', workflow: 'w', runId: fired[0]?.runId }],
      [],
      fired,
    ]);
    const trigger = { type: 'manual', depth: 1, firedAt, triggerId: 'm' };
    expect(await outputsOf(t, 'w')).toEqual([
      { input: { n: 1 }, trigger },
      { input: {}, trigger },
    ]);
  });

  test('[TR23] other kinds, unknown ones and those that are switched off do not', async () => {
    const t = await open(host, [onPaid('e', 'w'), { id: 'm', type: 'manual', workflow: 'w', enabled: false }]);
    await expect(t.engine.triggers.fire('e')).rejects.toMatchObject({ code: 'TRIGGER_NOT_MANUAL' });
    await expect(t.engine.triggers.fire('x')).rejects.toMatchObject({ code: 'TRIGGER_NOT_FOUND' });
    expect(await t.engine.triggers.fire('m')).toEqual({
      fired: [],
      skipped: [{ trigger: 'm', workflow: 'w', code: 'SWITCHED_OFF', reason: 'it is switched off' }],
    });
  });

  test('[TR1] a trigger with errors is not stored; a workflow that is not there is a warning', async () => {
    const t = await host.open();
    // @ts-expect-error a slip in what is written out is seen by the compiler, too
    const slip = await t.engine.triggers.create({ id: 'a', type: 'event', evnt: 'paid', workflow: 'w' });
    expect(slip.problems.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual([
      'UNKNOWN_FIELD /evnt',
      'MISSING_FIELD ',
    ]);
    const wrong: unknown = { id: 'a', type: 'event', filter: 'nobody' };
    const refused = await t.engine.triggers.create(wrong);
    expect(refused).toMatchObject({ trigger: null, isNew: false });
    expect(refused.problems.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual([
      'MISSING_FIELD ',
      'MISSING_FIELD ',
      'EXPRESSION_UNKNOWN_NAME /filter',
    ]);
    const warned = await t.engine.triggers.create({ id: 'a', type: 'workflow_finished', source: 'x', workflow: 'y' });
    expect(warned.problems.map(({ severity, code, pointer }) => `${severity} ${code} ${pointer}`)).toEqual([
      'warning WORKFLOW_NOT_REGISTERED /workflow',
      'warning WORKFLOW_NOT_REGISTERED /source',
    ]);
    expect((await t.engine.triggers.list()).map(({ id }) => id)).toEqual(['a']);
  });

  test('[TR4] the same again changes nothing, another one under its id is refused, and there are so many', async () => {
    const t = await open(host, [onPaid('a', 'w')], { limits: { triggersMax: 2 } });
    await t.engine.triggers.disable('a');
    expect(await t.engine.triggers.create({ enabled: true, ...onPaid('a', 'w') })).toMatchObject({
      problems: [],
      isNew: false,
      trigger: { id: 'a', enabled: false },
    });
    const codes = async (trigger: unknown) =>
      (await t.engine.triggers.create(trigger)).problems.map(({ code }) => code);
    expect(await codes(onPaid('a', 'v'))).toEqual(['TRIGGER_EXISTS']);
    expect(await codes(onPaid('b', 'v'))).toEqual([]);
    expect(await codes(onPaid('c', 'v'))).toEqual(['LIMIT_EXCEEDED']);
    expect(await t.engine.triggers.get('a')).toEqual({
      id: 'a',
      definition: onPaid('a', 'w'),
      enabled: false,
      createdAt: t.clock.now(),
      nextAt: null,
      lastRunId: null,
      queued: [],
    });
  });

  test('[TR4] one that is to replace another does, and is still the same trigger', async () => {
    const t = await open(host, [onPaid('a', 'w')]);
    await t.engine.triggers.disable('a');
    await t.clock.advance(minute);
    const replacing = async (trigger: unknown) => t.engine.triggers.create(trigger, { replace: true });
    expect(await replacing(onPaid('a', 'v', { event: 'sent' }))).toMatchObject({
      problems: [],
      isNew: true,
      trigger: { enabled: false, createdAt: t.clock.now() - minute, definition: { workflow: 'v', event: 'sent' } },
    });
    await t.engine.triggers.enable('a');
    expect((await t.engine.publish('paid', {})).fired).toEqual([]);
    expect((await t.engine.publish('sent', {})).fired).toMatchObject([{ trigger: 'a', workflow: 'v' }]);
    expect(await replacing(onPaid('a', 'v', { event: 'sent' }))).toMatchObject({ isNew: false });
    expect(await replacing({ ...onPaid('a', 'v'), enabled: false })).toMatchObject({ trigger: { enabled: false } });
    expect(await replacing({ ...onPaid('a', 'v'), filter: 'nobody' })).toMatchObject({ trigger: null });
    expect(await t.engine.triggers.get('a')).toMatchObject({ definition: onPaid('a', 'v'), enabled: false });
    const unknown = { replaces: true } as object;
    await expect(t.engine.triggers.create(onPaid('a', 'v'), unknown)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });

  test('what is not there', async () => {
    const { engine } = await host.open();
    await expect(engine.triggers.get('x')).rejects.toMatchObject({ code: 'TRIGGER_NOT_FOUND' });
    await expect(engine.triggers.enable('x')).rejects.toMatchObject({ code: 'TRIGGER_NOT_FOUND' });
    expect([await engine.triggers.remove('x'), await engine.triggers.list()]).toEqual([false, []]);
  });

  test('a trigger does not take the idempotency keys of callers', async () => {
    const t = await open(host, [{ id: 'm', type: 'manual', workflow: 'w' }]);
    await t.engine.start('w', { by: 'hand' }, { idempotencyKey: 'trigger/m/once' });
    expect((await t.engine.triggers.fire('m', {}, { id: 'once' })).fired).toHaveLength(1);
  });
});
