import { describe, expect, test } from 'vitest';
import { replay } from '../actor/journal.ts';
import type { RunRow, Store } from '../actor/ports.ts';
import { sideCommit } from '../actor/side-writer.ts';
import { atOnce } from '../actor/slices.ts';
import { makeSnapshot } from '../actor/stored-snapshot.ts';
import { emptyState } from '../core/apply/apply.ts';
import { memoryStore } from '../hosts/memory/store.ts';
import { openEngine } from './engine.testsuite.ts';

const line = {
  id: 'w',
  initialNode: 'a',
  nodes: [
    { id: 'a', action: 'work' },
    { id: 'b', wait: { seconds: 60 } },
  ],
  transitions: [{ from: 'a', to: 'b' }],
};

async function setAside(store: Store, runId: string): Promise<void> {
  const row: RunRow = { ...(await store.readRun(runId))!, quarantine: 'for a test', nextTimerAt: null, hasWork: false };
  await store.commit({ ...sideCommit({}), runs: [{ row, isNew: false }] });
}

async function snapshotAt(store: Store, runId: string, seq: number) {
  const rows = await store.readJournal(runId, 1, seq);
  const state = emptyState();
  replay(state, rows);
  return atOnce(makeSnapshot(store, runId, { seq, head: rows.at(-1)!.hash }, state));
}

describe('release from quarantine', () => {
  test('[RS4] a run goes on where it stood: its tasks are handed out again, its timers fire', async () => {
    const store = memoryStore();
    const first = await openEngine({ store, scripted: ['work'] });
    await first.engine.register(line);
    const [task, timer] = [await first.engine.start('w'), await first.engine.start('w')];
    await first.settle();
    first.script
      .open('work')
      .find(({ runId }) => runId === timer.id)
      ?.complete({});
    await first.settle();
    await first.engine.close({ graceMs: 0 });
    for (const { id } of [task, timer]) await setAside(store, id);

    const { engine, script, settle, advance } = await openEngine({ store, clock: first.clock, scripted: ['work'] });
    await settle();
    expect(script.open('work')).toEqual([]);
    expect((await engine.runs({ quarantined: true })).map(({ runId }) => runId)).toEqual([timer.id, task.id]);
    const replies = await Promise.all([task, task, timer].map(({ id }) => engine.run(id).release()));
    expect(replies.map(({ applied }) => applied)).toEqual([true, false, true]);
    await settle();
    script.next('work').complete({});
    await settle();
    await advance(120_000);
    for (const { id } of [task, timer]) expect(await engine.run(id).status()).toBe('completed');
    expect((await engine.audit()).problems).toEqual([]);
  });

  test('[RS4] one that still cannot be loaded is set aside again with the reason of now', async () => {
    const store = memoryStore();
    const { engine, settle } = await openEngine({ store, scripted: ['work'] });
    await engine.register(line);
    const run = await engine.start('w');
    await settle();
    await engine.close({ graceMs: 0 });
    const row = (await store.readRun(run.id))!;
    const aside: RunRow = { ...row, head: 'another', quarantine: 'before', nextTimerAt: null, hasWork: false };
    await store.commit({ ...sideCommit({}), runs: [{ row: aside, isNew: false }] });
    const second = await openEngine({ store, scripted: ['work'] });
    await expect(second.engine.run(run.id).release()).rejects.toMatchObject({ code: 'RUN_QUARANTINED' });
    const { quarantine } = await second.engine.run(run.id).summary();
    expect(quarantine).toMatch(/^Expected the journal to end with row/);
    await expect(second.engine.run('nobody').release()).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  });
});

describe('the state at an event', () => {
  test('[VW12] is what the journal up to it adds up to', async () => {
    const { engine, store, script, settle, advance } = await openEngine({ scripted: ['work'] });
    await engine.register({
      ...line,
      nodes: [{ ...line.nodes[0], outputMapping: { 'state.n': 'result.n' } }, line.nodes[1]],
    } as never);
    const run = await engine.start('w', { x: 1 });
    await settle();
    const before = await run.state();
    script.next('work').complete({ n: 5 });
    await settle();
    await advance(120_000);
    const ids: string[] = [];
    for await (const { id } of run.events()) ids.push(id);
    const states = await Promise.all(ids.map((id) => run.stateAt(id)));
    expect(states[0]).toMatchObject({ input: { x: 1 }, tokens: [], eventId: '1.0' });
    const handedOut = states.find(({ tokens }) => tokens[0]?.status === 'dispatched');
    expect(handedOut).toMatchObject({ ...before, tokens: [{ id: 1, node: 'a', attempt: 1 }] });
    expect(states.find(({ tokens }) => tokens[0]?.node === 'b')).toMatchObject({ state: { n: 5 } });
    expect(states.at(-1)).toMatchObject({ ...(await run.state()), tokens: [], groups: [] });
    await store.saveSnapshot(await snapshotAt(store, run.id, 2));
    expect(await Promise.all(ids.map((id) => run.stateAt(id)))).toEqual(states);
    await expect(run.stateAt('99.0')).rejects.toMatchObject({ code: 'EVENT_NOT_FOUND' });
    await expect(run.stateAt('1.99')).rejects.toMatchObject({ code: 'EVENT_NOT_FOUND' });
    await expect(run.stateAt('x')).rejects.toMatchObject({ code: 'EVENT_ID_INVALID' });
    await expect(engine.run('nobody').stateAt('1.0')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  });
});
