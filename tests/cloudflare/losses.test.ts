// Questions between the objects of a tenant that the platform loses on their way, whose answers it loses, or that it brings twice.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Loss } from './faults.ts';
import { FaultyWorkerd } from './outside.testsuite.ts';

let faulty: FaultyWorkerd;
let everyRun: FaultyWorkerd;
beforeAll(async () => {
  faulty = await FaultyWorkerd.open({ bindings: { SHARDS: '3' } });
  everyRun = await FaultyWorkerd.open({ bindings: { SHARDS: 'run' } });
});
afterAll(async () => {
  await faulty.close();
  await everyRun.close();
});

/** Whatever one object asks another, but for what tests ask from outside. */
const questions = [
  'wake',
  'ready',
  'store',
  'perform',
  'peer receive',
  'peer publish',
  'peer guardEventId',
  'peer command',
];

const keys = Array.from({ length: 6 }, (_, n) => `order-${n}`);

test.each<Loss>(['before', 'after', 'twice'])(
  '[DO12] [ML3] [ML5] a question that is lost is asked again, and done once: %s',
  async (loss) => {
    const client = await faulty.tenant(`lost-${loss}`);
    const lost = Object.fromEntries(questions.map((question) => [question, [loss, null, loss]]));
    await faulty.faults(`lost-${loss}`, { losses: lost });
    const start = (key: string) => client.start('await', { id: key }, { idempotencyKey: key });
    const runs = await Promise.all(keys.map(start));
    expect(new Set(runs.map(({ id }) => id.split('~')[1] ?? '0')).size).toBeGreaterThan(1);
    for (const key of keys) await client.publish('call', {}, { id: `call-${key}`, correlation: key });
    for (const run of runs) await faulty.outside.hears(run.id);
    expect((await Promise.all(keys.map(start))).map(({ id }) => id)).toEqual(runs.map(({ id }) => id));
    for (const run of runs) expect(await run.result()).toMatchObject({ status: 'completed' });
    const { asked } = await faulty.faults(`lost-${loss}`);
    for (const question of questions) expect([question, asked[question] ?? 0]).not.toEqual([question, 0]);
    expect(faulty.outside.of(`lost-${loss}`)).toHaveLength(runs.length);
    expect((await client.audit()).problems).toEqual([]);
  },
);

/** What home and the objects of runs ask each other: a run that waits is noted at home, and given its event from there. */
const askedOfHome = ['ready', 'store', 'peer receive', 'peer publish', 'peer fire'];

test.each<Loss>(['before', 'after', 'twice'])(
  '[DO12] [ML3] [ML11] between home and the object of a run a question that is lost is asked again, and done once: %s',
  async (loss) => {
    const tenant = `every-${loss}`;
    const client = await everyRun.tenant(tenant);
    await client.definitions(); // home is there
    await client.triggers.create({
      id: 'on-call',
      type: 'event',
      event: 'call',
      workflow: 'line',
      input: { of: 'event.correlation' },
    });
    const lost = Object.fromEntries(askedOfHome.map((question) => [question, [loss, null, loss, null, null, loss]]));
    await everyRun.faults(tenant, { losses: lost });
    const start = (key: string) => client.start('await', { id: key }, { idempotencyKey: key });
    const runs = await Promise.all(keys.map(start));
    expect(new Set(runs.map(({ id }) => id.split('~')[1])).size).toBe(keys.length);
    for (const key of keys) await client.start('publish', { id: key }, { idempotencyKey: `publish-${key}` });
    for (const run of runs) await everyRun.outside.hears(run.id);
    expect((await Promise.all(keys.map(start))).map(({ id }) => id)).toEqual(runs.map(({ id }) => id));
    for (const run of runs) expect(await run.result()).toMatchObject({ status: 'completed' });
    const ended = () => everyRun.outside.of(tenant).filter(({ nodeId }) => nodeId === 'end');
    await everyRun.outside.until(() => ended().length >= 3 * keys.length);
    expect(new Set(ended().map(({ runId }) => runId)).size).toBe(3 * keys.length);
    expect(ended()).toHaveLength(3 * keys.length);
    const { asked } = await everyRun.faults(tenant);
    for (const question of askedOfHome) expect([question, asked[question] ?? 0]).not.toEqual([question, 0]);
  },
);

test('[DO12] what would be done twice is not asked again: an event without an id', async () => {
  const client = await faulty.tenant('unnamed');
  await client.definitions();
  await faulty.faults('unnamed', { losses: { 'peer publish': Array.from({ length: 40 }, () => 'after' as const) } });
  const answers = await Promise.allSettled(
    Array.from({ length: 20 }, (_, n) => client.publish('call', {}, { correlation: `order-${n}` })),
  );
  const lost = answers.filter(({ status }) => status === 'rejected');
  expect(lost.map((each) => (each as PromiseRejectedResult).reason as unknown)).toEqual(
    lost.map(() => expect.objectContaining({ code: 'OBJECT_UNREACHED' }) as unknown),
  );
  const { asked } = await faulty.faults('unnamed');
  expect(lost.length).toBeGreaterThan(0);
  expect(asked['peer publish']).toBe(lost.length);
});
