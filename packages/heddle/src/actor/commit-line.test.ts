import { describe, expect, test } from 'vitest';
import { memoryStore } from '../hosts/memory/store.ts';
import { faultyStore, flow, openRunner, type RunnerSetting, task } from './actor.testsuite.ts';
import type { Commit, Snapshot, Store } from './ports.ts';
import { StoreError } from './store-error.ts';

const line = flow([task('a'), task('b')], [{ from: 'a', to: 'b' }]);

interface Sent {
  readonly runIds: readonly string[];
  readonly answer: () => Promise<void>;
  readonly refuse: () => Promise<void>;
}

/** A store that writes commits of runs when a test says so; what else it is asked it answers at once. */
function slowStore(store: Store = memoryStore()) {
  const sent: Sent[] = [];
  let isSlow = true;
  const port = faultyStore(store, () => false);
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const commit = (given: Commit): Promise<void> | void => {
    if (!isSlow || given.journal.length + given.runs.length === 0) return void store.commit(given);
    return new Promise((resolve, reject) => {
      const end = (work: () => void) => async (): Promise<void> => {
        work();
        await settled();
      };
      sent.push({
        runIds: [...new Set(given.journal.map(({ runId }) => runId))],
        answer: end(() => {
          void store.commit(given);
          resolve();
        }),
        refuse: end(() => reject(new StoreError('STORE_FAILED', 'the disk is on fire'))),
      });
    });
  };
  const beFast = (): void => {
    isSlow = false;
  };
  return { memory: store, store: { ...port, commit }, sent, settled, beFast };
}

async function open(setting: Omit<RunnerSetting, 'store'> = {}) {
  const slow = slowStore();
  const opened = await openRunner({ definitions: [line], ...setting, store: slow.store });
  /** The newest commit of runs on its way; everything that is due has happened. */
  const next = async (): Promise<Sent> => {
    for (let tries = 0; tries < 50; tries++) {
      await opened.clock.settle();
      await slow.settled();
    }
    return slow.sent.at(-1) as Sent;
  };
  return { ...opened, ...slow, next };
}

describe('commits on their way', () => {
  test('[RN27] the next turn is planned meanwhile, in one commit behind it, and nothing of it leaves before', async () => {
    const { start, next, sent, executor, runner, memory } = await open();
    const seen: string[] = [];
    void start('A', 'trial');
    const first = await next();
    void start('B', 'trial');
    void runner.inbox.command('A', { type: 'pause', at: 1 }).then(() => seen.push('paused'));
    await next();
    void runner.inbox.read('A', (state) => state.tokens.size).then((size) => seen.push(`has ${size}`));
    await next();
    expect([sent.map(({ runIds }) => runIds), seen, executor.tasks]).toEqual([[['A']], [], []]);
    await first.answer();
    expect([sent.map(({ runIds }) => runIds), seen]).toEqual([[['A'], ['A', 'B']], []]);
    expect(executor.tasks.map(({ runId }) => runId)).toEqual(['A']);
    expect([await memory.readRun('B'), runner.isIdle]).toEqual([null, false]);
    await (await next()).answer();
    expect(seen).toEqual(['paused', 'has 1']);
    expect(executor.tasks.map(({ runId }) => runId)).toEqual(['A', 'B']);
    expect(runner.isIdle).toBe(true);
  });

  test('[RN27] observers are told the row that was stored, not the one that was planned meanwhile', async () => {
    const told: string[] = [];
    const { start, next, runner } = await open({ onCommit: ({ row }) => told.push(`${row.status} ${row.seq}`) });
    void start('A', 'trial');
    const first = await next();
    void runner.inbox.command('A', { type: 'pause', at: 1 });
    await next();
    await first.answer();
    expect(told).toEqual(['running 1']);
    await (await next()).answer();
    expect(told).toEqual(['running 1', 'paused 2']);
  });

  test('[RN27] a batch that is full takes no more until the one before it is durable', async () => {
    const { start, next, sent } = await open({ limits: { commandsPerCommitMax: 2 } });
    void start('A', 'trial');
    const first = await next();
    for (const runId of ['B', 'C', 'D', 'E', 'F']) void start(runId, 'trial');
    await next();
    await first.answer();
    const second = await next();
    await second.answer();
    const third = await next();
    await third.answer();
    expect(sent.map(({ runIds }) => runIds.length)).toEqual([1, 2, 2, 1]);
  });

  test('[RN2] one that fails takes what was planned on it; all is tried again, in order', async () => {
    const { start, next, sent, runner, memory, beFast, settle } = await open();
    const replies: Promise<unknown>[] = [start('A', 'trial')];
    const first = await next();
    replies.push(
      start('B', 'trial'),
      ...(['pause', 'resume'] as const).map((type) => runner.inbox.command('A', { type, at: 1 })),
      runner.inbox.read('A', (state) => state.tokens.size),
    );
    await next();
    beFast();
    await first.refuse();
    await settle();
    expect(sent.map(({ runIds }) => runIds)).toEqual([['A']]);
    expect(await Promise.all(replies)).toEqual([...Array.from({ length: 4 }, () => ({ applied: true })), 1]);
    expect([(await memory.readRun('A'))?.seq, (await memory.readRun('B'))?.seq]).toEqual([3, 1]);
  });

  test('[RN2] tasks that are running here are still wanted, and are not handed out again', async () => {
    const { start, next, runner, executor, beFast, settle } = await open();
    void start('A', 'trial');
    await (await next()).answer();
    void runner.inbox.command('A', { type: 'pause', at: 1 });
    const second = await next();
    void runner.inbox.command('A', { type: 'resume', at: 1 });
    await next();
    beFast();
    await second.refuse();
    await settle();
    executor.complete(1);
    await settle();
    expect(executor.tasks.map(({ tokenId, dispatch }) => [tokenId, dispatch])).toEqual([
      [1, 1],
      [2, 1],
    ]);
  });

  test('[RN28] a run that has ended stays in memory until its end is durable', async () => {
    const { start, next, runner, store } = await open({ definitions: [flow([{ id: 'a' }])] });
    void start('A', 'trial');
    const first = await next();
    const late = runner.inbox.command('A', { type: 'pause', at: 1 });
    await next();
    expect([runner.residents.has('A'), await store.readRun('A')]).toEqual([true, null]);
    await first.answer();
    expect(await late).toMatchObject({ applied: false });
    expect(runner.residents.has('A')).toBe(false);
  });

  test('[RN28] nor does an idle one leave while a commit of it is on its way', async () => {
    const waiting = flow([{ id: 'a', wait: { seconds: 10 } }]);
    const { start, next, runner } = await open({ definitions: [waiting], limits: { idleRunsMax: 1 } });
    for (const runId of ['A', 'B']) void start(runId, 'trial');
    const first = await next();
    void runner.inbox.command('A', { type: 'pause', at: 1 });
    await next();
    await first.answer();
    expect(runner.residents.has('A')).toBe(true);
    await (await next()).answer();
    expect(runner.residents.size).toBe(1);
  });

  test('[RN28] what reads from the store a run that only the line knows waits for the line', async () => {
    const { next, runner, clock, memory, inbox } = await open();
    const graph = { workflow: 'trial', version: null, input: {}, parent: { runId: 'P', token: 1 } };
    inbox.deliver('CHILD', { type: 'cancel', reason: 'the caller is cancelled' } as never, 'm1');
    const first = await next();
    inbox.deliver('CHILD', { type: 'start', child: graph } as never, 'm2');
    await next();
    await first.answer();
    for (let i = 0; i < 3; i++) {
      await clock.settle();
      await (await next()).answer().catch(() => undefined);
    }
    expect(await memory.readRun('CHILD')).toMatchObject({ status: 'cancelled', seq: 0 });
    expect(runner.residents.has('CHILD')).toBe(false);
  });

  test('[RN29] a store that answers later is given half of what waits, so that the rest can be planned meanwhile', async () => {
    const { start, next, sent } = await open();
    void start('FIRST', 'trial');
    await (await next()).answer();
    for (let i = 0; i < 100; i++) void start(`R${i}`, 'trial');
    const half = await next();
    expect(half.runIds).toHaveLength(50);
    await half.answer();
    await next();
    expect(sent.map(({ runIds }) => runIds.length)).toEqual([1, 50, 50]);
  });

  test('[RN29] few share one commit', async () => {
    const { start, next, sent } = await open();
    void start('FIRST', 'trial');
    await (await next()).answer();
    for (let i = 0; i < 63; i++) void start(`R${i}`, 'trial');
    await next();
    expect(sent.map(({ runIds }) => runIds.length)).toEqual([1, 63]);
  });

  test('[RN30] a snapshot is made when all that was planned is durable', async () => {
    const saved: number[] = [];
    const slow = slowStore();
    const store = { ...slow.store, saveSnapshot: ({ seq }: Snapshot) => void saved.push(seq) };
    const { start, clock, runner } = await openRunner({
      store,
      definitions: [line],
      limits: { snapshotEveryBytes: 1 },
    });
    const wait = async (): Promise<void> => {
      for (let i = 0; i < 20; i++) {
        await clock.settle();
        await slow.settled();
      }
    };
    void start('A', 'trial');
    await wait();
    for (let i = 0; i < 40; i++) void runner.inbox.command('A', { type: i % 2 === 0 ? 'pause' : 'resume', at: i });
    await wait();
    await slow.sent[0]?.answer();
    await wait();
    expect(saved).toEqual([]);
    void start('B', 'trial');
    await wait();
    await slow.sent[1]?.answer();
    await wait();
    expect(saved).toEqual([41]);
  });

  test('[RN30] a run is set aside behind what was planned of it, and nothing more is planned of it', async () => {
    const { start, next, runner, executor, memory, beFast, settle } = await open();
    executor.dispatch = () => {
      throw new Error('cannot be done');
    };
    void start('BAD', 'trial');
    const first = await next();
    void runner.inbox.command('BAD', { type: 'pause', at: 1 });
    await next();
    beFast();
    await first.answer();
    await settle();
    expect(await memory.readRun('BAD')).toMatchObject({ quarantine: 'cannot be done', seq: 2 });
    await expect(runner.inbox.command('BAD', { type: 'resume', at: 2 })).rejects.toMatchObject({
      code: 'RUN_QUARANTINED',
    });
  });

  test('[RN30] no snapshot is made of a run whose newest commands were lost', async () => {
    const { start, next, runner, memory, beFast, settle } = await open({ limits: { snapshotEveryBytes: 1 } });
    void start('A', 'trial');
    await (await next()).answer();
    const commands = (count: number): void => {
      for (let i = 0; i < count; i++) void runner.inbox.command('A', { type: i % 2 === 0 ? 'pause' : 'resume', at: i });
    };
    commands(40);
    const first = await next();
    void runner.inbox.command('A', { type: 'pause', at: 41 });
    await next();
    await first.answer();
    const second = await next();
    beFast();
    await second.refuse();
    await settle();
    const stored = await memory.loadRun('A');
    expect([stored?.row.quarantine, stored?.snapshot?.seq ?? 0]).toEqual([null, 0]);
  });

  test('[RN30] a run that cannot go on is set aside before what was lost is tried again', async () => {
    const { start, next, runner, executor, memory, beFast, settle } = await open();
    executor.dispatch = () => {
      throw new Error('cannot be done');
    };
    void start('BAD', 'trial');
    const first = await next();
    const types = ['pause', 'resume'] as const;
    const lost = Promise.allSettled(types.map((type) => runner.inbox.command('BAD', { type, at: 1 })));
    await next();
    await first.answer();
    const second = await next();
    beFast();
    await second.refuse();
    await settle();
    expect(await memory.readRun('BAD')).toMatchObject({ quarantine: 'cannot be done', seq: 1 });
    expect((await lost).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(runner.residents.has('BAD')).toBe(false);
  });
});
