import { afterEach, describe, expect, test, vi } from 'vitest';
import { shardOf } from '../../base/shard.ts';
import type { Run } from '../../exports.ts';
import { leaseMs } from '../ownership.ts';
import { type SharedTestFleet, sharedFleet, type TestProcess } from '../shared-fleet.testsuite.ts';

const opened: SharedTestFleet[] = [];
afterEach(async () => {
  for (const fleet of opened.splice(0)) await fleet.close();
});

const noop = { id: 'noop', initialNode: 'a', nodes: [{ id: 'a' }], transitions: [] };
const sleep = { id: 'sleep', initialNode: 'a', nodes: [{ id: 'a', wait: { seconds: 30 } }], transitions: [] };
const work = { id: 'work', initialNode: 'a', nodes: [{ id: 'a', action: 'work' }], transitions: [] };

/** Two processes: the first has shard 0, the second shard 1. */
async function make(options = {}): Promise<{ f: SharedTestFleet; asker: TestProcess; owner: TestProcess }> {
  const f = await sharedFleet(2);
  opened.push(f);
  const asker = await f.open(options);
  const owner = await f.open(options);
  await f.advance(leaseMs);
  for (const definition of [noop, sleep, work]) await f.within(1_000, asker.engine.register(definition));
  return { f, asker, owner };
}

/** A run of shard 1, started by its owner. */
async function runOf({ f, owner }: Awaited<ReturnType<typeof make>>, workflow = 'sleep'): Promise<string> {
  const { runId } = await f.within(1_000, owner.owned(1)!.perform('startRun', { workflow, input: {} }));
  expect(shardOf(runId)).toBe(1);
  return runId;
}

const codeOf = async (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => 'answered',
    (error: { readonly code?: string }) => error.code,
  );

/** A start without a key, in shard 1. */
async function startThere({ engine }: TestProcess): Promise<Run> {
  const [one, other] = [engine.start('noop'), engine.start('noop')]; // in turn
  const runs = await Promise.all([one, other]);
  return runs.find(({ id }) => shardOf(id) === 1)!;
}

describe('[OW6] a question to a shard of another process', () => {
  test('is a row until its answer was heard, and is done once', async () => {
    const { f, asker, owner } = await make();
    const run = await f.within(100, startThere(asker));
    expect(await f.within(100, run.result())).toMatchObject({ status: 'completed' });
    await f.advance(2_000);
    expect(f.calls.size).toBe(0);
    expect((await owner.engine.runs()).length).toBe(2);
  });

  test('is answered within a second although nobody was told of it', async () => {
    const { f, asker, owner } = await make();
    owner.trouble.isUntold = true;
    asker.trouble.isUntold = true;
    await f.within(2_100, startThere(asker));
  });

  test('whose sending failed, or whose answer was lost on the way, is done once all the same', async () => {
    const { f, asker, owner } = await make();
    for (const trouble of ['fail', 'lost'] as const)
      for (const process of [asker, owner]) {
        const before = (await owner.engine.runs()).length;
        process.trouble.exchanges = trouble;
        const starting = startThere(asker);
        await f.advance(2_000);
        process.trouble.exchanges = 'asked';
        await f.within(2_000, starting);
        expect((await owner.engine.runs()).length).toBe(before + 2);
      }
  });

  test('that nobody takes is withdrawn, and asked again of the next owner', async () => {
    const { f, asker, owner } = await make();
    owner.trouble.isCut = true;
    const run = await f.within(leaseMs + 5_000, startThere(asker));
    expect(asker.shards()).toEqual([0, 1]);
    expect((await asker.engine.runs()).filter(({ runId }) => shardOf(runId) === 1)).toMatchObject([{ runId: run.id }]);
  });

  test('is refused when its process closes, and leaves no row', async () => {
    const { f, asker, owner } = await make();
    const runId = await runOf({ f, asker, owner });
    const waiting = codeOf(asker.engine.run(runId).result());
    await f.advance(100);
    await f.within(1_000, asker.engine.close({ graceMs: 0 }));
    expect(await waiting).toBe('ENGINE_CLOSED');
    expect(f.calls.size).toBe(0);
  });

  test('goes when its process has said nothing for a minute', async () => {
    const { f, asker, owner } = await make();
    const runId = await runOf({ f, asker, owner }, 'work');
    void codeOf(asker.engine.run(runId).result());
    await f.advance(100);
    expect(f.calls.size).toBe(1);
    asker.trouble.isCut = true;
    await f.advance(60_000);
    expect(f.calls.size).toBe(0);
  });
});

describe('[OW7] a call whose owner has gone', () => {
  test('may have been done: a start without a key is refused, one with a key is asked again', async () => {
    const { f, asker, owner } = await make();
    owner.trouble.exchanges = 'lost'; // it takes the calls, and nobody hears of them
    const starting = codeOf(startThere(asker));
    const keyed = Array.from({ length: 8 }, (_, n) => asker.engine.start('noop', {}, { idempotencyKey: `k${n}` }));
    await f.advance(1_000);
    owner.trouble.isCut = true;
    expect(await f.within(leaseMs + 5_000, starting)).toBe('STORE_FENCED');
    const ids = (await f.within(leaseMs, Promise.all(keyed))).map(({ id }) => id);
    expect(ids.some((id) => shardOf(id) === 1)).toBe(true);
  });

  test('that was done before is one run, whoever is asked then', async () => {
    const { f, asker, owner } = await make();
    owner.trouble.exchanges = 'asked';
    const keys = Array.from({ length: 8 }, (_, n) => ({ idempotencyKey: `k${n}` }));
    const starting = keys.map((key) => asker.engine.start('noop', {}, key));
    for (let turn = 0; turn < 40 && (await f.stores[1]!.findKey('start', 'k1')) === null; turn++) await f.advance(1);
    owner.trouble.isCut = true; // before or after its answer
    const ids = await f.within(2 * leaseMs, Promise.all(starting.map((run) => run.then(({ id }) => id))));
    const again = await f.within(1_000, Promise.all(keys.map((key) => asker.engine.start('noop', {}, key))));
    expect(again.map(({ id }) => id)).toEqual(ids);
    expect((await asker.engine.runs()).length).toBe(8);
  });
});

describe('[OW7] a process that leaves', () => {
  test('says before what it has answered', async () => {
    const { f, asker, owner } = await make({ workers: true });
    const leasing = asker.engine.tasks.lease({ actions: ['work'], waitMs: 60_000 });
    await f.advance(1_000);
    await f.within(1_000, owner.engine.close({ graceMs: 0 })); // it had none
    await f.advance(leaseMs);
    const { runId } = await asker.owned(0)!.perform('startRun', { workflow: 'work', input: {} });
    expect(await f.within(1_000, leasing)).toMatchObject([{ runId }]);
  });
});

describe('[OW6] what waits', () => {
  test('waits without asking: a result comes when it is there, a call that is given up ends there too', async () => {
    const { f, asker, owner } = await make();
    const runId = await runOf({ f, asker, owner });
    const result = asker.engine.run(runId).result();
    const stop = new AbortController();
    const givenUp = codeOf(asker.engine.run(runId).result({ signal: stop.signal }));
    await f.advance(1_000);
    const before = f.exchanged.length;
    await f.advance(10_000);
    // Each process looks once a second.
    expect(f.exchanged.length - before).toBeLessThanOrEqual(22);
    expect(f.calls.size).toBe(2);
    stop.abort(new Error('enough'));
    await f.advance(1_100);
    expect(f.calls.size).toBe(1);
    await givenUp;
    expect(await f.within(30_000, result)).toMatchObject({ status: 'completed' });
  });

  test('is done once, however long it takes', async () => {
    const { f, asker, owner } = await make();
    const start = () => asker.engine.perform('startRun', { workflow: 'sleep', input: {}, waitMs: 60_000 });
    const starts = Promise.all([start(), start()]);
    await f.advance(20_000);
    expect((await owner.engine.runs()).length).toBe(2);
    await f.within(11_000, starts);
  });

  test('a worker that gives up waiting hears of no task, also where nobody owns a shard', async () => {
    const { f, asker, owner } = await make({ workers: true });
    owner.trouble.isCut = true;
    const stop = new AbortController();
    const leasing = asker.engine.tasks.lease({ actions: ['work'], waitMs: 30_000, signal: stop.signal });
    await f.advance(500);
    stop.abort();
    expect(await f.within(2_000, leasing)).toEqual([]);
  });

  test('a worker that waits at one process gets the tasks of the shards of all', async () => {
    const { f, asker, owner } = await make({ workers: true });
    const leasing = asker.engine.tasks.lease({ actions: ['work'], waitMs: 30_000 });
    await f.advance(1_000);
    const runId = await runOf({ f, asker, owner }, 'work');
    const [task] = await f.within(1_000, leasing);
    expect(task).toMatchObject({ runId, dispatch: 1 });
    const bytes = Uint8Array.of(0, 127, 128, 255);
    const reference = await f.within(1_000, asker.engine.tasks.putArtifact(task!.lease, bytes, 'image/png'));
    expect(await f.within(1_000, asker.engine.tasks.getArtifact(task!.lease, reference))).toMatchObject({ bytes });
    const [finished] = await f.within(1_000, asker.engine.tasks.finish([{ lease: task!.lease, output: {} }]));
    expect(finished).toMatchObject({ applied: true });
    expect(await f.within(1_000, owner.engine.run(runId).result())).toMatchObject({ status: 'completed' });
  });
});

test('[OW5] a call of a webhook is taken by whichever process it comes to', async () => {
  const { f, asker, owner } = await make();
  const hook = { id: 'hook', type: 'webhook', workflow: 'noop', public: true } as const;
  await f.within(1_000, asker.engine.triggers.create(hook));
  const call = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    rawBody: new TextEncoder().encode('{}'),
  };
  for (const { engine } of [owner, asker])
    expect(await f.within(1_000, engine.webhooks.receive('hook', call))).toMatchObject({ status: 'accepted' });
  await expect(f.within(1_000, owner.engine.webhooks.receive('none', call))).rejects.toMatchObject({
    code: 'WEBHOOK_NOT_FOUND',
  });
});

describe('[WK24] [OW7] a task that was given to a worker', () => {
  test.each(['asker', 'owner'] as const)(
    'costs no hand-out when the %s dies before its worker hears',
    async (dying) => {
      const made = await make({ workers: true, limits: { dispatchesMax: 1 } });
      const { f, asker, owner } = made;
      const runId = await runOf(made, 'work');
      const given = codeOf(asker.engine.tasks.lease({ actions: ['work'], max: 8, confirmMs: 5_000 }));
      const isGiven = async () => (await f.stores[1]!.listRecords('lease', { limit: 1 })).length > 0;
      for (let ms = 0; ms < 1_000 && !(await isGiven()); ms++) await f.advance(1);
      expect(await isGiven()).toBe(true);
      made[dying].trouble.isCut = true;
      const other = dying === 'asker' ? owner : asker;
      await f.advance(2 * leaseMs);
      await given;
      const tasks = await f.within(2_000, other.engine.tasks.lease({ actions: ['work'], max: 8 }));
      expect(tasks).toMatchObject([{ runId, dispatch: 1 }]);
      const [finished] = await f.within(1_000, other.engine.tasks.finish([{ lease: tasks[0]!.lease, output: 1 }]));
      expect(finished).toMatchObject({ applied: true });
    },
  );
});

describe('[OW8] exchanges', () => {
  test.each([
    ['the store says when there is something', true, 11],
    ['it does not', false, 34],
  ])('are few where there is nothing to do: %s', async (_, isTold, most) => {
    const f = await sharedFleet(2);
    opened.push(f);
    const process = await f.open({}, isTold);
    await f.advance(5_000);
    const before = f.exchanged.length;
    await f.advance(10_000);
    expect(f.exchanged.length - before).toBeLessThanOrEqual(most);
    expect(process.errors).toEqual([]);
  });

  test('without anybody who tells are quick while something is asked', async () => {
    const f = await sharedFleet(2);
    opened.push(f);
    const asker = await f.open({}, false);
    await f.open({}, false);
    await f.advance(leaseMs);
    await f.within(1_000, asker.engine.register(noop));
    const begunAt = f.clock.now();
    let tookMs = 0;
    const asking = (async () => {
      for (let n = 0; n < 10; n++) await startThere(asker);
      tookMs = f.clock.now() - begunAt;
    })();
    await f.within(10_000, asking);
    expect(tookMs).toBeLessThanOrEqual(1_000);
  });

  test('take along all that is said in one turn', async () => {
    const { f, asker } = await make();
    await f.advance(500);
    const before = f.exchanged.length;
    const runs = Array.from({ length: 40 }, () => asker.engine.start('noop'));
    await f.within(100, Promise.all(runs));
    expect(f.exchanged.length - before).toBeLessThanOrEqual(16);
  });
});

describe('[OW9] what is only read', () => {
  test('is read from the store, also while nobody owns the shard', async () => {
    const { f, asker, owner } = await make();
    const runId = await runOf({ f, asker, owner });
    const before = f.exchanged.flatMap(({ calls }) => calls).length;
    expect(await asker.engine.run(runId).status()).toBe('waiting');
    owner.trouble.isCut = true;
    await f.advance(leaseMs - 1_000);
    expect(await asker.engine.run(runId).status()).toBe('waiting');
    expect((await asker.engine.run(runId).state()).status).toBe('waiting');
    expect(f.exchanged.flatMap(({ calls }) => calls).length).toBe(before);
  });

  test('as it comes: the events of a run, to its end', async () => {
    const { f, asker, owner } = await make();
    const runId = await runOf({ f, asker, owner });
    const types: string[] = [];
    const ids = new Set<string>();
    const reading = (async () => {
      for await (const { type, id } of asker.engine.run(runId).events()) {
        types.push(type);
        ids.add(id);
      }
    })();
    await f.within(31_000, reading);
    expect(ids.size).toBe(types.length);
    expect(types.at(0)).toBe('workflow.started');
    expect(types.at(-1)).toBe('workflow.completed');
    expect(new Set(types).size).toBeGreaterThan(2);
  });

  test('as it comes: the feed of one workflow, without looking through the others again', async () => {
    const { f, asker } = await make();
    const stop = new AbortController();
    const heard: string[] = [];
    const reading = (async () => {
      for await (const { type, runId } of asker.engine.events({ workflow: 'sleep', signal: stop.signal }))
        heard.push(`${runId} ${type}`);
    })();
    for (let n = 0; n < 6; n++) await f.within(1_000, asker.engine.start('noop'));
    await f.advance(1_000);
    const looks = vi.spyOn(f.stores[1]!, 'readFeed');
    await f.within(1_000, asker.engine.start('noop'));
    await f.within(1_000, asker.engine.start('noop'));
    await f.advance(1_000);
    for (const [{ after }] of looks.mock.calls) expect(after).toBeGreaterThan(0);
    expect(looks).toHaveBeenCalled();
    for (let n = 0; n < 2; n++) await f.within(1_000, asker.engine.start('sleep'));
    await f.advance(40_000);
    stop.abort();
    await f.within(1_000, reading);
    expect(new Set(heard).size).toBe(heard.length);
    expect(heard.filter((one) => one.endsWith('workflow.completed')).length).toBe(2);
  });
});
