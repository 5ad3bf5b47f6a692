import { afterEach, describe, expect, test } from 'vitest';
import { writeMembership } from '../actor/mail/membership.ts';
import { Placement } from '../actor/mail/placement.ts';
import { shardOf } from '../base/shard.ts';
import { leaseMs } from './ownership.ts';
import { type SharedTestFleet, sharedFleet } from './shared-fleet.testsuite.ts';

const opened: SharedTestFleet[] = [];
afterEach(async () => {
  for (const fleet of opened.splice(0)) await fleet.close();
});

async function make(shards = 4): Promise<SharedTestFleet> {
  const fleet = await sharedFleet(shards);
  opened.push(fleet);
  return fleet;
}

const noop = { id: 'noop', initialNode: 'a', nodes: [{ id: 'a' }], transitions: [] };
const sleep = { id: 'sleep', initialNode: 'a', nodes: [{ id: 'a', wait: { seconds: 30 } }], transitions: [] };

describe('several processes on one fleet', () => {
  test('[OW1] [OW4] the shards are shared fairly: who comes gets its part, and who leaves gives its own at once', async () => {
    const f = await make();
    const first = await f.open();
    expect(first.shards()).toEqual([0, 1, 2, 3]);
    const second = await f.open();
    expect(second.shards()).toEqual([]);
    await f.advance(leaseMs);
    expect([first.shards(), second.shards()]).toEqual([
      [0, 1],
      [2, 3],
    ]);
    await f.within(1_000, first.engine.close({ graceMs: 0 }));
    await f.advance(leaseMs);
    expect(second.shards()).toEqual([0, 1, 2, 3]);
    expect([...first.errors, ...second.errors]).toEqual([]);
  });

  test('[OW4] what one leaves that has died is shared by the others: each takes its part, and no more', async () => {
    const f = await make();
    const first = await f.open();
    const second = await f.open();
    const third = await f.open();
    await f.advance(leaseMs);
    expect([first, second, third].map(({ shards }) => shards())).toEqual([[0, 1], [2, 3], []]);
    first.trouble.isCut = true;
    const counts = new Set<number>();
    for (let ms = 0; ms < leaseMs + 2_000; ms += 100) {
      await f.advance(100);
      counts.add(second.shards().length);
    }
    expect([first, second, third].map(({ shards }) => shards())).toEqual([[], [2, 3], [0, 1]]);
    expect([...counts]).toEqual([2]);
  });

  test('[WK14] a definition is checked by what workers have announced', async () => {
    const f = await make(2);
    const { engine } = await f.open({ workers: true });
    const ports = { inputs: [{ name: 'a', type: 'number' }], outputs: [{ name: 'sum', type: 'number' }] };
    await engine.tasks.announce('w', [{ name: 'add', ports }]);
    const graph = { dialect: 'dataflow', id: 'sum', nodes: [{ id: 'x', type: 'add', inputs: { b: 1 } }], edges: [] };
    expect(engine.validate(graph)).toMatchObject([{ severity: 'error', pointer: '/nodes/0/inputs/b' }]);
  });

  test('[WK11] whoever has just asked for tasks is answered with nothing by a process that closes', async () => {
    const f = await make(2);
    const { engine } = await f.open({ workers: true });
    const waiting = engine.tasks.lease({ actions: ['work'], waitMs: 60_000 });
    const closing = engine.close({ graceMs: 0 });
    expect(await f.within(100, waiting)).toEqual([]);
    await f.within(100, closing);
    await expect(engine.tasks.lease({ actions: ['work'] })).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
  });

  test('[OW5] any process takes anything: what is asked of a shard of another is done there', async () => {
    const f = await make();
    const first = await f.open();
    const second = await f.open();
    await f.advance(leaseMs);
    await f.within(100, second.engine.register(noop));
    const runs = [];
    for (let n = 0; n < 4; n++) runs.push(await f.within(100, first.engine.start('noop')));
    expect(runs.map(({ id }) => shardOf(id)).toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3]);
    for (const { id } of runs) expect(await f.within(100, second.engine.run(id).status())).toBe('completed');
    const keyed = await Promise.all(
      [first, second].map(({ engine }) => f.within(100, engine.start('noop', {}, { idempotencyKey: 'k' }))),
    );
    expect(keyed[0]!.id).toBe(keyed[1]!.id);
    expect((await second.engine.runs()).length).toBe(5);
  });

  test('[CY7] a key from before a copy is found at the owner of its shard', async () => {
    const f = await make(4);
    const key = ['a', 'b', 'c', 'd', 'e', 'f'].find(
      (word) => new Placement(0, 2).ofKey('start', word) !== new Placement(0, 4).ofKey('start', word),
    );
    const [before, after] = [2, 4].map((shards) => new Placement(0, shards).ofKey('start', key!));
    for (const [shard, store] of f.stores.entries())
      await writeMembership(store, { fleet: 'f', shard, shards: 4, former: [2] });
    const first = await f.open();
    const second = await f.open();
    await f.advance(leaseMs);
    await f.within(100, first.engine.register(noop));
    const owner = [first, second].find(({ owned }) => owned(before!) !== null)!;
    const there = await f.within(
      100,
      owner.owned(before!)!.perform('startRun', { workflow: 'noop', input: {}, idempotencyKey: key! }),
    );
    expect(shardOf(there.runId)).toBe(before);
    expect(after).not.toBe(before);
    for (const { engine } of [first, second])
      expect((await f.within(1_000, engine.start('noop', {}, { idempotencyKey: key! }))).id).toBe(there.runId);
  });

  test('[OW2] [OW3] a process that does not reach the leases says nothing more once its own is over; another continues', async () => {
    const f = await make();
    const first = await f.open();
    await first.engine.register(sleep);
    const runs = [];
    for (let n = 0; n < 8; n++) runs.push(await first.engine.start('sleep'));
    first.trouble.isCut = true;
    await f.advance(leaseMs - 1);
    expect(await first.engine.run(runs[0]!.id).status()).toBe('waiting');
    await f.advance(2);
    expect(first.shards()).toEqual([]);
    await expect(f.within(60_000, first.engine.run(runs[0]!.id).pause())).rejects.toMatchObject({
      code: expect.stringMatching(/SHARD_ELSEWHERE|STORE_FENCED/),
    });
    const second = await f.open();
    expect(second.shards()).toEqual([0, 1, 2, 3]);
    await f.advance(60_000);
    for (const { id } of runs) expect(await second.engine.run(id).status()).toBe('completed');
  });

  test('[OW2] the lease is counted from before it was asked for, however late the answer comes', async () => {
    const f = await make(2);
    const first = await f.open();
    // Asked after a second, answered four seconds later.
    first.trouble.renewalLateMs = 4_000;
    await f.advance(5_500);
    first.trouble.isCut = true;
    await f.advance(leaseMs + 1_000 - 5_500 - 1);
    expect(first.shards()).toEqual([0, 1]);
    await f.advance(2);
    expect(first.shards()).toEqual([]);
    expect((await f.open()).shards()).toEqual([0, 1]);
  });

  test.each([
    ['back', -60_000],
    ['forward', 60_000],
  ])('[OW2] the lease is counted by a clock that nobody sets: %s', async (_, skewMs) => {
    const f = await make(2);
    const first = await f.open();
    first.trouble.skewMs = skewMs;
    await f.advance(3_000);
    first.trouble.isCut = true;
    await f.advance(leaseMs - 1_000 - 1);
    expect(first.shards()).toEqual([0, 1]);
    await f.advance(1_002);
    expect(first.shards()).toEqual([]);
  });

  test('[OW3] one that stood still writes nothing and confirms nothing, whatever it believes', async () => {
    const f = await make(1);
    const first = await f.open();
    await first.engine.register(noop);
    const run = await first.engine.start('noop');
    // It stands still, and time with it, while another takes the shard.
    const stale = first.owned(0)!;
    first.trouble.isCut = true;
    await f.advance(leaseMs + 1);
    const second = await f.open();
    expect(second.shards()).toEqual([0]);
    await expect(stale.perform('getRun', { runId: run.id })).rejects.toMatchObject({ code: 'STORE_FENCED' });
    await expect(stale.perform('startRun', { workflow: 'noop', input: {} })).rejects.toMatchObject({
      code: 'STORE_FENCED',
    });
    expect((await second.engine.runs()).length).toBe(1);
  });

  test('[OW5] a question that comes while a shard moves is answered by its next owner', async () => {
    const f = await make(2);
    const first = await f.open();
    await first.engine.register(sleep);
    const second = await f.open();
    const starts = Array.from({ length: 20 }, (_, n) =>
      second.engine.start('sleep', {}, { idempotencyKey: `k${n}` }).then((run) => run.id),
    );
    const ids = await f.within(leaseMs, Promise.all(starts));
    expect(new Set(ids).size).toBe(20);
    const ended = ids.map((id) =>
      second.engine
        .run(id)
        .result()
        .then(({ status }) => status),
    );
    await f.advance(10_000);
    await f.within(1_000, first.engine.close({ graceMs: 0 }));
    expect(await f.within(120_000, Promise.all(ended))).toEqual(Array(20).fill('completed'));
  });

  test('[SH7] [OW5] a reader of the feed hears every event once while shards move', async () => {
    const f = await make(3);
    const first = await f.open();
    await first.engine.register(sleep);
    const second = await f.open();
    const heard: string[] = [];
    const stop = new AbortController();
    const reading = (async () => {
      for await (const { runId, id, type } of second.engine.events({ signal: stop.signal })) {
        heard.push(`${runId} ${id} ${type}`);
      }
    })();
    for (let n = 0; n < 9; n++) await f.within(100, second.engine.start('sleep'));
    await f.advance(leaseMs);
    await f.within(1_000, first.engine.close({ graceMs: 0 }));
    await f.advance(120_000);
    stop.abort();
    await f.within(1_000, reading);
    expect(new Set(heard).size).toBe(heard.length);
    expect(heard.filter((one) => one.endsWith('workflow.completed')).length).toBe(9);
  });
});
