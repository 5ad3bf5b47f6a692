import { expect, test } from 'vitest';
import type { LocalEngine } from '../engine/local-engine.ts';
import { memoryLeases } from '../hosts/memory/leases.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { leaseMs, Ownership } from './ownership.ts';

test('[OW3] what was asked of a shard before it was lost is not answered after the lease was renewed', async () => {
  const time = new VirtualClock();
  let stoodStillMs = 0;
  const elapsed = (): number => time.now() + stoodStillMs;
  const leases = memoryLeases(1, elapsed);
  let refuse = (): void => undefined;
  const givenUp: number[] = [];
  const ownership = new Ownership({
    leases,
    clock: { ...bound(time), elapsed },
    process: 'one',
    shards: 1,
    async open(shard, refuseIfOver) {
      refuse = refuseIfOver;
      const giveUp = async (): Promise<void> => void givenUp.push(shard);
      const never = new Promise<void>(() => undefined);
      return { giveUp, whenClosed: never, close: async () => undefined } as Partial<LocalEngine> as LocalEngine; // no more is asked
    },
    beforeLeaving: async () => undefined,
    report: () => undefined,
  });
  await ownership.start();
  expect(refuse).not.toThrow();
  // It stands still, and another takes the shard; then its own alarm to renew comes before all else.
  stoodStillMs = leaseMs + 1;
  await leases.renew('other', leaseMs);
  expect(await leases.claim('other', 0)).toBe(true);
  await time.advance(1_000);
  expect(givenUp).toEqual([0]);
  expect(refuse).toThrow(expect.objectContaining({ code: 'STORE_FENCED' }));
  await ownership.close(0);
});

test('[OW3] a claim whose answer comes after the lease was over is none', async () => {
  const time = new VirtualClock();
  let stoodStillMs = 0;
  const elapsed = (): number => time.now() + stoodStillMs;
  const leases = memoryLeases(1, elapsed);
  const opened: number[] = [];
  let answer = (): void => undefined;
  const ownership = new Ownership({
    leases: {
      ...leases,
      async claim(process, shard) {
        const isGiven = await leases.claim(process, shard);
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
        return isGiven;
      },
    },
    clock: { ...bound(time), elapsed },
    process: 'one',
    shards: 1,
    open: async (shard, refuseIfOver) => {
      refuseIfOver();
      opened.push(shard);
      return {
        whenClosed: new Promise<void>(() => undefined),
        close: async () => undefined,
      } as Partial<LocalEngine> as LocalEngine; // as above
    },
    beforeLeaving: async () => undefined,
    report: () => undefined,
  });
  const starting = ownership.start();
  await time.advance(0);
  stoodStillMs = leaseMs + 1;
  await leases.renew('other', leaseMs);
  expect(await leases.claim('other', 0)).toBe(true);
  await time.advance(1_000);
  answer();
  await starting;
  expect(opened).toEqual([]);
  await ownership.close(0);
});

test('[OW3] what was asked of an engine that was fenced is not answered after that', async () => {
  const time = new VirtualClock();
  let refuse = (): void => undefined;
  let close = (): void => undefined;
  const whenClosed = new Promise<void>((resolve) => {
    close = resolve;
  });
  const ownership = new Ownership({
    leases: memoryLeases(1, () => time.now()),
    clock: bound(time),
    process: 'one',
    shards: 1,
    async open(_, refuseIfOver) {
      refuse = refuseIfOver;
      return { whenClosed, close: async () => undefined } as Partial<LocalEngine> as LocalEngine; // as above
    },
    beforeLeaving: async () => undefined,
    report: () => undefined,
  });
  await ownership.start();
  expect(refuse).not.toThrow();
  close();
  await whenClosed;
  await Promise.resolve();
  expect(refuse).toThrow(expect.objectContaining({ code: 'STORE_FENCED' }));
  await ownership.close(0);
});

test('[OW1] a shard whose lease was over when it was open, and whose engine cannot be closed in order, is claimed again', async () => {
  const time = new VirtualClock();
  let stoodStillMs = 0;
  const elapsed = (): number => time.now() + stoodStillMs;
  const reported: string[] = [];
  let opened = 0;
  const ownership = new Ownership({
    leases: memoryLeases(1, elapsed),
    clock: { ...bound(time), elapsed },
    process: 'one',
    shards: 1,
    async open() {
      opened++;
      if (opened === 1) stoodStillMs = leaseMs + 1;
      const close = async (): Promise<void> => {
        if (opened === 1) throw new Error('the store is down');
      };
      return { whenClosed: new Promise<void>(() => undefined), close } as Partial<LocalEngine> as LocalEngine; // as above
    },
    beforeLeaving: async () => undefined,
    report: ({ message }) => void reported.push(message),
  });
  await ownership.start();
  expect(reported).toEqual([expect.stringContaining('its lease is over'), 'the store is down']);
  await time.advance(1_000);
  expect(opened).toBe(2);
  await ownership.close(0);
});

test('[OW4] nobody can claim a shard before its engine has closed', async () => {
  const time = new VirtualClock();
  const leases = memoryLeases(1, () => time.now());
  let close = (): void => undefined;
  const whenClosed = new Promise<void>((resolve) => {
    close = resolve;
  });
  const ownership = new Ownership({
    leases,
    clock: bound(time),
    process: 'one',
    shards: 1,
    open: async () => ({ whenClosed, close: () => whenClosed }) as Partial<LocalEngine> as LocalEngine, // as above
    beforeLeaving: async () => undefined,
    report: () => undefined,
  });
  await ownership.start();
  const closing = ownership.close(0);
  await time.advance(1_000);
  await leases.renew('other', leaseMs);
  expect(await leases.claim('other', 0)).toBe(false);
  close();
  await closing;
  expect(await leases.claim('other', 0)).toBe(true);
});

const bound = (clock: VirtualClock) => ({
  now: () => clock.now(),
  schedule: clock.schedule.bind(clock),
  wakeAt: clock.wakeAt.bind(clock),
  defer: clock.defer.bind(clock),
  random: () => 0,
});
