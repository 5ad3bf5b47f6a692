import { afterEach, describe, expect, test } from 'vitest';
import { Placement } from '../actor/mail/placement.ts';
import type { Store } from '../actor/ports.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { ShardPeer } from '../engine/peers.ts';
import { memoryStore } from '../hosts/memory/store.ts';
import { createTestEngine, type TestEngine } from '../testing/test-engine.ts';

const opened: TestEngine[] = [];
afterEach(async () => {
  for (const { engine } of opened.splice(0)) await engine.close({ graceMs: 0 });
});

const claim = {
  id: 'claim',
  initialNode: 'turn',
  nodes: [{ id: 'turn', wait: { event: 'turn', correlation: 'input.k', once: true, since: 'any' } }],
  transitions: [],
} as const;

const placement = new Placement(0, 2);
/** A word whose events are in shard 0. */
const k = ['a', 'b', 'c', 'd', 'e'].find((word) => placement.ofEvent('turn', word) === 0) ?? '';

/** An engine on two stores, whose shard 0 asks runs of shard 1 in vain, or is not answered. */
async function open(stores: readonly Store[], cut: 'nothing' | 'request' | 'answer', before?: TestEngine) {
  const way: { cut: typeof cut } = { cut };
  const errors: unknown[] = [];
  const wire = (peer: ShardPeer): ShardPeer => ({
    ...peer,
    async command(...args) {
      if (way.cut === 'request') throw new HeddleError('CUT', 'the request was lost');
      const reply = await peer.command(...args);
      if (way.cut === 'answer') throw new HeddleError('CUT', 'the answer was lost');
      return reply;
    },
  });
  const t = await createTestEngine({
    stores,
    wire,
    ...(before ? { clock: before.clock } : {}),
    onError: (error) => errors.push(error),
  });
  opened.push(t);
  const codes = (): unknown[] => errors.splice(0).map((error) => (error as HeddleError).code);
  return { ...t, way, codes };
}

/** So many runs in shard 1 that wait. */
async function startInOther({ engine, settle }: TestEngine, count: number) {
  await engine.register(claim);
  const keys = Array.from({ length: 20 }, (_, n) => `k${n}`).filter((key) => placement.ofKey('start', key) === 1);
  const starts = keys.slice(0, count).map((key) => engine.start('claim', { k }, { idempotencyKey: key }));
  const runs = await Promise.all(starts);
  await settle();
  return runs.map(({ id }) => id);
}

const claims = async ([home]: readonly Store[]) => (await home?.listRecords('event-claim', { limit: 10 }))?.length;

describe('[EW17] a claim of a run that was deleted', () => {
  test('is removed by the next engine, if the run has taken the event', async () => {
    const stores = [memoryStore(), memoryStore()];
    const first = await open(stores, 'answer');
    const [taker = ''] = await startInOther(first, 1);
    await first.engine.publish('turn', {}, { correlation: k });
    await first.settle();
    await first.engine.run(taker).delete();
    await first.settle();
    expect([await claims(stores), first.codes()]).toEqual([1, ['CUT']]);
    await first.engine.close();
    const next = await open(stores, 'nothing', first);
    await next.settle();
    expect([await claims(stores), next.codes()]).toEqual([0, []]);
  });

  test('does not keep the event from others, if the run has not taken it', async () => {
    const stores = [memoryStore(), memoryStore()];
    const first = await open(stores, 'request');
    const [holder = '', other = ''] = (await startInOther(first, 2)).toSorted();
    await first.engine.publish('turn', {}, { correlation: k });
    await first.settle();
    await first.engine.run(holder).cancel();
    await first.engine.run(holder).delete();
    await first.settle();
    first.codes();
    await first.engine.close();
    const next = await open(stores, 'nothing', first);
    await next.settle();
    expect([await next.engine.run(other).status(), await claims(stores), next.codes()]).toEqual(['completed', 0, []]);
  });
});
