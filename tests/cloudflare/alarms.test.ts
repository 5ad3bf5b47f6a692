// The alarm of an object that is lost, comes twice, too early, while the engine is opened, or finds a storage that refuses; and that of
// one with nothing to do.

import { afterAll, beforeAll, describe, test } from 'vitest';
import { isEverything } from '../commit-share.testsuite.ts';
import { FaultyWorkerd } from './outside.testsuite.ts';

let faulty: FaultyWorkerd;
beforeAll(async () => {
  faulty = await FaultyWorkerd.open();
});
afterAll(() => faulty.close());

/** As Workers see it. */
interface Scheduled {
  scheduled(event: { readonly cron: string }): Promise<unknown>;
}

/** How often it rings with nobody asking: the whole 126 seconds for which the platform calls again, or its beginning. */
const ringsMost = isEverything ? 6 : 2;

const die = async (tenant: string): Promise<void> => {
  const object = await faulty.object(tenant);
  await object.do('die').catch(() => undefined); // as it should
};

const endsOf = (tenant: string) => faulty.outside.of(tenant).filter(({ nodeId }) => nodeId === 'end');

/** For when it is set; also sets it. */
const alarmOf = async (tenant: string, at = 0) => (await faulty.object(tenant)).do('alarmAt', at);

/** Some test waits for a watch, and the others meanwhile. */
describe.concurrent('alarms', () => {
  test('[DO4] an object whose alarm was lost is woken by the cron trigger, or by a request', async ({ expect }) => {
    const [byCron, byRequest] = [await faulty.tenant('cron'), await faulty.tenant('request')];
    const runs = await Promise.all([byCron.start('sleep'), byRequest.start('sleep')]);
    for (const tenant of ['cron', 'request']) {
      await (await faulty.object(tenant)).do('loseAlarm');
      await die(tenant);
      expect(await alarmOf(tenant)).toBeNull();
    }
    const worker = (await faulty.workerd.runtime.getWorker()) as unknown as Scheduled; // as a Worker is
    await worker.scheduled({ cron: '0 * * * *' });
    await byRequest.runs();
    for (const run of runs) await faulty.outside.hears(run.id);
  });

  test('[DO4] a handler that is called twice at once, and with a request, opens one engine and does everything once', async ({
    expect,
  }) => {
    const client = await faulty.tenant('twice');
    const run = await client.start('nap');
    await die('twice');
    const before = await faulty.faults('twice');
    const endsBefore = endsOf('twice').length; // on a busy machine it may have come so far, without a commit
    const object = await faulty.object('twice');
    await Promise.all([
      object.do('ringTwice'),
      object.do('ringTwice'),
      ...Array.from({ length: 8 }, () => client.runs()),
    ]);
    await faulty.outside.hears(run.id);
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(endsOf('twice').length - endsBefore).toBeLessThanOrEqual(1);
    expect((await faulty.faults('twice')).lives).toBe(before.lives + 1);
    expect((await client.audit()).problems).toEqual([]);
  });

  test('[DO4] [DO11] an alarm that comes early is set again for what it was for', async ({ expect }) => {
    const client = await faulty.tenant('early');
    const run = await client.start('sleep');
    await die('early');
    const dueBy = Date.now() + 12_000;
    const { rings } = await faulty.faults('early');
    await alarmOf('early', Date.now());
    await expect.poll(async () => (await faulty.faults('early')).rings).toBeGreaterThan(rings);
    const at = await alarmOf('early');
    expect(at).toBeGreaterThan(0);
    expect(at).toBeLessThanOrEqual(dueBy);
    // One for the next day does not take its place, also not by an object that has just come into memory.
    await die('early');
    await client.start('long');
    expect(await alarmOf('early')).toBe(at);
    await faulty.outside.hears(run.id);
  });

  test('[DO4] [DO13] a storage that refuses everything: the platform calls again until it works, and nobody asks', async ({
    expect,
  }) => {
    const client = await faulty.tenant('refusing');
    const run = await client.start('nap');
    await faulty.faults('refusing', { refuses: 'all' });
    await die('refusing');
    await alarmOf('refusing', Date.now());
    await expect.poll(async () => (await faulty.faults('refusing')).alarms).toBeGreaterThanOrEqual(ringsMost);
    expect((await faulty.faults('refusing')).rings).toBe(0);
    await faulty.faults('refusing', { refuses: 'nothing' });
    await faulty.outside.hears(run.id);
    expect(endsOf('refusing')).toHaveLength(1);
  });

  test('[DO4] [DO13] an object that cannot be opened tries again after a minute, and whoever asks meanwhile opens it', async ({
    expect,
  }) => {
    const client = await faulty.tenant('unopened');
    const run = await client.start('nap');
    await faulty.faults('unopened', { refuses: 'writes' });
    await die('unopened');
    await alarmOf('unopened', Date.now());
    await expect.poll(async () => (await faulty.faults('unopened')).rings).toBe(1);
    expect(await alarmOf('unopened')).toBeGreaterThan(Date.now() + 40_000);
    await expect(client.runs()).rejects.toThrow('SQLITE_FULL');
    await faulty.faults('unopened', { refuses: 'nothing' });
    expect(await client.run(run.id).result()).toMatchObject({ status: 'completed' });
    expect((await faulty.faults('unopened')).lives).toBe(2); // opened anew in the same object
  });

  test('[DO13] an engine whose opening failed half-way leaves nothing that keeps the next from working', async ({
    expect,
  }) => {
    const client = await faulty.tenant('half-way');
    await client.start('nap');
    await die('half-way');
    await faulty.faults('half-way', { refuses: 'records' });
    await expect(client.runs()).rejects.toMatchObject({ code: 'STORE_FULL' });
    await faulty.faults('half-way', { refuses: 'nothing' });
    const run = await client.start('line');
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect((await faulty.faults('half-way')).lives).toBe(2);
  });

  test('[DO4] [DO5] an object whose runs wait for people, events and workers has no alarm once it is at rest', async ({
    expect,
  }) => {
    const client = await faulty.tenant('parked');
    await client.start('ask');
    await client.start('await', { id: 'never' });
    await client.start('outside');
    await expect.poll(async () => (await faulty.faults('parked')).rings, { interval: 1_000 }).toBeGreaterThan(0);
    await expect.poll(() => alarmOf('parked'), { interval: 500 }).toBeNull();
    expect((await faulty.faults('parked')).alarms).toBeLessThanOrEqual(2);
  });
});
