import { expect, test } from 'vitest';
import type { Run } from '../../packages/heddle/src/api/run.ts';
import type { TestEngine, TestEngineOptions } from '../../packages/heddle/src/testing/test-engine.ts';
import { onEveryHost } from './hosts.testsuite.ts';
import {
  answer,
  callsAt,
  ended,
  eventsOf,
  type Fields,
  fail,
  go,
  register,
  spawn,
  visits,
  work,
  workflow,
} from './token-engine.testsuite.ts';

const scripted = { scripted: ['work'] } as const;

/** Registers, starts for the organization `acme`, and lets it go as far as it can. */
async function launchFor(t: TestEngine, definition: Fields, input: unknown = {}): Promise<Run> {
  await register(t.engine, definition);
  const run = await t.engine.start(String(definition['id']), input, { organization: 'acme' });
  await t.settle();
  return run;
}

/** The balance, and of each run of the organization what it has reserved and spent, in the order of their ids. */
async function books({ engine }: TestEngine): Promise<unknown[]> {
  const reservations = await engine.credits.reservations('acme');
  return [await engine.credits.balance('acme'), ...reservations.map(({ reserved, spent }) => [reserved, spent])];
}

onEveryHost('credits of native graphs', (host) => {
  const open = async (balance: number, options: TestEngineOptions = scripted) => {
    const t = await host.open(options);
    await t.engine.credits.deposit('acme', balance);
    return t;
  };
  const steps = workflow(
    'steps',
    [work('a', { cost: 3 }), work('b', { cost: 4 }), work('c')],
    [go('a', 'b'), go('b', 'c')],
  );

  test('[CR2] each node is paid before it runs; at the end what really ran has been charged', async () => {
    const t = await open(10);
    const run = await launchFor(t, steps);
    expect(await books(t)).toEqual([7, [3, null]]);
    await answer(t, 'a');
    expect(await books(t)).toEqual([3, [7, null]]);
    await answer(t, 'b');
    await answer(t, 'c');
    expect([await run.status(), await books(t)]).toEqual(['completed', [3, [7, 7]]]);
    const credits = await eventsOf(run, 'credits.requested', 'credits.granted');
    expect(credits.map(({ type, token, amount }) => `${type} ${token} ${amount}`)).toEqual([
      'credits.requested 1 3',
      'credits.granted 1 3',
      'credits.requested 2 4',
      'credits.granted 2 4',
    ]);
  });

  test('[RX1][RX3] after a deposit an exhausted run goes on where it stood, and pays for the rest alone', async () => {
    const t = await open(6);
    const run = await launchFor(t, steps);
    await answer(t, 'a');
    expect(await run.status()).toBe('exhausted');
    await t.engine.credits.deposit('acme', 10);
    const again = await run.retry();
    await t.settle();
    expect(['a', 'b'].map((id) => callsAt(t, id).length)).toEqual([0, 1]);
    await answer(t, 'b');
    await answer(t, 'c');
    expect([await again.status(), await books(t)]).toEqual(['completed', [9, [3, 3], [4, 4]]]);
  });

  test('[CR3][T074] the first refusal ends the run as exhausted, which is final', async () => {
    const t = await open(6);
    const run = await launchFor(t, steps);
    await answer(t, 'a');
    expect(await ended(run)).toEqual({
      status: 'exhausted',
      output: undefined,
      error: {
        code: 'CREDITS_EXHAUSTED',
        message: 'Expected 4 credits of organization acme for node b, but it has 3',
        nodeId: 'b',
        details: { amount: 4, balance: 3 },
      },
    });
    expect([await visits(run), await books(t)]).toEqual([
      ['a:completed', 'b:cancelled'],
      [3, [3, 3]],
    ]);
    await t.engine.credits.deposit('acme', 100);
    expect(await run.cancel()).toMatchObject({ applied: false });
    expect(await run.resume()).toMatchObject({ applied: false });
    expect([await run.status(), callsAt(t, 'b')]).toEqual(['exhausted', []]);
    expect(await run.result()).toMatchObject({ status: 'exhausted' });
  });

  test('[CR6] an organization that never paid anything has nothing', async () => {
    const t = await host.open(scripted);
    const run = await launchFor(t, steps);
    expect([await run.status(), await visits(run)]).toEqual(['exhausted', ['a:cancelled']]);
    expect(await t.engine.credits.balance('nobody')).toBe(0);
  });

  test('[CR2] without an organization, and for nodes that cost nothing, nobody is asked', async () => {
    const t = await open(0);
    await register(t.engine, steps);
    const run = await t.engine.start('steps');
    const free = await launchFor(t, workflow('free', [work('x')]));
    await t.settle();
    for (const node of ['a', 'b', 'c', 'x']) await answer(t, node);
    expect([await run.status(), await free.status(), await books(t)]).toEqual(['completed', 'completed', [0]]);
    expect(await eventsOf(run, 'credits.requested')).toEqual([]);
  });

  host.testHere(
    '[CR5] the cost of an action counts for nodes that do not say, a loaded one costs nothing by itself',
    async () => {
      const actions = { dear: { run: () => ({}), cost: 5 }, cheap: { run: () => ({}), cost: 1 } };
      const t = await open(100, { actions, loadAction: () => ({ run: () => ({}), cost: 50 }) });
      const nodes = [
        { id: 'a', action: 'dear' },
        { id: 'b', action: 'dear', cost: 2 },
        { id: 'c', action: 'cheap', cost: 0 },
      ];
      const definition = workflow(
        'w',
        [...nodes, { id: 'd', action: 'late' }],
        [go('a', 'b'), go('b', 'c'), go('c', 'd')],
      );
      const run = await launchFor(t, definition);
      expect([await run.status(), await books(t)]).toEqual(['completed', [93, [7, 7]]]);
    },
  );

  test('[CR2] one charge per execution, whatever its attempts and hand-outs', async () => {
    const retry = { maxAttempts: 3, backoff: 'none' };
    const t = await open(10);
    const { id } = await launchFor(t, workflow('w', [work('a', { cost: 4, retry })]));
    await fail(t, 'a');
    await t.advance(0);
    const next = await host.restart(t, scripted);
    await next.settle();
    expect(callsAt(next, 'a').map(({ attempt }) => attempt)).toEqual([2]);
    await fail(next, 'a');
    await next.advance(0);
    await answer(next, 'a');
    expect([await next.engine.run(id).status(), await books(next)]).toEqual(['completed', [6, [4, 4]]]);
  });

  test('[CR2] each visit in a loop is an execution of its own', async () => {
    const t = await open(5);
    const loop = go('a', 'a', { loop: { maxIterations: 9 }, priority: 1 });
    const run = await launchFor(
      t,
      workflow('w', [work('a', { cost: 2 }), 'done'], [loop, go('a', 'done', { priority: 2 })]),
    );
    await answer(t, 'a');
    await answer(t, 'a');
    expect([await run.status(), await books(t)]).toEqual(['exhausted', [1, [4, 4]]]);
  });

  test('[CR4] what was reserved and did not run goes back when the run fails or is cancelled', async () => {
    const t = await open(10, { ...scripted, limits: { dispatchWindow: 1 } });
    const definition = workflow(
      'w',
      ['s', work('a', { cost: 3 }), work('b', { cost: 3 })],
      [go('s', 'a'), go('s', 'b')],
    );
    const failing = await launchFor(t, definition);
    expect(await books(t)).toEqual([4, [6, null]]);
    expect(callsAt(t, 'b')).toEqual([]);
    await fail(t, 'a');
    expect([await failing.status(), await books(t)]).toEqual(['failed', [7, [6, 3]]]);
    const cancelled = await launchFor(t, definition);
    expect(await books(t)).toEqual([1, [6, 3], [6, null]]);
    await cancelled.cancel();
    await t.settle();
    expect(await books(t)).toEqual([4, [6, 3], [6, 3]]);
  });

  test('[CR7] two runs compete for the last credits: one gets them', async () => {
    const t = await open(3);
    await register(t.engine, steps);
    const start = () => t.engine.start('steps', {}, { organization: 'acme' });
    const [one, two] = await Promise.all([start(), start()]);
    await t.settle();
    // Of requests that are on their way at once either may come first.
    expect([await one.status(), await two.status()].toSorted()).toEqual(['exhausted', 'running']);
    expect(await t.engine.credits.balance('acme')).toBe(0);
  });

  test('[CR7] a fan-out gets as far as the credits do', async () => {
    const t = await open(5);
    const definition = workflow('w', ['s', work('a', { cost: 2 })], [spawn('s', 'a', 3, 'g')]);
    const run = await launchFor(t, definition);
    expect([await run.status(), await books(t)]).toEqual(['exhausted', [1, [4, 4]]]);
    expect(callsAt(t, 'a')).toEqual([]);
  });

  test('sub-runs charge the organization of the root; one that is exhausted fails its node', async () => {
    const t = await open(5);
    const child = workflow('child', [work('inner', { cost: 3 })]);
    await register(t.engine, child, workflow('middle', [{ id: 'down', workflow: 'child' }]));
    const caught = { id: 'again', workflow: { id: 'middle', onFailure: 'catch' } };
    const parent = workflow(
      'parent',
      [
        { id: 'first', workflow: 'middle' },
        { ...caught, outputMapping: { 'state.again': 'result' } },
      ],
      [go('first', 'again')],
    );
    const run = await launchFor(t, parent);
    await answer(t, 'inner');
    expect(await run.status()).toBe('completed');
    const [balance, ...reservations] = await books(t);
    expect([balance, new Set(reservations.map(String))]).toEqual([2, new Set(['0,0', '3,3'])]);
    const statuses = (await t.engine.runs({ subRuns: true, workflow: 'child' })).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual(['completed', 'exhausted']);
    expect(await run.state()).toMatchObject({ state: { again: { error: { code: 'CREDITS_EXHAUSTED' } } } });
  });

  test('a paused run keeps the answer of the ledger until it goes on', async () => {
    const t = await open(10);
    const run = await launchFor(t, steps);
    callsAt(t, 'a')[0]?.complete();
    await run.pause();
    await t.settle();
    await run.resume();
    await t.settle();
    expect(callsAt(t, 'b').length).toBe(1);
    await run.cancel();
    await t.settle();
    expect(await books(t)).toEqual([3, [7, 7]]);
  });

  test('[RX4] a retry pays for what it runs, and for nothing else', async () => {
    const t = await open(20);
    const run = await launchFor(t, steps);
    await answer(t, 'a');
    await fail(t, 'b');
    expect(await books(t)).toEqual([13, [7, 7]]);
    const retried = await run.retry();
    await t.settle();
    expect(await books(t)).toEqual([9, [7, 7], [4, null]]);
    await answer(t, 'b');
    await answer(t, 'c');
    expect([await retried.status(), await books(t)]).toEqual(['completed', [9, [7, 7], [4, 4]]]);
  });

  test('[CR14] what is no amount and no organization is refused', async () => {
    const t = await host.open();
    const { credits } = t.engine;
    for (const amount of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60, '5', null]) {
      await expect(credits.deposit('acme', amount as number)).rejects.toMatchObject({
        code: 'OPTION_INVALID',
        message: expect.stringMatching(/^Expected amount to be a whole number from 0 on, but found /),
      });
    }
    for (const organization of ['', 'x'.repeat(1_001), 7, undefined]) {
      await expect(credits.deposit(organization as string, 1)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
      await expect(credits.balance(organization as string)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    }
    await register(t.engine, steps);
    const options = { organization: '' };
    await expect(t.engine.start('steps', {}, options)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    await expect(credits.deposit('acme', 1, { keys: 'x' } as object)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    expect(await credits.balance('acme')).toBe(0);
  });

  test('[CR10] a deposit with a key is made once, across restarts', async () => {
    const t = await host.open();
    expect(await t.engine.credits.deposit('acme', 5, { key: 'june' })).toEqual({ applied: true, balance: 5 });
    const next = await host.restart(t);
    expect(await next.engine.credits.deposit('acme', 5, { key: 'june' })).toEqual({ applied: false, balance: 5 });
    await expect(next.engine.credits.deposit('acme', 6, { key: 'june' })).rejects.toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
    expect(await next.engine.credits.deposit('other', 6, { key: 'june' })).toEqual({ applied: true, balance: 6 });
  });

  test('reservations come by run, a page at a time', async () => {
    const t = await open(100);
    await register(t.engine, steps);
    const ids: string[] = [];
    for (let index = 0; index < 5; index++) {
      ids.push((await t.engine.start('steps', {}, { organization: 'acme' })).id);
    }
    await t.engine.start('steps', {}, { organization: 'acme2' });
    await t.settle();
    const first = await t.engine.credits.reservations('acme', { limit: 3 });
    const rest = await t.engine.credits.reservations('acme', { after: String(first.at(-1)?.runId), limit: 3 });
    expect([...first, ...rest]).toEqual(ids.toSorted().map((runId) => ({ runId, reserved: 3, spent: null })));
  });
});

onEveryHost('credits of dataflow', (host) => {
  const node = (id: string, cost: number) => ({ id, type: 'work', cost });
  const edge = (source: string, target: string) => ({ source, sourceOutput: 'out', target, targetInput: 'in' });
  const graph = {
    dialect: 'dataflow',
    id: 'flow',
    nodes: [node('a', 2), node('b', 3), node('c', 4)],
    edges: [edge('a', 'b'), edge('b', 'c')],
  };
  const open = async (balance: number) => {
    const t = await host.open(scripted);
    await t.engine.credits.deposit('acme', balance);
    return t;
  };

  test('[CR1][CR3][T074][T119] too few credits for all nodes: nothing runs, and the run is exhausted', async () => {
    const t = await open(8);
    const run = await launchFor(t, graph);
    expect(await ended(run)).toMatchObject({
      status: 'exhausted',
      error: {
        code: 'CREDITS_EXHAUSTED',
        message: 'Expected 9 credits of organization acme for workflow flow, but it has 8',
        details: { amount: 9, balance: 8 },
      },
    });
    expect([await visits(run), t.script.calls, await books(t)]).toEqual([[], [], [8, [0, 0]]]);
  });

  host.testHere('[CR1] a run is submitted until it is answered, also across a restart', async () => {
    const t = await open(9);
    await register(t.engine, graph);
    const starting = t.engine.start('flow', {}, { organization: 'acme' });
    const run = await starting;
    expect(await run.status()).toBe('submitted');
    const next = await host.restart(t, scripted);
    await next.settle();
    const again = next.engine.run(run.id);
    expect([await again.status(), await books(next)]).toEqual(['running', [0, [9, null]]]);
  });

  test('[CR9] what ran is charged, what was skipped goes back', async () => {
    const t = await open(10);
    const run = await launchFor(t, graph);
    expect(await books(t)).toEqual([1, [9, null]]);
    await answer(t, 'a', { out: 1 });
    await fail(t, 'b');
    expect([await run.status(), await books(t)]).toEqual(['failed', [5, [9, 5]]]);
  });

  test('[CR9] a restart at every step changes nothing of what is charged', async () => {
    let t = await open(10);
    const { id } = await launchFor(t, graph);
    for (const step of ['a', 'b', 'c']) {
      t = await host.restart(t, scripted);
      await t.settle();
      expect(await books(t)).toEqual([1, [9, null]]);
      await answer(t, step, { out: 1 });
    }
    expect([await t.engine.run(id).status(), await books(t)]).toEqual(['completed', [1, [9, 9]]]);
  });

  host.testHere('[CR9] a run that is cancelled before it was answered has reserved nothing', async () => {
    const t = await open(10);
    await register(t.engine, graph);
    const run = await t.engine.start('flow', {}, { organization: 'acme' });
    await run.cancel();
    await t.settle();
    expect([await run.status(), t.script.calls, await t.engine.credits.balance('acme')]).toEqual(['cancelled', [], 10]);
  });

  host.testHere('[CR1] a run that is paused before it was answered begins when it goes on', async () => {
    const t = await open(9);
    await register(t.engine, graph);
    const run = await t.engine.start('flow', {}, { organization: 'acme' });
    await run.pause();
    await t.settle();
    expect([await run.status(), t.script.calls]).toEqual(['paused', []]);
    await run.resume();
    await t.settle();
    expect([await run.status(), callsAt(t, 'a').length, await books(t)]).toEqual(['running', 1, [0, [9, null]]]);
  });

  test('[RX4][RX5] a retry pays for what it does', async () => {
    const t = await open(30);
    const run = await launchFor(t, graph);
    await answer(t, 'a', { out: 1 });
    await fail(t, 'b');
    expect([await run.status(), await books(t)]).toEqual(['failed', [25, [9, 5]]]);
    const retried = await run.retry();
    await t.settle();
    for (const step of ['b', 'c']) await answer(t, step, { out: 1 });
    expect([await retried.status(), await books(t)]).toEqual(['completed', [18, [9, 5], [7, 7]]]);
  });

  test('[RX1] an exhausted run goes on after a deposit', async () => {
    const t = await open(1);
    const run = await launchFor(t, graph);
    expect(await run.status()).toBe('exhausted');
    await t.engine.credits.deposit('acme', 20);
    const again = await run.retry();
    await t.settle();
    for (const step of ['a', 'b', 'c']) await answer(t, step, { out: 1 });
    expect(await again.status()).toBe('completed');
  });

  test('[CR7] two runs compete for the last credits: one gets all, the other nothing', async () => {
    const t = await open(17);
    await register(t.engine, graph);
    const start = () => t.engine.start('flow', {}, { organization: 'acme' });
    const runs = await Promise.all([start(), start()]);
    await t.settle();
    // Of requests that are on their way at once either may come first.
    const statuses = async () => (await Promise.all(runs.map((run) => run.status()))).toSorted();
    expect(await statuses()).toEqual(['exhausted', 'running']);
    for (const step of ['a', 'b', 'c']) await answer(t, step, { out: 1 });
    expect([await statuses(), await t.engine.credits.balance('acme')]).toEqual([['completed', 'exhausted'], 8]);
  });
});
