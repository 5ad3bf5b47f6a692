import { describe, expect, test } from 'vitest';
import type { JournalRow, Store } from '../actor/ports.ts';
import { sideCommit } from '../actor/side-writer.ts';
import { memoryStore } from '../hosts/memory/store.ts';
import { auditStore } from './audit.ts';
import { openEngine } from './engine.testsuite.ts';

const fan = {
  id: 'w',
  initialNode: 's',
  nodes: [{ id: 's' }, { id: 'a', action: 'core.echo', inputMapping: { i: '_branch.index' } }, { id: 'j' }],
  transitions: [
    { from: 's', to: 'a', spawnCount: 3, siblingGroup: 'g' },
    {
      from: 'a',
      to: 'j',
      synchronization: { siblingGroup: 'g', strategy: 'all', merge: { target: 'output.all', strategy: 'append' } },
    },
  ],
};
const filled = async () => {
  const store = memoryStore();
  const { engine, settle } = await openEngine({ store, scripted: ['never'] });
  await engine.register(fan);
  await engine.register({ id: 'open', initialNode: 'a', nodes: [{ id: 'a', action: 'never' }] });
  const run = await engine.start('w');
  const waiting = await engine.start('open');
  await settle();
  return { store, run, waiting };
};
/** A store as it would be with damaged rows. */
const damaged = (store: Store, change: (row: JournalRow) => JournalRow | null): Store =>
  new Proxy(store, {
    get(target, name: keyof Store) {
      if (name === 'readJournal') {
        return async (runId: string, fromSeq: number, limit: number) =>
          (await target.readJournal(runId, fromSeq, limit)).flatMap((row) => change(row) ?? []);
      }
      const value = target[name];
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

describe('the audit', () => {
  test('[AU1] every journal replays, its chain is intact, and it gives the stored state', async () => {
    const { store } = await filled();
    const { runs, rows, problems } = await auditStore(store);
    expect([runs, problems]).toEqual([2, []]);
    expect(rows).toBeGreaterThan(2);
  });

  test('[KP5] a run that is deleted while it is looked at is no problem', async () => {
    const { store } = await filled();
    const fleeting = new Proxy(store, {
      get(target, name: keyof Store) {
        if (name === 'loadRun')
          return async (runId: string) => {
            await target.deleteRuns({ runIds: [runId], records: [] });
            return target.loadRun(runId);
          };
        const value = target[name];
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    expect(await auditStore(fleeting)).toMatchObject({ runs: 2, problems: [] });
    expect(await auditStore(store)).toMatchObject({ runs: 0, problems: [] });
  });

  test('[AU1] a list of runs that begins again is found, and does not keep the audit from its end', async () => {
    const { store } = await filled();
    const astray = new Proxy(store, {
      get(target, name: keyof Store) {
        if (name === 'pageRuns') return async () => ({ rows: [], next: { createdAt: 5, runId: 'R1' } });
        const value = target[name];
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    expect((await auditStore(astray)).problems).toEqual([
      { runId: 'R1', message: expect.stringContaining('Expected runs in the order of their age') },
    ]);
  });

  test('[AU2] what the store finds damaged is told, once for each run', async () => {
    const { store, run } = await filled();
    const found = [
      { runId: null, message: 'a page is broken' },
      { runId: run.id, message: 'its row was changed' },
    ];
    const broken = damaged(store, () => null);
    const { problems } = await auditStore(
      new Proxy(broken, { get: (target, name: keyof Store) => (name === 'findDamage' ? () => found : target[name]) }),
    );
    expect(problems.slice(0, 2)).toEqual(found);
    expect(problems.filter(({ runId }) => runId === run.id)).toHaveLength(1);
    const unreadable = new Proxy(store, {
      get: (target, name: keyof Store) => {
        if (name === 'findDamage') throw new Error('no such page');
        const value = target[name];
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    expect((await auditStore(unreadable)).problems).toEqual([{ runId: null, message: 'no such page' }]);
  });

  test('[TC11] a trace of no run, and of a row that no journal has, are found; one that is being removed is not', async () => {
    const { store } = await filled();
    const { engine, settle } = await openEngine({ store, scripted: ['never'] });
    const run = await engine.start('w', {}, { trace: true });
    await settle();
    const { seq = 0 } = (await store.readRun(run.id)) ?? {};
    expect((await auditStore(store)).problems).toEqual([]);
    const [row] = await store.listRecords('trace', { limit: 1 });
    const writeRow = (key: string) =>
      store.commit(sideCommit({ records: [{ ...row, kind: 'trace', key, value: row?.value ?? null, dueAt: null }] }));
    await writeRow(`${run.id}/${String(seq + 1).padStart(15, '0')}`);
    await writeRow('01ARZ3NDEKTSV4RRFFQ69G5FAV/000000000000001');
    await writeRow('no run at all');
    const lost = 'Expected a trace to belong to a run, but there is no such run';
    expect((await auditStore(store)).problems).toEqual([
      { runId: '01ARZ3NDEKTSV4RRFFQ69G5FAV', message: lost },
      { runId: run.id, message: `Expected a trace of at most ${seq} rows, but it has row ${seq + 1}` },
    ]);
    const going = { kind: 'deletion', key: '01ARZ3NDEKTSV4RRFFQ69G5FAV', value: '{}', dueAt: 1 };
    await store.commit(sideCommit({ records: [going] }));
    expect((await auditStore(store)).problems).toHaveLength(1);
  });

  test('[AU1] a changed, a missing and a cut-off row are found, each with its run', async () => {
    const { store, run, waiting } = await filled();
    const changed = await auditStore(
      damaged(store, (row) => ({ ...row, events: row.events.replace('token.created', 'token.forged') })),
    );
    const message =
      'Expected journal row 1 to match its hash, but it was changed. Put a backup of the store in its place.';
    // Newest first.
    expect(changed.problems).toEqual([waiting.id, run.id].map((runId) => ({ runId, message })));
    const missing = await auditStore(damaged(store, (row) => (row.seq === 1 ? null : row)));
    expect(missing.problems).toHaveLength(2);
    const cut = await auditStore(damaged(store, (row) => (row.seq > 1 ? null : row)));
    expect(cut.problems.map(({ runId }) => runId)).toEqual([run.id]);
  });
});
