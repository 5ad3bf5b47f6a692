import { describe, expect, test } from 'vitest';
import { memoryStore } from '../hosts/memory/store.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { faultyStore, flow, openRunner, task } from './actor.testsuite.ts';
import type { Commit, JournalRow } from './ports.ts';

class CountingClock extends VirtualClock {
  deferred = 0;

  override defer(callback: () => void): void {
    this.deferred++;
    super.defer(callback);
  }
}

const line = flow([task('a'), task('b')], [{ from: 'a', to: 'b' }]);
const eventsOf = (rows: readonly JournalRow[]) =>
  rows.flatMap(({ events }) => (JSON.parse(events) as { type: string }[]).map(({ type }) => type));

describe('a turn', () => {
  test('[RN5] nothing leaves before its commit: no reply, no task', async () => {
    const seen: string[] = [];
    let isOpen = false;
    let open = () => {};
    const promise = new Promise<void>((resolve) => {
      open = resolve;
    });
    const memory = memoryStore();
    const slow = faultyStore(memory, () => false);
    const store = {
      ...slow,
      commit: async (commit: Commit) => {
        if (commit.journal.length > 0 && !isOpen) await promise;
        await slow.commit(commit);
        if (commit.journal.length > 0) seen.push('commit');
      },
    };
    const { executor, clock, start, settle } = await openRunner({ store, definitions: [line] });
    const started = start('R1', 'trial').then(() => seen.push('reply'));
    await clock.settle();
    expect([seen, executor.tasks, await memory.readRun('R1')]).toEqual([[], [], null]);
    isOpen = true;
    open();
    await started;
    await settle();
    expect(seen).toEqual(['commit', 'reply']);
    expect(executor.tasks).toHaveLength(1);
  });

  test.each([
    { isIdle: false, turns: 66, deferred: 66 },
    { isIdle: true, turns: 66, deferred: 2 },
  ])('[RN12] a turn waits for company unless nobody is on the way: %o', async ({ isIdle, turns, deferred }) => {
    const clock = new CountingClock();
    const { runner, executor, start } = await openRunner({ clock, definitions: [line] });
    await start('R1', 'trial');
    executor.isIdle = isIdle;
    clock.deferred = 0;
    for (let turn = 0; turn < turns; turn++) {
      const type = turn % 2 === 0 ? 'pause' : 'resume';
      await runner.inbox.command('R1', { type, at: turn });
    }
    expect(clock.deferred).toBe(deferred);
  });

  test('[RN12] commands that come together share a commit', async () => {
    const commits: number[] = [];
    const memory = memoryStore();
    const store = faultyStore(memory, ({ journal }) => journal.length > 0 && commits.push(journal.length) < 0);
    const { executor, start, settle } = await openRunner({ store, definitions: [line] });
    executor.isIdle = true;
    await Promise.all(['A', 'B', 'C'].map((runId) => start(runId, 'trial')));
    for (const handedOut of executor.tasks.slice(0, 3))
      executor.answerTask(handedOut, { type: 'completed', output: {} });
    await settle();
    expect(commits).toEqual([3, 3]);
  });

  test('[RN19] a turn that has done enough leaves the rest to the next, in their order', async () => {
    const commits: string[][] = [];
    const memory = memoryStore();
    const store = faultyStore(memory, ({ journal }) => {
      if (journal.length > 0) commits.push(journal.map(({ runId }) => runId));
      return false;
    });
    const l = Array.from({ length: 150 }, (_, index) => index);
    const heavy = flow([{ id: 'a', outputMapping: { 'state.n': 'size(input.l.map(x, input.l.map(y, x + y)))' } }]);
    const clock = new CountingClock();
    const { executor, start, settle } = await openRunner({ clock, store, definitions: [heavy] });
    executor.isIdle = true;
    clock.deferred = 0;
    await Promise.all(['A', 'B', 'C', 'D', 'E', 'F', 'G'].map((runId) => start(runId, 'trial', { input: { l } })));
    await settle();
    expect(commits.flat()).toEqual(['A', 'B', 'C', 'D', 'E', 'F', 'G']);
    expect(commits.every((runIds) => runIds.length <= 6)).toBe(true);
    expect(clock.deferred).toBeGreaterThan(0);
  });

  test('[RN20] what a command leaves to do is done by the next, also after a crash', async () => {
    const store = memoryStore();
    const fan = flow([{ id: 's' }, task('w')], [{ from: 's', to: 'w', spawnCount: 40 }]);
    const setting = { store, definitions: [fan], limits: { spawnWindow: 3, commandCostMax: 4_000 } };
    const whole = await openRunner({ definitions: [fan], limits: setting.limits });
    await whole.start('R1', 'trial');
    await whole.settle();
    expect(whole.executor.tasks).toHaveLength(40);

    let commits = 0;
    const dying = faultyStore(store, ({ journal }) => journal.length > 0 && ++commits > 1);
    const first = await openRunner({ ...setting, store: dying });
    await first.start('R1', 'trial');
    expect(first.executor.tasks.length).toBeLessThan(10);
    const second = await openRunner(setting);
    await second.settle();
    expect(new Set(second.executor.tasks.map(({ tokenId }) => tokenId)).size).toBe(40);
  });

  test('[RN20] also if nothing of the run was handed out', async () => {
    const store = memoryStore();
    const nodes = [{ id: 's' }, { id: 'w', wait: { seconds: 1_000 } }];
    const fan = flow(nodes, [{ from: 's', to: 'w', spawnCount: 40 }]);
    const setting = { store, definitions: [fan], limits: { spawnWindow: 3, commandCostMax: 4_000 } };
    let commits = 0;
    const dying = faultyStore(store, ({ journal }) => journal.length > 0 && ++commits > 1);
    await (await openRunner({ ...setting, store: dying })).start('R1', 'trial');
    const { runner, settle } = await openRunner(setting);
    await settle();
    const read = runner.inbox.read('R1', ({ tokens }) => tokens.size);
    await settle();
    expect(await read).toBe(40);
  });

  test('[RN6] one key for all attempts and hand-outs of a task', async () => {
    const retried = flow([task('a', { retry: { maxAttempts: 3, initialDelayMs: 10 } })]);
    const first = await openRunner({ definitions: [retried] });
    await first.start('R1', 'trial', { keyRunId: 'ORIGINAL' });
    first.executor.answer(1, {
      type: 'failed',
      failure: { code: 'X', message: 'x' },
      retryable: true,
      retryAfterMs: null,
      retry: null,
    });
    await first.settle();
    await first.advance(10);
    const second = await openRunner({ store: first.store, clock: first.clock });
    await second.settle();
    const tasks = [...first.executor.tasks, ...second.executor.tasks];
    expect(tasks.map(({ attempt, dispatch, idempotencyKey }) => [attempt, dispatch, idempotencyKey])).toEqual([
      [1, 1, 'ORIGINAL/1'],
      [2, 2, 'ORIGINAL/1'],
      [2, 3, 'ORIGINAL/1'],
    ]);
  });

  test('[RN10] a mailbox that is full refuses more, and names the limit', async () => {
    const { runner, start, settle } = await openRunner({ definitions: [line], limits: { mailboxMax: 2 } });
    await start('R1', 'trial');
    const replies = [1, 2, 3].map(() => runner.inbox.wake('R1'));
    await expect(replies[2]).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED', limit: 'mailboxMax' });
    await settle();
    await expect(Promise.all(replies.slice(0, 2))).resolves.toHaveLength(2);
  });

  test('[RN11] an observer that throws hurts nobody, and is told to onError', async () => {
    const errors: string[] = [];
    const { executor, start, settle, store } = await openRunner({
      definitions: [line],
      onEvent: (event) => {
        throw new Error(`cannot see ${event.type} ${event.id}`);
      },
      onError: (error) => {
        errors.push(error.message);
        throw new Error('nor this');
      },
    });
    await start('R1', 'trial');
    executor.complete(1);
    await settle();
    expect((await store.readRun('R1'))?.seq).toBe(2);
    expect(errors.slice(0, 3)).toEqual([
      'cannot see workflow.started 1.0',
      'cannot see token.created 1.1',
      'cannot see task.dispatched 1.2',
    ]);
  });
});

describe('faults', () => {
  test('[RN1] a run that cannot be loaded is set aside with its reason; the others go on', async () => {
    const errors: string[] = [];
    const first = await openRunner({ definitions: [line] });
    await first.start('BAD', 'trial');
    await first.start('GOOD', 'trial');
    const store = {
      ...faultyStore(first.store, () => false),
      loadRun: async (runId: string) => {
        const stored = await first.store.loadRun(runId);
        return stored && runId === 'BAD'
          ? { ...stored, journal: stored.journal.map((row) => ({ ...row, events: '[]' })) }
          : stored;
      },
    };
    const second = await openRunner({
      store,
      clock: first.clock,
      onError: (error, { runId }) => errors.push(`${runId}: ${error.message}`),
    });
    await second.settle();
    second.executor.complete(1);
    await second.settle();
    expect(second.executor.tasks.map(({ runId }) => runId)).toEqual(['GOOD', 'GOOD']);
    const row = await store.readRun('BAD');
    const changed =
      'Expected journal row 1 to match its hash, but it was changed. Put a backup of the store in its place.';
    expect(row).toMatchObject({
      quarantine: changed,
      hasWork: false,
      nextTimerAt: null,
    });
    expect(errors).toEqual([`BAD: ${changed}`]);
    await expect(second.runner.inbox.command('BAD', { type: 'cancel', at: 0, reason: '' })).rejects.toMatchObject({
      code: 'RUN_QUARANTINED',
    });
  });

  test('[RN1] a run that asks for what cannot be done is set aside, and the others go on', async () => {
    const errors: string[] = [];
    const { executor, start, settle, store } = await openRunner({
      definitions: [line],
      onError: (error, { runId }) => errors.push(`${runId}: ${error.message}`),
    });
    const dispatch = executor.dispatch.bind(executor);
    executor.dispatch = (handedOut) => {
      if (handedOut.runId === 'BAD') throw new Error('cannot be done');
      dispatch(handedOut);
    };
    await start('BAD', 'trial');
    await start('GOOD', 'trial');
    executor.complete(1);
    await settle();
    expect(await store.readRun('BAD')).toMatchObject({ quarantine: 'cannot be done', hasWork: false });
    expect(await store.readRun('GOOD')).toMatchObject({ quarantine: null, seq: 2 });
    expect(errors).toEqual(['BAD: cannot be done']);
  });

  test('[RN1] asking for a run that is not there only answers with an error', async () => {
    const errors: unknown[] = [];
    const { runner } = await openRunner({ onError: (error) => errors.push(error) });
    await expect(runner.inbox.command('NOBODY', { type: 'pause', at: 0 })).rejects.toMatchObject({
      code: 'RUN_NOT_FOUND',
    });
    expect(errors).toEqual([]);
  });

  test('[RN1] a look that throws harms nothing', async () => {
    const { runner, executor, start, settle, store } = await openRunner({ definitions: [line] });
    await start('R1', 'trial');
    const look = runner.inbox.read('R1', () => {
      throw new Error('a bug in whoever looks');
    });
    await expect(look).rejects.toThrow('a bug in whoever looks');
    executor.complete(1);
    await settle();
    expect(await store.readRun('R1')).toMatchObject({ quarantine: null, seq: 2 });
  });

  test('[RN2] if a commit fails, its commands are tried one by one: one that cannot be committed hurts only its own run', async () => {
    const memory = memoryStore();
    const store = faultyStore(memory, ({ journal }) => journal.some(({ runId, seq }) => runId === 'POISON' && seq > 1));
    const { executor, start, settle } = await openRunner({ store, definitions: [line] });
    for (const runId of ['A', 'POISON', 'B']) await start(runId, 'trial');
    for (const handedOut of executor.tasks.slice(0, 3))
      executor.answerTask(handedOut, { type: 'completed', output: {} });
    await settle();
    expect(
      [await memory.readRun('A'), await memory.readRun('B'), await memory.readRun('POISON')].map((row) => row?.seq),
    ).toEqual([2, 2, 1]);
  });

  test('[RN2] commands of one run keep their order when a commit fails', async () => {
    const memory = memoryStore();
    let failures = 0;
    const store = faultyStore(memory, ({ journal }) => journal.some(({ seq }) => seq > 1) && failures++ < 2);
    const { runner, start, advance } = await openRunner({ store, definitions: [line] });
    await start('R1', 'trial');
    const replies = [
      runner.inbox.command('R1', { type: 'pause', at: 0 }),
      runner.inbox.command('R1', { type: 'resume', at: 0 }),
      runner.inbox.command('R1', { type: 'cancel', at: 0, reason: 'done' }),
    ];
    await advance(1_000);
    expect(await Promise.all(replies)).toEqual([{ applied: true }, { applied: true }, { applied: true }]);
    expect(eventsOf(await memory.readJournal('R1', 2, 10))).toEqual([
      'workflow.paused',
      'workflow.unpaused',
      'tokens.cancelled',
      'workflow.cancelled',
    ]);
  });

  test('[RN3] a store that fails for a while is tried again, and the sender hears nothing of it', async () => {
    const memory = memoryStore();
    let failures = 0;
    const store = faultyStore(memory, ({ journal }) => journal.length > 0 && failures++ < 3);
    const { start, clock, executor } = await openRunner({ store, definitions: [line] });
    const started = start('R1', 'trial');
    await clock.advance(2_000);
    await expect(started).resolves.toEqual({ applied: true });
    expect(executor.tasks).toHaveLength(1);
    expect(failures).toBe(4);
  });

  test('[RN3] after a few times the sender is told, and nothing was done', async () => {
    const errors: unknown[] = [];
    const store = faultyStore(memoryStore(), ({ journal }) => journal.length > 0);
    const { start, clock, executor } = await openRunner({
      store,
      definitions: [line],
      onError: (error) => errors.push(error.message),
    });
    const started = expect(start('R1', 'trial')).rejects.toThrow('the disk is on fire');
    await clock.advance(10_000);
    await started;
    expect([executor.tasks, errors]).toEqual([[], ['the disk is on fire']]);
  });
});

describe('recovery', () => {
  test('[RN4] what was under way when the host went away is handed out again, with the next dispatch', async () => {
    const first = await openRunner({ definitions: [line] });
    await first.start('R1', 'trial');
    const second = await openRunner({ store: first.store, clock: first.clock });
    await second.settle();
    expect(second.executor.tasks).toMatchObject([{ runId: 'R1', tokenId: 1, attempt: 1, dispatch: 2 }]);
    first.executor.complete(1, { zombie: true });
    second.executor.complete(1);
    await second.settle();
    expect(eventsOf(await second.store.readJournal('R1', 2, 10))).toEqual([
      'tasks.lost',
      'task.dispatched',
      'task.completed',
      'token.completed',
      'token.created',
      'task.dispatched',
    ]);
  });

  test('[RN9] whatever a crash left undone is found again: messages, tasks, timers', async () => {
    const first = await openRunner({
      definitions: [line, { ...flow([{ id: 'w', wait: { seconds: 60 } }]), id: 'nap' }],
    });
    await first.start('TASK', 'trial');
    await first.start('NAP', 'nap');
    const { clock, store } = first;
    const child = {
      workflow: 'trial',
      version: null,
      input: {},
      parent: { runId: 'PARENT', token: 1 },
      rootRunId: 'PARENT',
    };
    const message = {
      type: 'start',
      child: { ...child, depth: 1, nodeBudget: 100, descendantBudget: 10, trace: false },
    };
    const left = { id: '1', to: 'CHILD', message: JSON.stringify(message) };
    await store.commit({ runs: [], journal: [], outboxAdded: [left], outboxDone: [], keys: [], records: [] });

    const second = await openRunner({ store, clock });
    await second.settle();
    expect(second.executor.tasks.map(({ runId }) => runId).toSorted()).toEqual(['CHILD', 'TASK']);
    expect((await store.pageRuns({ limit: 10, parentRunId: 'PARENT' })).rows).toHaveLength(1);
    expect(await store.readOutbox(null, 10)).toEqual([]);
    await second.advance(60_000);
    expect(await store.readRun('NAP')).toMatchObject({ status: 'completed' });
  });
});
