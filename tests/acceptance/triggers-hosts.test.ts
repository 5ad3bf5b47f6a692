// Triggers where the host is unlike the others: a store that takes its time to answer, and an engine that only reads.

import { expect, test } from 'vitest';
import type { Store } from '../../packages/heddle/src/actor/ports.ts';
import { memoryStore } from '../../packages/heddle/src/hosts/memory/store.ts';
import { createTestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import { register, workflow } from './token-engine.testsuite.ts';
import { outputsOf } from './triggers.testsuite.ts';

/** Every answer comes a while later, as from another machine. */
function slowStore(store: Store): Store {
  const later = <T>(value: T): Promise<T> => new Promise((resolve) => setImmediate(() => resolve(value)));
  return new Proxy(store, {
    get(target, name: keyof Store) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function' || name === 'hash') return member;
      return (...given: unknown[]) => later(Reflect.apply(member, target, given) as unknown);
    },
  });
}

const hour = 3_600_000;

const definitions = [
  workflow('order', [{ id: 'wait', wait: { event: 'paid', correlation: 'input.id' } }], [], {
    outputMapping: { id: 'input.id' },
  }),
  workflow('echo', ['a'], [], { outputMapping: { depth: '_trigger.depth', type: '_trigger.type' } }),
];

const triggers = [
  { id: 'on-order', type: 'event', event: 'ordered', workflow: 'order' },
  { id: 'on-end', type: 'workflow_finished', source: 'order', workflow: 'echo' },
  { id: 'hourly', type: 'schedule', cron: '0 * * * *', workflow: 'echo', overlap: 'queue' },
];

test('[EW5] [TR19] [TR9] on a store that takes its time', async () => {
  const t = await createTestEngine({ store: slowStore(memoryStore()) });
  await register(t.engine, ...definitions);
  for (const trigger of triggers) await t.engine.triggers.create(trigger);
  await t.engine.publish('paid', {}, { correlation: 'early' });
  for (const id of ['early', 'late']) await t.engine.publish('ordered', { id });
  await t.settle();
  await t.engine.publish('paid', {}, { correlation: 'late' });
  await t.settle();
  await t.advance(2 * hour);
  expect(await outputsOf(t, 'order')).toEqual([{ id: 'early' }, { id: 'late' }]);
  expect(await outputsOf(t, 'echo')).toEqual([
    { depth: 2, type: 'workflow_finished' },
    { depth: 2, type: 'workflow_finished' },
    { depth: 1, type: 'schedule' },
    { depth: 1, type: 'schedule' },
  ]);
  await t.engine.close();
});

test('an engine that only reads looks at triggers and changes nothing', async () => {
  const store = memoryStore();
  const writer = await createTestEngine({ store });
  await register(writer.engine, ...definitions);
  for (const trigger of triggers) await writer.engine.triggers.create(trigger);
  await writer.clock.advance(5 * hour);
  const { engine } = await createTestEngine({ store, clock: writer.clock, readOnly: true });
  expect((await engine.triggers.list()).map(({ id }) => id)).toEqual(['hourly', 'on-end', 'on-order']);
  expect(await engine.triggers.get('hourly')).toEqual(await writer.engine.triggers.get('hourly'));
  const attempts = [
    () => engine.publish('paid'),
    () => engine.triggers.create(triggers[0]),
    () => engine.triggers.disable('hourly'),
    () => engine.triggers.remove('hourly'),
    () => engine.triggers.fire('on-order'),
  ];
  for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject({ code: 'ENGINE_READ_ONLY' });
  await writer.engine.close();
});
