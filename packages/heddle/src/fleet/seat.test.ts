import { describe, expect, test } from 'vitest';
import type { Publication } from '../actor/event-hub.ts';
import { closedError } from '../actor/refusals.ts';
import { StoreError } from '../actor/store-error.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { peerLike } from './peer-like.ts';
import { Seat } from './seat.ts';
import type { Shard } from './shards.ts';

/** A shard whose owner here answers with an error, and whose next one starts runs. */
function begin(error: Error) {
  const clock = new VirtualClock();
  let asked = 0;
  const elsewhere = {
    perform: () => {
      asked++;
      return Promise.resolve({ runId: 'r' });
    },
  } as unknown as Shard; // it is asked for no more
  const seat = new Seat({ clock, elsewhere, isClosed: () => false });
  const here = {
    perform: () => {
      seat.leave(here);
      return Promise.reject(error);
    },
  } as unknown as Shard; // as above
  seat.enter(here);
  const start = async (idempotencyKey?: string): Promise<unknown> => {
    const request = { workflow: 'w', input: {}, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) };
    const [answer] = await Promise.allSettled([seat.perform('startRun', request), clock.advance(1_000)]);
    return answer.status === 'fulfilled' ? asked : (answer.reason as { readonly code: string }).code; // as it is given
  };
  return start;
}

const fenced = new StoreError('STORE_FENCED', 'another process owns it');

describe('[OW5] what a shard is asked while it moves', () => {
  test('what may have been done is asked again only where that changes nothing', async () => {
    expect(await begin(fenced)('key')).toBe(1);
    expect(await begin(fenced)()).toBe('STORE_FENCED');
  });

  test('an event that may have been published is published again only if it has an id', async () => {
    const clock = new VirtualClock();
    const published = Promise.resolve({ id: 'e' });
    const elsewhere = { peer: peerLike(() => () => published) } as unknown as Shard; // it is asked for no more
    const publish = async (id?: string): Promise<unknown> => {
      const seat = new Seat({ clock, elsewhere, isClosed: () => false });
      const here = {
        peer: peerLike(() => () => {
          seat.leave(here);
          return Promise.reject(fenced);
        }),
      } as unknown as Shard; // as above
      seat.enter(here);
      const publication = { event: 'paid', payload: null, at: 0, ...(id === undefined ? {} : { id }) };
      const publishing = seat.peer.publish(publication as unknown as Publication, { runId: null, depth: 0 }); // no more of it is looked at
      const [answer] = await Promise.allSettled([publishing, clock.advance(1_000)]);
      return answer.status === 'fulfilled' ? answer.value : (answer.reason as { readonly code: string }).code; // as it is given
    };
    expect(await publish('e')).toEqual({ id: 'e' });
    expect(await publish()).toBe('STORE_FENCED');
  });

  test('what was certainly not done is asked again', async () => {
    expect(await begin(closedError())('key')).toBe(1);
    expect(await begin(closedError())()).toBe(1);
  });

  test('what was refused is not asked again', async () => {
    expect(await begin(new StoreError('STORE_FAILED', 'it cannot be reached'))('key')).toBe('STORE_FAILED');
  });
});
