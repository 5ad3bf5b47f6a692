import { describe, expect, test } from 'vitest';
import { flow, openRunner, task } from './actor.testsuite.ts';

const nap = {
  ...flow(
    [task('a'), { id: 'w', wait: { seconds: 60 } }, task('b')],
    [
      { from: 'a', to: 'w' },
      { from: 'w', to: 'b' },
    ],
  ),
  id: 'nap',
};

describe('runs in memory', () => {
  test('[RS1] a run in quarantine is not touched', async () => {
    const { runner, store, start } = await openRunner({ definitions: [nap] });
    await start('R1', 'nap');
    runner.residents.forget('R1');
    const row = await store.readRun('R1');
    if (!row) throw new Error('Expected the run to be stored');
    await store.commit({
      runs: [{ row: { ...row, quarantine: 'smells' }, isNew: false }],
      journal: [],
      outboxAdded: [],
      outboxDone: [],
      keys: [],
      records: [],
    });
    await expect(runner.residents.load('R1')).rejects.toMatchObject({
      code: 'RUN_QUARANTINED',
      message: 'Expected a healthy run, but R1 is in quarantine: smells',
    });
  });

  test('[RS2] a run with tasks stays; one that only waits stays while there is room; one that has ended leaves', async () => {
    const { runner, executor, start, settle, advance } = await openRunner({
      definitions: [nap],
      limits: { idleRunsMax: 2 },
    });
    const ids = ['R1', 'R2', 'R3', 'R4', 'R5'];
    for (const runId of ids) await start(runId, 'nap');
    expect(runner.residents.size).toBe(5);
    for (const handedOut of executor.tasks.slice(0, 4))
      executor.answerTask(handedOut, { type: 'completed', output: {} });
    await settle();
    expect(runner.residents.size).toBe(3);
    await advance(60_000);
    expect(
      executor.tasks
        .slice(5)
        .map(({ runId, nodeId }) => `${runId}/${nodeId}`)
        .toSorted(),
    ).toEqual(['R1/b', 'R2/b', 'R3/b', 'R4/b']);
    for (const handedOut of executor.tasks.slice(5)) executor.answerTask(handedOut, { type: 'completed', output: {} });
    await settle();
    expect(runner.residents.size).toBe(1);
  });

  test('[RS2] looking at many runs does not keep them in memory', async () => {
    const { runner, executor, start, settle } = await openRunner({ definitions: [nap], limits: { idleRunsMax: 2 } });
    for (let n = 0; n < 8; n++) await start(`R${n}`, 'nap');
    for (const handedOut of executor.tasks) executor.answerTask(handedOut, { type: 'completed', output: {} });
    await settle();
    for (let n = 0; n < 8; n++) await runner.inbox.read(`R${n}`, (state) => state.lastToken);
    await settle();
    expect(runner.residents.size).toBeLessThanOrEqual(2);
  });

  test('[RS3] a snapshot is written once the events since the last one outweigh it', async () => {
    const loop = flow(
      [task('a', { outputMapping: { 'state.last': 'result' } })],
      [{ from: 'a', to: 'a', loop: { maxIterations: 20 } }],
    );
    const { runner, store, executor, start, settle } = await openRunner({ definitions: [loop] });
    await start('R1', 'trial');
    const seqs: number[] = [];
    for (let n = 1; n <= 6; n++) {
      executor.complete(n, 'x'.repeat(400_000));
      await settle();
      seqs.push((await store.loadRun('R1'))?.snapshot?.seq ?? 0);
    }
    expect(seqs).toEqual([0, 0, 4, 4, 4, 7]);
    runner.residents.forget('R1');
    await runner.inbox.wake('R1');
    await settle();
    expect(executor.tasks.at(-1)).toMatchObject({ tokenId: 7, dispatch: 2 });
  });

  test('[RS3] live tokens put it off: a snapshot of many is larger than what it saves', async () => {
    const fan = flow([task('a'), task('b')], [{ from: 'a', to: 'b', spawnCount: 100, siblingGroup: 'all' }]);
    const { store, executor, start, settle } = await openRunner({
      definitions: [fan],
      limits: { snapshotEveryBytes: 4_000 },
    });
    await start('R1', 'trial');
    executor.complete(1, {});
    await settle();
    const rows = await store.readJournal('R1', 1, 100);
    expect(rows.reduce((sum, { events }) => sum + events.length, 0)).toBeGreaterThan(4_000);
    expect((await store.loadRun('R1'))?.snapshot).toBeNull();
    executor.complete(2, 'x'.repeat(60_000));
    await settle();
    expect((await store.loadRun('R1'))?.snapshot?.seq).toBe(3);
  });

  test('[RS3] the first row counts as a snapshot, also when the run is loaded', async () => {
    const loop = flow(
      [task('a', { outputMapping: { 'state.last': 'result' } })],
      [{ from: 'a', to: 'a', loop: { maxIterations: 20 } }],
    );
    const { runner, store, executor, start, settle } = await openRunner({ definitions: [loop] });
    await start('R1', 'trial', { input: { list: 'x'.repeat(1_500_000) } });
    const seqs: number[] = [];
    for (let n = 1; n <= 7; n++) {
      executor.complete(n, 'x'.repeat(300_000));
      await settle();
      seqs.push((await store.loadRun('R1'))?.snapshot?.seq ?? 0);
      runner.residents.forget('R1');
      await runner.inbox.wake('R1');
      await settle();
    }
    // Each result is in its row twice: 3.0 MB, twice the first row, are reached by the fifth. Each wake adds a row.
    expect(seqs).toEqual([0, 0, 0, 0, 10, 10, 10]);
  });
});
