// Workers and the lives of engines: a worker outlives the engine that gave it its task.

import { expect, test } from 'vitest';
import { memoryStore } from '../../packages/heddle/src/hosts/memory/store.ts';
import { createTestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import { onStoreHosts } from './hosts.testsuite.ts';
import { launch, work, workflow } from './token-engine.testsuite.ts';
import { beat, fan, finish, lease, leaseOne, leaseRecords, namesOf, outside, single } from './workers.testsuite.ts';

onStoreHosts('workers and restarts', (host) => {
  test('[WK6] a worker that is still at work keeps its task; the others wait as before', async () => {
    const before = await host.open(outside);
    const run = await launch(before, fan(3));
    const [first, second] = await lease(before, { max: 2, worker: 'w1' });
    await before.advance(20_000);
    const t = await host.restart(before, outside);
    await t.settle();
    expect(namesOf(await lease(t))).toEqual(['4 1.1']);
    if (!first || !second) throw new Error('Expected two tasks');
    expect(await beat(t, first, { progress: { fraction: 0.5 } })).toEqual({
      lease: first.lease,
      ok: true,
      expiresAt: t.clock.now() + 30_000,
    });
    const [, token] = await t.engine.run(run.id).tokens();
    expect(token).toMatchObject({ id: 2, isExecuting: true, progress: { fraction: 0.5 } });
    expect(await finish(t, second)).toEqual({ lease: second.lease, applied: true });
    expect(await finish(t, second)).toMatchObject({ applied: false, reason: 'it was finished before' });
    await t.advance(29_999);
    expect(await finish(t, first)).toMatchObject({ applied: true });
    const [rest] = (await lease(t)).length > 0 ? [] : [null];
    await t.advance(1);
    expect(rest).toBeNull();
    await finish(t, await leaseOne(t));
    expect(await t.engine.run(run.id).result()).toMatchObject({ status: 'completed' });
  });

  test('[WK6, TS10] a task that no worker ever had loses nothing by any number of restarts', async () => {
    const options = { ...outside, limits: { dispatchesMax: 2 } };
    let t = await host.open(options);
    const run = await launch(t, fan(2));
    const { seq } = (await t.store.readRun(run.id)) ?? {};
    for (let i = 0; i < 5; i++) {
      t = await host.restart(t, options);
      await t.settle();
    }
    expect((await t.store.readRun(run.id))?.seq).toBe(seq);
    for (const task of await lease(t))
      expect([task.dispatch, await finish(t, task)]).toMatchObject([1, { applied: true }]);
    expect(await t.engine.run(run.id).result()).toMatchObject({ status: 'completed' });
  });

  test('[WK6, TS10] nor does one whose earlier hand-out was lost, where engines die before they have cleared that away', async () => {
    const store = memoryStore();
    const first = await createTestEngine({ ...outside, store });
    await launch(first, single);
    await leaseOne(first);
    await first.advance(30_001);
    let t = first;
    for (let i = 0; i < 3; i++) {
      t = await createTestEngine({ ...outside, store, clock: first.clock });
      await t.settle();
    }
    expect(await leaseOne(t)).toMatchObject({ dispatch: 2, attempt: 1 });
  });

  test('[WK6, WK20] a token whose task is over is not executing, where its engine died before it has cleared the lease away', async () => {
    const store = memoryStore();
    const first = await createTestEngine({ ...outside, store });
    const run = await launch(first, single);
    expect(await finish(first, await leaseOne(first))).toMatchObject({ applied: true });
    const t = await createTestEngine({ ...outside, store, clock: first.clock });
    expect(await leaseRecords(t)).toHaveLength(1);
    expect(await t.engine.run(run.id).tokens()).toMatchObject([{ status: 'completed', isExecuting: false }]);
  });

  test('[WK6] a lease that expired while no engine was there is lost', async () => {
    const before = await host.open(outside);
    const run = await launch(before, single);
    const task = await leaseOne(before);
    await before.engine.close();
    await before.clock.advance(30_000);
    const t = await host.restart(before, outside);
    await t.settle();
    expect(await beat(t, task)).toMatchObject({ ok: false, code: 'LEASE_LOST' });
    const again = await leaseOne(t);
    expect(again.dispatch).toBe(2);
    expect(await finish(t, task)).toMatchObject({ applied: false, error: { code: 'LEASE_LOST' } });
    await finish(t, again);
    expect(await t.engine.run(run.id).result()).toMatchObject({ status: 'completed' });
  });

  test('[WK24] a lease that its worker does not confirm in time is as if nobody had had it', async () => {
    const t = await host.open({ ...outside, limits: { dispatchesMax: 1 } });
    const run = await launch(t, single);
    const unheard = await leaseOne(t, { confirmMs: 5_000 });
    await t.advance(4_999);
    expect(await lease(t)).toEqual([]);
    await t.advance(1);
    const heard = await leaseOne(t, { confirmMs: 5_000 });
    expect([unheard.dispatch, heard.dispatch]).toEqual([1, 1]);
    // Who has the same hand-out may not answer for it, nor keep it.
    expect(await beat(t, unheard)).toMatchObject({ ok: false, code: 'LEASE_LOST' });
    expect(await finish(t, unheard)).toMatchObject({ applied: false, error: { code: 'LEASE_LOST' } });
    expect(await beat(t, heard)).toMatchObject({ ok: true, expiresAt: t.clock.now() + 30_000 });
    await t.advance(29_999);
    expect(await finish(t, heard)).toMatchObject({ applied: true });
    expect(await t.engine.run(run.id).result()).toMatchObject({ status: 'completed' });
  });

  test('[WK24] one that is confirmed at the next engine is as any other; one that was over by then costs nothing', async () => {
    const before = await host.open(outside);
    const run = await launch(before, fan(2));
    const first = await leaseOne(before, { confirmMs: 5_000 });
    const t = await host.restart(before, outside);
    await t.settle();
    const second = await leaseOne(t, { confirmMs: 5_000 });
    expect(await beat(t, first)).toMatchObject({ ok: true });
    await t.engine.close();
    await t.clock.advance(5_000);
    const last = await host.restart(t, outside);
    await last.settle();
    const again = await leaseOne(last);
    expect([again.tokenId, again.dispatch]).toEqual([second.tokenId, 1]);
    for (const task of [first, again]) expect(await finish(last, task)).toMatchObject({ applied: true });
    expect(await last.engine.run(run.id).result()).toMatchObject({ status: 'completed' });
  });

  test('[WK24] one that an engine gave has its time with the next one, and costs no hand-out either', async () => {
    const before = await host.open(outside);
    const run = await launch(before, fan(2));
    const [first, second] = await lease(before, { max: 2, confirmMs: 5_000 });
    await beat(before, first!);
    const t = await host.restart(before, outside);
    await t.settle();
    expect(await lease(t)).toEqual([]);
    await t.advance(5_000);
    const again = await leaseOne(t);
    expect([again.tokenId, again.dispatch]).toEqual([second!.tokenId, 1]);
    expect(await beat(t, second!)).toMatchObject({ ok: false, code: 'LEASE_LOST' });
    expect(await beat(t, first!)).toMatchObject({ ok: true });
    for (const task of [first!, again]) expect(await finish(t, task)).toMatchObject({ applied: true });
    expect(await t.engine.run(run.id).result()).toMatchObject({ status: 'completed' });
  });

  test('[WK6, WK5] it expires in the new engine as it would have in the old one', async () => {
    const before = await host.open(outside);
    await launch(before, single);
    await lease(before);
    await before.advance(10_000);
    const t = await host.restart(before, outside);
    await t.advance(19_999);
    expect(await lease(t)).toEqual([]);
    await t.advance(1);
    expect(namesOf(await lease(t))).toEqual(['1 1.2']);
  });

  test('[WK6, WK15] an extension counts after a restart, and no clock makes it longer than any lease', async () => {
    const before = await host.open(outside);
    await launch(before, single);
    const task = await leaseOne(before, { leaseMs: 1_000 });
    expect(await beat(before, task, { leaseMs: 3_600_000 })).toMatchObject({ ok: true });
    const t = await host.restart(before, { ...outside, limits: { leaseMsMax: 60_000 } });
    await t.advance(59_999);
    expect(await lease(t)).toEqual([]);
    await t.advance(1);
    expect(namesOf(await lease(t))).toEqual(['1 1.2']);
  });

  test('[WK6, WK12] so does the timeout of the attempt', async () => {
    const before = await host.open(outside);
    const run = await launch(before, workflow('w', [work('a', { timeoutMs: 25_000 })]));
    await lease(before);
    await before.advance(10_000);
    const t = await host.restart(before, outside);
    await t.advance(15_000);
    expect(await t.engine.run(run.id).result()).toMatchObject({ error: { code: 'TASK_TIMEOUT' } });
  });

  test('[WK17] FT2: the answer that an engine took and did not live to confirm is confirmed by the next', async () => {
    const before = await host.open(outside);
    await launch(before, workflow('w', [work('a'), work('b', { action: 'other' })], [{ from: 'a', to: 'b' }]));
    const task = await leaseOne(before);
    const [record] = await before.store.listRecords('lease', { limit: 1 });
    await finish(before, task);
    await lease(before, { actions: ['other'] }); // removes the record
    if (!record) throw new Error('Expected the record of a lease');
    // As a crash before the removal leaves it.
    const write = { runs: [], journal: [], outboxAdded: [], outboxDone: [], keys: [], records: [record] };
    await before.store.commit(write);
    const t = await host.restart(before, outside);
    await t.settle();
    expect(await finish(t, task)).toEqual({ lease: task.lease, applied: false, reason: 'token has ended' });
    const last = await host.restart(t, outside);
    expect((await leaseRecords(last)).length).toBe(1);
  });

  test('[WK10] a lease that is left of a task that is over is lost at the first word', async () => {
    const before = await host.open(outside);
    const run = await launch(before, fan(2));
    const [task] = await lease(before, { max: 1 });
    const [record] = await before.store.listRecords('lease', { limit: 1 });
    await run.cancel();
    await launch(before, single);
    await lease(before); // removes the record
    if (!record || !task) throw new Error('Expected the record of a lease');
    const write = { runs: [], journal: [], outboxAdded: [], outboxDone: [], keys: [], records: [record] };
    await before.store.commit(write);
    const t = await host.restart(before, outside);
    await t.settle();
    expect(await beat(t, task)).toMatchObject({ ok: false, code: 'LEASE_LOST' });
    await expect(t.engine.tasks.publish(task.lease, 'x')).rejects.toMatchObject({ code: 'LEASE_LOST' });
  });

  test('[WK10] a run that was set aside takes no answer; released, it hands its task out again', async () => {
    const before = await host.open(outside);
    const run = await launch(before, single);
    const task = await leaseOne(before);
    const row = await before.store.readRun(run.id);
    if (!row) throw new Error('Expected the row of the run');
    const runs = [{ row: { ...row, quarantine: 'it is odd' }, isNew: false }];
    await before.store.commit({ runs, journal: [], outboxAdded: [], outboxDone: [], keys: [], records: [] });
    const t = await host.restart(before, outside);
    expect(await beat(t, task)).toMatchObject({ ok: false, code: 'RUN_QUARANTINED' });
    expect(await finish(t, task)).toMatchObject({ applied: false, error: { code: 'RUN_QUARANTINED' } });
    await t.engine.run(run.id).release();
    await t.settle();
    const again = await leaseOne(t);
    expect(again.dispatch).toBe(2);
    await finish(t, again);
    expect(await t.engine.run(run.id).result()).toMatchObject({ status: 'completed' });
  });

  test('[WK11] an engine that closes answers who waits with nothing, and leaves the leases', async () => {
    const before = await host.open(outside);
    await launch(before, single);
    const task = await leaseOne(before);
    const waiting = lease(before, { waitMs: 60_000 });
    await before.engine.close();
    expect(await waiting).toEqual([]);
    await expect(lease(before)).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
    const t = await host.restart(before, outside);
    expect(await finish(t, task)).toMatchObject({ applied: true });
  });

  test('[WK6] an engine without workers, or one that has the action now, goes on by itself', async () => {
    const before = await host.open(outside);
    const run = await launch(before, single);
    const task = await leaseOne(before);
    const t = await host.restart(before, { actions: { work: () => ({ here: true }) } });
    await t.settle();
    expect(await t.engine.run(run.id).result()).toMatchObject({ status: 'completed' });
    const last = await host.restart(t, outside);
    expect(await finish(last, task)).toMatchObject({ applied: false });
  });

  test('[WK14] announcements outlive the engine', async () => {
    const before = await host.open(outside);
    await before.engine.tasks.announce('w1', [{ name: 'work', cost: 3, timeoutMs: 5 }]);
    const t = await host.restart(before, outside);
    const info = (await t.engine.tasks.actions()).find(({ name }) => name === 'work');
    expect(info).toMatchObject({ place: 'workers', cost: 3, timeoutMs: 5 });
  });
});

test('[WK3, WK4] a lease that cannot be stored is given to nobody, and its task to the next who asks', async () => {
  const store = memoryStore();
  let isBroken = false;
  const commit = store.commit.bind(store);
  store.commit = (write) => {
    if (isBroken && write.records.some(({ kind }) => kind === 'lease')) throw new Error('the disk is full');
    return commit(write);
  };
  const t = await createTestEngine({ ...outside, store });
  await launch(t, single);
  isBroken = true;
  await expect(lease(t)).rejects.toThrow('the disk is full');
  isBroken = false;
  expect(namesOf(await lease(t))).toEqual(['1 1.1']);
  await t.engine.close();
});

test('[WK15] a lease that ends while others of its call are looked up is not stored again', async () => {
  const store = memoryStore();
  const before = await createTestEngine({ ...outside, store });
  const slow = await launch(before, { ...single, id: 'slow' });
  const earlier = await leaseOne(before);
  const t = await createTestEngine({ ...outside, store, clock: before.clock });
  await t.settle();
  const run = await launch(t, single);
  const first = await leaseOne(t);
  // The run of the earlier lease is at work: what is asked of it waits.
  const pausing = t.engine.run(slow.id).pause();
  const beating = t.engine.tasks.heartbeat([{ lease: first.lease }, { lease: earlier.lease }]);
  await t.engine.tasks.release([{ lease: first.lease }]);
  const second = await leaseOne(t);
  await pausing;
  expect(await beating).toMatchObject([{ ok: false, code: 'LEASE_LOST' }, { ok: true }]);
  const record = await store.readRecord('lease', `${run.id}/${first.tokenId}`);
  expect(JSON.parse(record?.value ?? '{}')).toMatchObject({ dispatch: second.dispatch });
});
