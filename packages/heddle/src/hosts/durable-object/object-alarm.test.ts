// What the alarm of an object is set for. That it wakes one is shown in workerd.

import { expect, test } from 'vitest';
import type { SqlDriver } from '../sqlite/driver.ts';
import { makeCommit, makeRun } from '../store-fixtures.testsuite.ts';
import { ObjectAlarm, watchMs } from './object-alarm.ts';
import type { ObjectStorage } from './storage.ts';

const idle = { hasWork: false };

function open(knownAt: number | null = null) {
  const set: (number | null)[] = [];
  const storage = {
    setAlarm: async (at: number) => void set.push(at),
    deleteAlarm: async () => void set.push(null),
  } as Pick<ObjectStorage, 'setAlarm' | 'deleteAlarm'> as ObjectStorage; // nothing else is asked
  const clock = { now: 1_000 };
  const alarm = new ObjectAlarm(storage, () => clock.now);
  alarm.know(knownAt);
  const commit = (run: Parameters<typeof makeRun>[1], more: Parameters<typeof makeCommit>[0] = {}) => {
    alarm.expect(makeCommit({ runs: [{ row: makeRun('run-a', run), isNew: true }], ...more }));
    alarm.set();
  };
  return { set, clock, alarm, commit };
}

/** With rows of which the earliest is due then. */
const driver = (at: number | null) => ({ prepare: () => ({ all: () => [{ at }] }) }) as unknown as SqlDriver; // no more is asked

const record = { kind: 'k', key: 'a', value: '{}', dueAt: 5_000 };

test.each([
  ['a timer', { ...idle, nextTimerAt: 9_000 }, {}, 9_000],
  ['a record that becomes due', idle, { records: [record] }, 5_000],
  ['the earliest of both', { ...idle, nextTimerAt: 9_000 }, { records: [record] }, 5_000],
  ['a task', {}, {}, 1_000 + watchMs],
  ['a record, from which more may follow', idle, { records: [{ ...record, dueAt: 90_000 }] }, 1_000 + watchMs],
  ['a message', idle, { outboxAdded: [{ id: 'm', to: 'run-b', message: '{}' }] }, 1_000 + watchMs],
])('[DO1] a commit sets it for %s', (_, run, more, at) => {
  const { set, commit } = open();
  commit(run, more);
  expect(set).toEqual([at]);
});

test.each([
  ['nothing to do', idle, {}],
  ['a record that is removed', idle, { records: [{ ...record, value: null }] }],
])('[DO1] a commit that leaves %s does not', (_, run, more) => {
  const { set, commit } = open();
  commit(run, more);
  expect(set).toEqual([]);
});

test('[DO1] one for an earlier time stays, until it has rung', () => {
  const { set, clock, commit } = open();
  commit({ ...idle, nextTimerAt: 9_000 });
  commit({ ...idle, nextTimerAt: 20_000 });
  commit({ ...idle, nextTimerAt: 8_000 });
  expect(set).toEqual([9_000, 8_000]);
  clock.now = 8_000;
  commit({ ...idle, nextTimerAt: 20_000 });
  expect(set).toEqual([9_000, 8_000, 20_000]);
});

test('[DO1] what a transaction that failed wanted is not wanted by the next', () => {
  const { set, alarm, commit } = open();
  alarm.expect(makeCommit({ records: [record] }));
  alarm.forget();
  commit({ ...idle, nextTimerAt: 9_000 });
  expect(set).toEqual([9_000]);
});

test('[DO11] a transaction that failed leaves the alarm as it was, and nothing later takes its place', () => {
  const { set, alarm, commit } = open();
  commit({ ...idle, nextTimerAt: 9_000 });
  alarm.expect(makeCommit({ records: [record] }));
  alarm.set();
  alarm.forget();
  commit({ ...idle, nextTimerAt: 20_000 });
  commit({ ...idle, nextTimerAt: 8_000 });
  expect(set).toEqual([9_000, 5_000, 8_000]);
});

test.each([
  ['that an earlier life has set stays', 9_000, []],
  ['that should have rung is not put off to the next day', 500, [1_000 + watchMs]],
])('[DO11] an alarm %s', (_, knownAt, expected) => {
  const { set, commit } = open(knownAt);
  commit({ ...idle, nextTimerAt: 86_400_000 });
  expect(set).toEqual(expected);
});

test('[DO11] while an alarm rings, nothing puts it off: it is for what is not done yet', () => {
  const { set, alarm, commit } = open();
  alarm.ring();
  alarm.know(null); // as the platform says meanwhile
  commit({ ...idle, nextTimerAt: 86_400_000 });
  expect(set).toEqual([1_000 + watchMs]);
});

test.each([
  ['what the rows say', 86_400_000, false, 86_400_000],
  ['soon, where something is at work', 86_400_000, true, 1_000 + watchMs],
  ['soon, for what is due and an engine is at', 500, false, 1_000 + watchMs],
  ['nothing, where nothing is left', null, false, null],
])('[DO4] an alarm that has rung is set anew for %s', (_, earliest, isAtWork, at) => {
  const { set, alarm } = open();
  alarm.ring();
  alarm.rearm(driver(earliest), isAtWork);
  expect(set).toEqual([at]);
});
