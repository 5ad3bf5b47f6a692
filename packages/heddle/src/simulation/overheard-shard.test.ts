import { expect, test } from 'vitest';
import { closedError } from '../actor/refusals.ts';
import { StoreError } from '../actor/store-error.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { peerLike } from '../fleet/peer-like.ts';
import type { Shard } from '../fleet/shards.ts';
import { overheardShard } from './overheard-shard.ts';

const refusal = new HeddleError('RUN_NOT_FOUND', 'there is none');

/** What it throws, if anything, it throws always. */
function begin(error: Error | null = null) {
  const say = (): Promise<never> => (error ? Promise.reject(error) : Promise.resolve({} as never)); // nobody looks at it
  const owned = {
    peer: peerLike(() => say),
    perform: say,
    waitForEnd: say,
    newestEvent: say,
    pendingDeliveries: say,
    async *read() {
      yield await say();
      yield await say();
    },
    get absence() {
      return error;
    },
  } as unknown as Shard; // no more of it is asked
  let heard = 0;
  const shard = overheardShard(owned, () => heard++);
  const askAll = () =>
    Promise.allSettled([
      shard.perform('getRun', { runId: 'r' }),
      shard.waitForEnd('r'),
      shard.newestEvent(),
      shard.pendingDeliveries(),
      shard.peer.knownWork(),
    ]);
  return { shard, askAll, heard: () => heard };
}

test.each([
  ['an answer', null, 5],
  ['a refusal', refusal, 5],
  ['that it is not the owner any more', new StoreError('STORE_FENCED', 'another is'), 0],
  ['that it is closed', closedError(), 0],
])('whatever is said of a shard is noticed: %s', async (_, error, expected) => {
  const { shard, askAll, heard } = begin(error);
  await askAll();
  expect(heard()).toBe(expected);
  expect(shard.absence).toBe(error);
});

test('and each event of a stream, as it leaves', async () => {
  const { shard, heard } = begin();
  const events = shard.read('streamEvents', {}, {});
  for (const expected of [1, 2]) {
    await events.next();
    expect(heard()).toBe(expected);
  }
});
