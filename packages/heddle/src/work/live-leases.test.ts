import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { Lease } from './lease.ts';
import { LiveLeases } from './live-leases.ts';

const facts = {
  nodeId: 'n',
  action: 'a',
  worker: 'w',
  leasedAt: 0,
  timeoutMs: 0,
  payloadBytesMax: 1,
  jsonDepthMax: 1,
};

function openLeases() {
  const clock = new VirtualClock();
  const due: number[] = [];
  const live = new LiveLeases({
    clock,
    onDue: ({ dispatch }) => void due.push(dispatch),
    onManyStale: () => undefined,
  });
  const lease = (dispatch: number, expiresAt = clock.now() + 1_000) =>
    new Lease({ runId: 'r', tokenId: 1, dispatch }, facts, expiresAt, null);
  const stale = () => live.takeRemovals().map(({ key }) => key);
  return { clock, live, lease, stale, due };
}

describe('records that could not be removed', () => {
  test('[WK20] are removed later', () => {
    const { live, lease, stale } = openLeases();
    const first = lease(1);
    live.add(first);
    live.drop(first);
    const removals = live.takeRemovals();
    expect(stale()).toEqual([]);
    live.putBackRemovals(removals);
    expect(stale()).toEqual(['r/1']);
  });

  test('[WK20] stay if the token has been given out again meanwhile', () => {
    const { live, lease, stale } = openLeases();
    const first = lease(1);
    live.add(first);
    live.drop(first);
    const removals = live.takeRemovals();
    live.add(lease(2));
    live.putBackRemovals(removals);
    expect(stale()).toEqual([]);
  });

  test('[WK20] stay if a lease has run out meanwhile of which its run has not heard', () => {
    const { live, lease, stale } = openLeases();
    const [first, second] = [lease(1), lease(2)];
    live.add(first);
    live.drop(first);
    const removals = live.takeRemovals();
    live.add(second);
    live.lapse(second);
    live.putBackRemovals(removals);
    expect(stale()).toEqual([]);
    live.settle(second);
    expect(stale()).toEqual(['r/1']);
  });
});

describe('what is over', () => {
  test('[WK20] is counted no more, and rings no more', async () => {
    const { clock, live, lease, due } = openLeases();
    const first = lease(1);
    live.add(first);
    expect([live.size, live.countOfAction('a'), live.countOfWorker('w')]).toEqual([1, 1, 1]);
    live.drop(first);
    live.drop(first);
    expect([live.size, live.countOfAction('a'), live.countOfWorker('w')]).toEqual([0, 0, 0]);
    await clock.advance(2_000);
    expect([due, clock.nextAt]).toEqual([[], null]);
  });

  test('[WK5] is over at its time, and not at the time that it had before it was extended', async () => {
    const { clock, live, lease, due } = openLeases();
    const first = lease(1);
    live.add(first);
    first.expiresAt += 1_000;
    live.arm(first);
    await clock.advance(1_999);
    expect(due).toEqual([]);
    await clock.advance(1);
    expect(due).toEqual([1]);
  });

  test('[TS10] a hand-out is unclaimed unless somebody has it, or had it and its run has not heard', () => {
    const { live, lease } = openLeases();
    const first = lease(2);
    const isUnclaimed = (dispatch: number) => live.isUnclaimed({ runId: 'r', tokenId: 1, dispatch });
    expect(isUnclaimed(2)).toBe(true);
    live.add(first);
    expect([isUnclaimed(2), isUnclaimed(3)]).toEqual([false, true]);
    live.lapse(first);
    expect([isUnclaimed(2), isUnclaimed(3)]).toEqual([false, true]);
    live.settle(first);
    expect(isUnclaimed(2)).toBe(true);
  });
});
