// Shards that move while one of them needs another: what it owes is done by the next owner.

import { expect, test } from 'vitest';
import { HeddleError } from '../base/heddle-error.ts';
import type { ShardPeer } from '../engine/peers.ts';
import { memoryStore } from '../hosts/memory/store.ts';
import { createTestEngine } from '../testing/test-engine.ts';

const elsewhere = () => Promise.reject(new HeddleError('SHARD_ELSEWHERE', 'Expected an owner, but there is none now'));

/** A fleet in which every second call of this kind finds no owner. */
async function open(name: 'fire' | 'command') {
  let calls = 0;
  let refused = 0;
  const wire = (peer: ShardPeer): ShardPeer => ({
    ...peer,
    [name]: (...args: readonly unknown[]) => {
      if (calls++ % 2 === 0) return refused++, elsewhere();
      return (peer[name] as (...all: readonly unknown[]) => Promise<unknown>)(...args);
    },
  });
  const opened = await createTestEngine({ stores: [memoryStore(), memoryStore()], wire });
  return { ...opened, refused: () => refused };
}

const pass = (id: string) => ({ id, initialNode: 'n', nodes: [{ id: 'n' }] });

test('[TR18] [OW5] what a trigger is to start in a shard that moves is started by its next owner', async () => {
  const { engine, settle, advance, refused } = await open('fire');
  await engine.register(pass('heard'));
  await engine.triggers.create({ id: 't', type: 'event', event: 'paid', workflow: 'heard' });
  for (let n = 0; n < 8; n++) await engine.publish('paid', { n });
  await settle();
  await advance(60_000);
  expect(refused()).toBeGreaterThan(0);
  expect(await engine.runs()).toHaveLength(8);
});

test('[EW10] [OW5] an event for a run in a shard that moves is handed over by its next owner', async () => {
  const { engine, settle, advance, refused } = await open('command');
  await engine.register({
    id: 'asks',
    initialNode: 'w',
    nodes: [{ id: 'w', wait: { event: 'paid', correlation: 'input.c' } }],
  });
  for (let n = 0; n < 8; n++) await engine.start('asks', { c: `${n}` });
  await settle();
  for (let n = 0; n < 8; n++) await engine.publish('paid', {}, { correlation: `${n}` });
  await advance(60_000);
  expect(refused()).toBeGreaterThan(0);
  expect((await engine.runs()).map(({ status }) => status)).toEqual(Array(8).fill('completed'));
});
