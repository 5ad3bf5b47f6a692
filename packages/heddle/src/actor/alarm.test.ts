import { describe, expect, test } from 'vitest';
import { memoryStore } from '../hosts/memory/store.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { faultyStore, flow, openRunner, task } from './actor.testsuite.ts';
import { Alarm } from './alarm.ts';

const nap = (seconds: number) => ({ ...flow([{ id: 'w', wait: { seconds } }]), id: `nap${seconds}` });

describe('alarms', () => {
  test('[RN7] timers are in the rows of their runs: they fire at or after their time, in order, even if every alarm is lost', async () => {
    const first = await openRunner({ definitions: [nap(5), nap(3), nap(90)] });
    await first.start('LATE', 'nap5');
    await first.start('EARLY', 'nap3');
    await first.start('LONG', 'nap90');
    expect(await first.store.nextAlarmAt()).toBe(first.clock.now() + 3_000);
    await first.advance(2_999);
    expect((await first.store.readRun('EARLY'))?.status).toBe('waiting');
    await first.advance(1);
    expect((await first.store.readRun('EARLY'))?.status).toBe('completed');
    await first.runner.close(0);
    await first.clock.advance(60_000);
    const second = await openRunner({ store: first.store, clock: first.clock });
    await second.settle();
    expect((await second.store.readRun('LATE'))?.status).toBe('completed');
    expect((await second.store.readRun('LONG'))?.status).toBe('waiting');
    await second.advance(60_000);
    expect((await second.store.readRun('LONG'))?.status).toBe('completed');
  });

  test('[RN7] a timer that is set while the alarm looks around is not missed', async () => {
    const memory = memoryStore();
    let answer = () => {};
    let isSlow = false;
    const plain = faultyStore(memory, () => false);
    const store = {
      ...plain,
      nextAlarmAt: async () => {
        const at = await plain.nextAlarmAt();
        if (isSlow) await new Promise<void>((resolve) => (answer = resolve));
        return at;
      },
    };
    const opened = await openRunner({ store, definitions: [nap(5), nap(3)] });
    await opened.start('EARLY', 'nap3');
    isSlow = true;
    await opened.advance(3_000);
    await opened.start('LATE', 'nap5');
    isSlow = false;
    answer();
    await opened.settle();
    await opened.advance(5_000);
    expect((await memory.readRun('LATE'))?.status).toBe('completed');
  });

  test('[RN7] a run that is due by mistake is woken once a second, and holds nobody up', async () => {
    const plain = faultyStore(memoryStore(), () => false);
    let looks = 0;
    const store = {
      ...plain,
      dueRuns: async (at: number, limit: number) => {
        if (++looks > 1_000) throw new Error('looked without a pause');
        return [...(await plain.dueRuns(at, limit)), 'LONG'];
      },
      nextAlarmAt: () => 0,
    };
    const { start, advance } = await openRunner({ store, definitions: [nap(90), nap(3)] });
    await start('LONG', 'nap90');
    await start('EARLY', 'nap3');
    looks = 0;
    await advance(10_000);
    expect((await store.readRun('EARLY'))?.status).toBe('completed');
    expect(looks).toBeLessThan(30);
    await advance(80_000);
    expect((await store.readRun('LONG'))?.status).toBe('completed');
  });

  test('[RN7] a store that fails when the alarm looks does not end all alarms', async () => {
    const memory = memoryStore();
    let failures = 0;
    const errors: string[] = [];
    const plain = faultyStore(memory, () => false);
    const store = {
      ...plain,
      dueRuns: (at: number, limit: number) => {
        if (failures-- > 0) throw new Error('not now');
        return plain.dueRuns(at, limit);
      },
    };
    const { start, advance } = await openRunner({
      store,
      definitions: [nap(3), flow([task('a')])],
      onError: (error) => errors.push(error.message),
    });
    await start('R1', 'nap3');
    failures = 1;
    await advance(3_000);
    expect(errors).toEqual(['not now']);
    await advance(60_000);
    expect((await memory.readRun('R1'))?.status).toBe('completed');
  });

  /** Runs that are due as often as they say, and what becomes of waking them. */
  function dueOften(often: Readonly<Record<string, number>>, wake: (runId: string) => unknown) {
    const clock = new VirtualClock();
    const left = new Map(Object.entries(often));
    const woken: string[] = [];
    const due = () => [...left].filter(([, times]) => times > 0).map(([runId]) => runId);
    const rows = { dueRuns: due, nextAlarmAt: () => (due().length > 0 ? clock.now() : null) };
    const wakeOne = async (runId: string) => {
      woken.push(runId);
      await wake(runId);
      left.set(runId, (left.get(runId) ?? 0) - 1);
    };
    const alarm = new Alarm(clock, rows, wakeOne, () => undefined);
    return { alarm, clock, woken };
  }

  test('[RN7] a run that cannot be woken makes no other wait: what is due again at once is woken at once', async () => {
    const { alarm, clock, woken } = dueOften({ BROKEN: 1, LONG: 3 }, (runId) => {
      if (runId === 'BROKEN') throw new Error('not now');
    });
    alarm.look();
    await clock.settle();
    expect(woken.filter((runId) => runId === 'LONG')).toHaveLength(3);
    expect(clock.nextAt).toBe(clock.now() + 1_000);
  });

  test('[RN7] when no run can be woken, it is tried once a second', async () => {
    const { alarm, clock, woken } = dueOften({ A: 1, B: 1 }, () => {
      throw new Error('not now');
    });
    alarm.look();
    await clock.advance(2_500);
    expect(woken).toEqual(['A', 'B', 'A', 'B', 'A', 'B']);
  });

  test('[RN25] what is set aside is not waited for', async () => {
    const { start, settle, clock, runner, store } = await openRunner({ definitions: [nap(90)] });
    await start('R1', 'nap90');
    expect(clock.nextAt).toBe(clock.now() + 90_000);
    const command = { type: 'nonsense', at: clock.now() } as never;
    await runner.inbox.command('R1', command).catch(() => undefined);
    await settle();
    expect((await store.readRun('R1'))?.quarantine).not.toBe(null);
    expect(clock.nextAt).toBe(null);
  });
});
