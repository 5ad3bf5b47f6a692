import { expect, test } from 'vitest';
import type { CallUnderWay } from '../../packages/heddle/src/simulation/client.ts';

import { flow, go, PlannedRun, task } from '../../tests/acceptance/planning.testsuite.ts';
import { JournalCheck } from './check-journal.ts';
import { WorkerCheck } from './check-workers.ts';
import { Drawing } from './drawing.ts';
import { storedOf } from './recordings.testsuite.ts';

const definition = flow(
  [task('s'), task('a', { timeoutMs: 100 }), task('b')],
  [go('s', 'a', { siblingGroup: 'g' }), go('s', 'b', { siblingGroup: 'g' })],
);

/** Two tasks are handed out; what follows is up to the test. */
function begin() {
  const run = PlannedRun.started(definition, {});
  run.complete('s');
  const check = new JournalCheck(new Drawing(storedOf(definition)), 'run-1');
  const read = (): void => {
    while (check.facts.seq < run.rows.length) {
      const row = run.rows[check.facts.seq];
      if (row) check.feed({ seq: check.facts.seq + 1, ...row });
    }
  };
  read();
  return { run, facts: check.facts, read };
}

const process = { hasEnded: false, isZombie: false, isOpen: true };

const callOf = (tokenId: number, signal = new AbortController().signal): CallUnderWay => {
  const what = { action: 'work', runId: 'run-1', tokenId, attempt: 1, idempotencyKey: '' };
  return { ...what, at: 0, process, signal };
};

const workers = (now: number, concurrencyPerProcess = 2): WorkerCheck =>
  new WorkerCheck({ limits: { concurrencyPerProcess }, isPrompt: true, isPunctual: () => true, now: () => now });

test('no more are at work than may be; whoever was told to stop does not count (I8)', () => {
  const { facts } = begin();
  const full = workers(0, 1);
  expect(full.begin(facts, callOf(2))).toBeNull();
  expect(full.begin(facts, callOf(3))).toMatchObject({ invariant: 'I8' });
  const stopped = workers(0, 1);
  stopped.begin(facts, callOf(2, AbortSignal.abort()));
  expect(stopped.begin(facts, callOf(3))).toBeNull();
});

test('whose work is no longer wanted is told to stop (I42)', () => {
  const { run, facts, read } = begin();
  expect(workers(0).end(facts, callOf(3))).toBeNull();
  run.send({ type: 'cancel', reason: 'enough' });
  read();
  expect(workers(0).end(facts, callOf(3))).toMatchObject({ invariant: 'I42' });
  expect(workers(0).end(facts, callOf(3, AbortSignal.abort()))).toBeNull();
});

test('nobody works for longer than the node allows (I27)', () => {
  const { facts } = begin();
  expect(workers(100).end(facts, callOf(2))).toBeNull();
  expect(workers(101).end(facts, callOf(2))).toMatchObject({ invariant: 'I27' });
  expect(workers(101).end(facts, callOf(3))).toBeNull();
});
