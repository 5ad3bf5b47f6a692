// What the alarm of an object is set for. That it wakes one is shown in workerd.

import { expect, test } from 'vitest';
import { makeCommit, makeRun } from '../store-fixtures.testsuite.ts';
import { ObjectAlarm, watchMs } from './object-alarm.ts';
import type { ObjectStorage } from './storage.ts';

const idle = { hasWork: false };

function open() {
  const set: number[] = [];
  const storage = {
    setAlarm: async (at: number) => void set.push(at),
  } as Pick<ObjectStorage, 'setAlarm'> as ObjectStorage; // nothing else is asked
  const clock = { now: 1_000 };
  const alarm = new ObjectAlarm(storage, () => clock.now);
  const commit = (run: Parameters<typeof makeRun>[1], more: Parameters<typeof makeCommit>[0] = {}) => {
    alarm.expect(makeCommit({ runs: [{ row: makeRun('run-a', run), isNew: true }], ...more }));
    alarm.set();
  };
  return { set, clock, alarm, commit };
}

const record = { kind: 'k', key: 'a', value: '{}', dueAt: 5_000 };

test.each([
  ['a timer', { ...idle, nextTimerAt: 9_000 }, {}, 9_000],
  ['a record that becomes due', idle, { records: [record] }, 5_000],
  ['the earliest of both', { ...idle, nextTimerAt: 9_000 }, { records: [record] }, 5_000],
  ['a task', {}, {}, 1_000 + watchMs],
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
  const { set, clock, alarm, commit } = open();
  commit({ ...idle, nextTimerAt: 9_000 });
  commit({ ...idle, nextTimerAt: 20_000 });
  commit({ ...idle, nextTimerAt: 8_000 });
  expect(set).toEqual([9_000, 8_000]);
  clock.now = 8_100;
  commit({ ...idle, nextTimerAt: 20_000 });
  expect(set).toEqual([9_000, 8_000]);
  alarm.know(null);
  commit({ ...idle, nextTimerAt: 20_000 });
  expect(set).toEqual([9_000, 8_000, 20_000]);
});

test('[DO1] one that should have rung long ago is set anew, for now', () => {
  const { set, clock, commit } = open();
  commit({ ...idle, nextTimerAt: 9_000 });
  clock.now = 60_000;
  commit({ ...idle, nextTimerAt: 90_000 });
  expect(set).toEqual([9_000, 60_000]);
});

test('[DO1] what a transaction that failed wanted is not wanted by the next', () => {
  const { set, alarm, commit } = open();
  alarm.expect(makeCommit({ records: [record] }));
  alarm.forget();
  commit({ ...idle, nextTimerAt: 9_000 });
  expect(set).toEqual([9_000]);
});
