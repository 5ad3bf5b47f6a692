import { describe, expect, test } from 'vitest';
import { memoryStore } from '../hosts/memory/store.ts';
import { openEngine } from './engine.testsuite.ts';

const line = { id: 'w', timeoutMs: 5_000, initialNode: 'a', nodes: [{ id: 'a', action: 'work' }], transitions: [] };

async function open(more: object = {}) {
  const opened = await openEngine({ scripted: ['work'], ...more });
  await opened.engine.register(line);
  return opened;
}

describe('a delayed start', () => {
  test('[LC14] the run is there, waits, shows its time, and begins then; its timeout counts from there', async () => {
    const { engine, script, clock, advance } = await open();
    const at = clock.now() + 60_000;
    const [later, then] = [
      await engine.start('w', {}, { delayMs: 60_000 }),
      await engine.start('w', {}, { startAt: at }),
    ];
    await advance(59_999);
    expect(script.open('work')).toEqual([]);
    for (const run of [later, then])
      expect(await run.summary()).toMatchObject({ status: 'waiting', nextTimerAt: at, output: undefined });
    await advance(1);
    expect(script.open('work')).toHaveLength(2);
    script.next('work').complete({});
    await advance(4_999);
    expect([await later.status(), await then.status()]).toEqual(['completed', 'running']);
    await advance(1);
    expect(await then.result()).toMatchObject({
      status: 'timed_out',
      error: { message: 'Expected the run to end within 5000 ms, but it did not' },
    });
    expect((await engine.audit()).problems).toEqual([]);
  });

  test('[LC14] it survives a restart, a pause and a snapshot, and can be cancelled', async () => {
    const store = memoryStore();
    const first = await open({ store });
    const runs = [];
    for (let count = 0; count < 3; count++) runs.push(await first.engine.start('w', {}, { delayMs: 1_000 }));
    const [kept, paused, cancelled] = runs.map(({ id }) => id) as [string, string, string];
    await first.engine.run(paused).pause();
    await first.engine.run(cancelled).cancel('no more');
    const snapshot = await first.engine.run(kept).snapshot();
    const trustedSnapshotKeys = [await first.engine.snapshotKey()];
    await first.engine.close();
    const second = await open({ store, clock: first.clock });
    await second.advance(2_000);
    expect(second.script.open('work').map(({ runId }) => runId)).toEqual([kept]);
    await second.engine.run(paused).resume();
    await second.advance(1);
    expect(second.script.open('work').map(({ runId }) => runId)).toEqual([kept, paused]);
    expect(await second.engine.run(cancelled).status()).toBe('cancelled');
    const elsewhere = await open({ trustedSnapshotKeys });
    await elsewhere.engine.restore(snapshot);
    await elsewhere.advance(999);
    expect(elsewhere.script.open('work')).toEqual([]);
    await elsewhere.advance(1);
    expect(elsewhere.script.open('work')).toHaveLength(1);
  });

  test('[LC14] a time that has passed begins at once; what is no time is refused', async () => {
    const { engine, script, settle } = await open();
    await engine.start('w', {}, { startAt: 5 });
    await engine.start('w', {}, { delayMs: 0 });
    await settle();
    expect(script.open('work')).toHaveLength(2);
    const wrong = [{ delayMs: -1 }, { delayMs: 1.5 }, { startAt: -1 }, { delayMs: 1, startAt: 1 }];
    for (const options of [...wrong, { startAt: '2030' as unknown as number }])
      await expect(engine.start('w', {}, options)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    const tooLate = { code: 'LIMIT_EXCEEDED', limit: 'timeoutMsMax' };
    await expect(engine.start('w', {}, { delayMs: 9e15 })).rejects.toMatchObject(tooLate);
  });
});
