import { expect, test } from 'vitest';
import type { Run } from '../../packages/heddle/src/api/run.ts';
import { onEveryHost } from './hosts.testsuite.ts';
import { ended, go, launch, register, visits, work, workflow } from './token-engine.testsuite.ts';
import { failCommits, failLooks, keysOf, listening } from './triggers.testsuite.ts';

/** Waits for the payment of an order, and puts out what was paid. */
const order = (wait: object = {}) =>
  workflow(
    'order',
    [
      {
        id: 'await',
        wait: { event: 'paid', correlation: 'input.id', ...wait },
        outputMapping: { 'output.paid': 'result' },
      },
    ],
    [],
  );

const minute = 60_000;
const day = 86_400_000;

onEveryHost('published events', (host) => {
  test('[EW1] [EW5] an event wakes every run that waits for its name and correlation, and no other', async () => {
    const t = await host.open();
    await register(t.engine, order());
    const runs = await Promise.all(['a', 'a', 'b'].map((id) => t.engine.start('order', { id })));
    await t.settle();
    expect(await Promise.all(runs.map((run) => run.status()))).toEqual(['suspended', 'suspended', 'suspended']);
    expect(await t.engine.publish('paid', { amount: 3 }, { id: 'p1', correlation: 'a' })).toEqual({
      eventId: 'p1',
      applied: true,
      delivered: 2,
      fired: [],
      skipped: [],
    });
    expect(await t.engine.publish('paid', { amount: 4 })).toMatchObject({ applied: true, delivered: 0 });
    expect(await t.engine.publish('sent', { amount: 5 }, { correlation: 'b' })).toMatchObject({ delivered: 0 });
    await t.settle();
    expect(await Promise.all(runs.map(ended))).toEqual([
      { status: 'completed', output: { paid: { amount: 3 } }, error: undefined },
      { status: 'completed', output: { paid: { amount: 3 } }, error: undefined },
      { status: 'suspended', output: undefined, error: undefined },
    ]);
  });

  test('[EW1] a number is as good as its text, and no correlation is the empty one', async () => {
    const t = await host.open();
    const numbered = await launch(t, order(), { id: 7 });
    const plain = await launch(
      t,
      workflow('plain', [{ id: 'a', wait: { event: 'go' }, outputMapping: { 'output.v': 'result' } }]),
    );
    const refused = await launch(t, order(), { id: {} });
    await t.engine.publish('paid', 'yes', { correlation: '7' });
    await t.engine.publish('go', 1, { correlation: '' });
    await t.settle();
    expect(await ended(numbered)).toMatchObject({ output: { paid: 'yes' } });
    expect(await ended(plain)).toMatchObject({ output: { v: 1 } });
    expect(await ended(refused)).toMatchObject({ status: 'failed', error: { code: 'CORRELATION_INVALID' } });
  });

  test('[EW2] [EW7] an event that came before the wait is kept for its time to live, a day by default', async () => {
    const t = await host.open();
    await t.engine.publish('paid', 'early', { correlation: 'a' });
    await t.engine.publish('paid', 'short', { correlation: 'b', ttlMs: minute });
    await t.engine.publish('paid', 'long', { correlation: 'c', ttlMs: 7 * day });
    await t.advance(minute);
    const outcome = async (id: string) => ended(await launch(t, order({ since: 'any' }), { id }));
    expect(await outcome('a')).toMatchObject({ output: { paid: 'early' } });
    expect(await outcome('b')).toMatchObject({ status: 'suspended' });
    await t.advance(day);
    expect(await outcome('a')).toMatchObject({ status: 'suspended' });
    expect(await outcome('c')).toMatchObject({ output: { paid: 'long' } });
  });

  test('[EW3] [EW7] a run takes each event once, the oldest first', async () => {
    const t = await host.open();
    const definition = workflow(
      'collect',
      [
        {
          id: 'next',
          wait: { event: 'item', since: 'any' },
          outputMapping: { 'state.items': 'state.?items.orValue([]) + [result]' },
        },
        { id: 'done', outputMapping: { 'output.items': 'state.items' } },
      ],
      [
        go('next', 'next', { priority: 1, condition: 'size(state.items) < 4', loop: { maxIterations: 10 } }),
        go('next', 'done', { priority: 2 }),
      ],
    );
    await t.engine.publish('item', 'one');
    await t.advance(1);
    await t.engine.publish('item', 'two');
    const run = await launch(t, definition);
    expect(await run.status()).toBe('suspended');
    await t.engine.publish('item', 'three');
    await t.settle();
    expect(await run.status()).toBe('suspended');
    await t.engine.publish('item', 'four');
    await t.settle();
    expect(await ended(run)).toMatchObject({ output: { items: ['one', 'two', 'three', 'four'] } });
  });

  test('[EW13] events count from the start of the run, from the beginning of the wait, or whenever they came', async () => {
    const t = await host.open({ scripted: ['work'] });
    await t.engine.publish('paid', 'before the start', { correlation: 'x' });
    await t.advance(1);
    const after = (since: string) =>
      workflow(
        `since-${since}`,
        [
          work('first'),
          {
            id: 'await',
            wait: { event: 'paid', correlation: "'x'", since },
            outputMapping: { 'output.paid': 'result' },
          },
        ],
        [go('first', 'await')],
      );
    const runs = [];
    for (const since of ['start', 'wait', 'any']) runs.push(await launch(t, after(since)));
    await t.advance(1);
    await t.engine.publish('paid', 'before the wait', { correlation: 'x' });
    await t.advance(1);
    for (const call of t.script.open('work')) call.complete();
    await t.settle();
    expect(await Promise.all(runs.map(ended))).toMatchObject([
      { status: 'completed', output: { paid: 'before the wait' } },
      { status: 'suspended' },
      { status: 'completed', output: { paid: 'before the start' } },
    ]);
    await t.engine.publish('paid', 'now', { correlation: 'x' });
    await t.settle();
    expect(await ended(runs[1] as Run)).toMatchObject({ output: { paid: 'now' } });
  });

  test('[EW13] an event that one run has used does not end the wait of a run that starts later', async () => {
    const t = await host.open();
    const first = await launch(t, order(), { id: 'a' });
    await t.engine.publish('paid', 1, { correlation: 'a' });
    await t.settle();
    expect(await ended(first)).toMatchObject({ status: 'completed' });
    await t.advance(3_600_000);
    const second = await launch(t, order(), { id: 'a' });
    expect(await second.status()).toBe('suspended');
  });

  test('[EW13] a retry counts events from the start of the run that it retries', async () => {
    const t = await host.open({ scripted: ['work'] });
    const definition = workflow(
      'order',
      [work('first'), { id: 'await', wait: { event: 'paid' }, outputMapping: { 'output.paid': 'result' } }],
      [go('first', 'await')],
    );
    const run = await launch(t, definition);
    await t.advance(1);
    await t.engine.publish('paid', 'meanwhile');
    await t.advance(1);
    t.script.next('work').fail(new Error('no'));
    await t.settle();
    const again = await run.retry();
    await t.settle();
    t.script.next('work').complete();
    await t.settle();
    expect(await ended(again)).toMatchObject({ output: { paid: 'meanwhile' } });
  });

  test('[EW14] the event that fired a trigger ends no wait of the run that it started', async () => {
    const t = await host.open();
    await register(t.engine, workflow('order', [{ id: 'await', wait: { event: 'paid', since: 'any' } }]));
    await t.engine.triggers.create({ id: 'on-paid', type: 'event', event: 'paid', workflow: 'order' });
    const { fired } = await t.engine.publish('paid', 1);
    await t.settle();
    const run = t.engine.run(fired[0]?.runId as string);
    expect(await run.status()).toBe('suspended');
    await t.engine.triggers.remove('on-paid');
    await t.engine.publish('paid', 2);
    await t.settle();
    expect(await run.status()).toBe('completed');
  });

  test('[EW15] an event that a wait uses up ends one wait with once, whoever waits, now or later, also after a restart', async () => {
    let t = await host.open();
    await register(t.engine, order({ once: true, since: 'any' }), { ...order(), id: 'watcher' });
    const takers = [await t.engine.start('order', { id: 'a' }), await t.engine.start('order', { id: 'a' })];
    const watcher = await t.engine.start('watcher', { id: 'a' });
    await t.settle();
    expect(await t.engine.publish('paid', 1, { correlation: 'a' })).toMatchObject({ delivered: 2 });
    await t.settle();
    expect(await watcher.status()).toBe('completed');
    expect(await Promise.all(takers.map((run) => run.status()))).toEqual(['completed', 'suspended']);
    t = await host.restart(t);
    await t.advance(1); // The run that started first is asked first.
    const later = await launch(t, order({ once: true, since: 'any' }), { id: 'a' });
    expect(await later.status()).toBe('suspended');
    expect(await t.engine.publish('paid', 2, { correlation: 'a' })).toMatchObject({ delivered: 1 });
    expect(await t.engine.publish('paid', 3, { correlation: 'a' })).toMatchObject({ delivered: 1 });
    expect(await t.engine.publish('paid', 4, { correlation: 'a' })).toMatchObject({ delivered: 0 });
    const last = await launch(t, order({ once: true, since: 'any' }), { id: 'a' });
    await t.settle();
    expect(await ended(last)).toMatchObject({ output: { paid: 4 } });
    expect(await ended(t.engine.run(takers[1]?.id as string))).toMatchObject({ output: { paid: 2 } });
  });

  test('[EW15] runs that begin to wait at the same time do not take one kept event twice', async () => {
    const t = await host.open();
    await register(t.engine, order({ once: true, since: 'any' }));
    for (const n of [1, 2, 3]) await t.engine.publish('paid', n, { correlation: 'a' });
    const runs = await Promise.all(Array.from({ length: 5 }, () => t.engine.start('order', { id: 'a' })));
    await t.settle();
    const outputs = (await Promise.all(runs.map(ended))).flatMap(({ output }) => (output ? [output] : []));
    expect(outputs.map((output) => (output as { paid: number }).paid).toSorted((a, b) => a - b)).toEqual([1, 2, 3]);
  });

  test('[EW15] a paused run that keeps an event has used it up', async () => {
    const t = await host.open();
    await register(t.engine, order({ once: true, since: 'any' }));
    const run = await t.engine.start('order', { id: 'a' });
    await t.settle();
    await run.pause();
    expect(await t.engine.publish('paid', 1, { correlation: 'a' })).toMatchObject({ delivered: 1 });
    const other = await launch(t, order({ once: true, since: 'any' }), { id: 'a' });
    expect(await other.status()).toBe('suspended');
    await run.resume();
    await t.settle();
    expect(await ended(run)).toMatchObject({ output: { paid: 1 } });
  });

  test('[EW3] one event ends all waits of a run that are there, and none that begins later', async () => {
    const t = await host.open();
    const twice = workflow(
      'twice',
      [
        'start',
        { id: 'x', wait: { event: 'go' } },
        { id: 'y', wait: { event: 'go' } },
        { id: 'z', wait: { event: 'go' } },
      ],
      [go('start', 'x'), go('start', 'y'), go('y', 'z')],
    );
    const run = await launch(t, twice);
    await t.engine.publish('go', 1);
    await t.settle();
    expect((await visits(run)).filter((visit) => visit.endsWith('waiting_for_event'))).toEqual(['z:waiting_for_event']);
    await t.engine.publish('go', 2);
    await t.settle();
    expect(await run.status()).toBe('completed');
  });

  test('[EW4] a wait that takes too long fails its node; its event comes too late', async () => {
    const t = await host.open();
    const run = await launch(t, order({ timeoutMs: minute }), { id: 'a' });
    expect(await run.status()).toBe('waiting');
    await t.advance(minute);
    expect(await ended(run)).toMatchObject({ status: 'failed', error: { code: 'EVENT_TIMED_OUT', nodeId: 'await' } });
    expect(await t.engine.publish('paid', 1, { correlation: 'a' })).toMatchObject({ applied: true });
    expect(await keysOf(t.store, 'event-wait')).toEqual([]);
  });

  test('[EW6][T222] the same id twice is one event, also at the same time and after a restart', async () => {
    const first = await host.open();
    const publish = (t: typeof first) => t.engine.publish('paid', { n: 1 }, { id: 'p1', correlation: 'a' });
    const both = await Promise.all([publish(first), publish(first)]);
    // Of requests that are on their way at once either may come first.
    expect(both.map(({ eventId, applied }) => `${eventId} ${applied}`).toSorted()).toEqual(['p1 false', 'p1 true']);
    const second = await host.restart(first);
    expect(await publish(second)).toEqual({
      eventId: 'p1',
      applied: false,
      delivered: 0,
      fired: [],
      skipped: [],
    });
    expect(await keysOf(second.store, 'event')).toHaveLength(1);
    await second.advance(day);
    expect(await publish(second)).toMatchObject({ applied: true });
  });

  test.each([
    ['name', ['sent', { n: 1 }, { id: 'p1', correlation: 'a' }]],
    ['correlation', ['paid', { n: 1 }, { id: 'p1' }]],
    ['payload', ['paid', { n: 2 }, { id: 'p1', correlation: 'a' }]],
  ] as const)('[EW6] an id with another %s is refused', async (_, [name, payload, options]) => {
    const t = await host.open();
    await t.engine.publish('paid', { n: 1 }, { id: 'p1', correlation: 'a' });
    await expect(t.engine.publish(name, payload, options)).rejects.toMatchObject({ code: 'EVENT_ID_REUSED' });
    expect(await keysOf(t.store, 'event')).toHaveLength(1);
  });

  test('[EW3] while a run is paused its event is kept', async () => {
    const t = await host.open();
    const run = await launch(t, order(), { id: 'a' });
    await run.pause();
    const options = { correlation: 'a', ttlMs: minute };
    expect(await t.engine.publish('paid', 1, options)).toMatchObject({ delivered: 1 });
    await t.advance(2 * minute);
    expect(await run.status()).toBe('paused');
    await run.resume();
    await t.settle();
    expect(await ended(run)).toMatchObject({ output: { paid: 1 } });
  });

  test('[restart] waits and events outlive the process', async () => {
    const first = await host.open();
    const run = await launch(first, order(), { id: 'a' });
    await first.engine.publish('paid', 'b', { correlation: 'b' });
    const second = await host.restart(first);
    await second.engine.publish('paid', 'a', { correlation: 'a' });
    const later = await second.engine.start('order', { id: 'b' });
    await second.settle();
    expect(await ended(second.engine.run(run.id))).toMatchObject({ output: { paid: 'a' } });
    expect(await ended(later)).toMatchObject({ output: { paid: 'b' } });
  });

  host.testHere(
    '[EW8] [restart] an engine that dies after storing an event leaves the hand-over to the next',
    async () => {
      const told = listening();
      const first = await host.open({ onError: told.onError });
      const run = await launch(first, order(), { id: 'a' });
      const mend = failLooks(first.store, 'event-wait');
      expect(await first.engine.publish('paid', 1, { correlation: 'a' })).toMatchObject({ applied: true });
      expect([await run.status(), told.codes()]).toEqual(['suspended', ['STORE_FAILED']]);
      mend();
      const second = await host.restart(first);
      await second.settle();
      expect(await ended(second.engine.run(run.id))).toMatchObject({ output: { paid: 1 } });
    },
  );

  test('[EW8] [restart] one that dies before the run took it, too', async () => {
    const first = await host.open();
    const run = await launch(first, order(), { id: 'a' });
    const mend = failCommits(first.store, ({ journal }) => journal.length > 0);
    const publishing = first.engine.publish('paid', 1, { correlation: 'a' });
    await first.advance(10 * minute);
    expect(await publishing).toMatchObject({ applied: true });
    mend();
    const second = await host.restart(first);
    await second.settle();
    expect(await ended(second.engine.run(run.id))).toMatchObject({ output: { paid: 1 } });
  });

  host.testHere('[EW10] a store that fails for a while is asked again', async () => {
    const t = await host.open();
    const run = await launch(t, order(), { id: 'a' });
    const mend = failLooks(t.store, 'event-wait');
    await t.engine.publish('paid', 1, { correlation: 'a' });
    mend();
    await t.advance(minute);
    expect(await ended(run)).toMatchObject({ output: { paid: 1 } });
  });

  host.testHere('[EW5] an event that cannot be stored is not published', async () => {
    const t = await host.open();
    const run = await launch(t, order(), { id: 'a' });
    const mend = failCommits(t.store, ({ records }) => records.some(({ kind }) => kind === 'event'));
    await expect(t.engine.publish('paid', 1, { correlation: 'a' })).rejects.toMatchObject({ code: 'STORE_FAILED' });
    mend();
    expect([await run.status(), await keysOf(t.store, 'event')]).toEqual(['suspended', []]);
  });

  test('[EW5] hundreds of runs that wait for one event', async () => {
    const t = await host.open();
    await register(t.engine, order());
    const runs = await Promise.all(Array.from({ length: 450 }, () => t.engine.start('order', { id: 'a' })));
    await t.settle();
    await t.engine.publish('paid', 1, { correlation: 'a' });
    await t.settle();
    expect(await keysOf(t.store, 'event-wait')).toEqual([]);
    expect(new Set(await Promise.all(runs.map((run) => run.status())))).toEqual(new Set(['completed']));
  });

  test('[EW9] expired events are removed: after publications, and at the start', async () => {
    const first = await host.open();
    for (let n = 0; n < 250; n++) await first.engine.publish('tick', n, { ttlMs: minute });
    await first.advance(minute);
    await first.engine.publish('tick', 1, { id: 'tock', ttlMs: minute });
    await first.settle();
    expect([await keysOf(first.store, 'event'), await keysOf(first.store, 'event-id')]).toMatchObject([
      [expect.stringMatching(/^tick\n\n\w{26}\ntock$/)],
      ['tock'],
    ]);
    await first.engine.close();
    await first.clock.advance(minute);
    const second = await host.restart(first);
    await second.settle();
    expect([await keysOf(second.store, 'event'), await keysOf(second.store, 'event-id')]).toEqual([[], []]);
  });

  test('[EW11] whatever a workflow can wait for can be published, also a long name of wide characters', async () => {
    const t = await host.open();
    const event = '🧵'.repeat(200);
    const run = await launch(t, workflow('w', [{ id: 'n', wait: { event } }]));
    expect(await t.engine.publish(event)).toMatchObject({ delivered: 1 });
    await t.settle();
    expect(await run.status()).toBe('completed');
    await expect(t.engine.publish(`${event}🧵`)).rejects.toMatchObject({ code: 'EVENT_INVALID' });
  });

  test('names and correlations may be anything printable; none is taken for another', async () => {
    const t = await host.open();
    const names = ['a\\n', 'a"b', 'ä ö', 'a/b'];
    const definitions = names.map((event, index) =>
      workflow(`w${index}`, [
        { id: 'n', wait: { event, correlation: 'input.c' }, outputMapping: { 'output.v': 'result' } },
      ]),
    );
    await register(t.engine, ...definitions);
    const runs = await Promise.all(names.map((_, index) => t.engine.start(`w${index}`, { c: 'x\ny' })));
    await t.settle();
    for (const name of names) await t.engine.publish(name, name, { correlation: 'x\ny' });
    await t.settle();
    expect(await Promise.all(runs.map(ended))).toMatchObject(names.map((v) => ({ output: { v } })));
  });

  test.each<[string, readonly unknown[], string]>([
    ['no name', [], 'EVENT_INVALID'],
    ['an empty name', [''], 'EVENT_INVALID'],
    ['a line break in its name', ['a\nb'], 'EVENT_INVALID'],
    ['a name without end', ['x'.repeat(201)], 'EVENT_INVALID'],
    ['no JSON', ['a', { when: new Date() }], 'PAYLOAD_INVALID'],
    ['too much', ['a', 'x'.repeat(5_000_000)], 'LIMIT_EXCEEDED'],
    ['an empty id', ['a', {}, { id: '' }], 'OPTION_INVALID'],
    ['a correlation that is no text', ['a', {}, { correlation: 7 }], 'OPTION_INVALID'],
    ['no time to live', ['a', {}, { ttlMs: 0 }], 'OPTION_INVALID'],
    ['half a millisecond to live', ['a', {}, { ttlMs: 0.5 }], 'OPTION_INVALID'],
    ['too long to live', ['a', {}, { ttlMs: 31 * day }], 'OPTION_INVALID'],
    ['an unknown option', ['a', {}, { ttl: 5 }], 'OPTION_INVALID'],
  ])('[EW11] an event with %s is refused, and nothing is published', async (_, args, code) => {
    const t = await host.open();
    const publish = t.engine.publish.bind(t.engine) as (...given: readonly unknown[]) => Promise<unknown>;
    await expect(publish(...args)).rejects.toMatchObject({ code });
    expect(await keysOf(t.store, 'event')).toEqual([]);
  });

  test('an action publishes, once if it names the event', async () => {
    const t = await host.open({
      actions: {
        tell: async ({ publish, idempotencyKey, attempt }) => {
          const { applied, eventId } = await publish('told', { attempt: 1 }, { id: `${idempotencyKey}/told` });
          if (attempt === 1) throw new Error('once more');
          return { applied, eventId };
        },
      },
    });
    const run = await launch(
      t,
      workflow('w', [
        work('a', { action: 'tell', retry: { maxAttempts: 2 }, outputMapping: { 'output.a': 'result' } }),
      ]),
    );
    await t.advance(minute);
    expect(await ended(run)).toMatchObject({ output: { a: { applied: false, eventId: `${run.id}/1/told` } } });
  });

  host.testHere('a closed engine publishes nothing', async () => {
    const t = await host.open();
    await t.engine.close();
    await expect(t.engine.publish('a')).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
  });
});
