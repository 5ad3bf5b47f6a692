import { expect, test } from 'vitest';
import { onEveryHost } from './hosts.testsuite.ts';
import { answer, launch, register, scripted, spawn, work, workflow } from './token-engine.testsuite.ts';

onEveryHost('lists of what lies around', (host) => {
  test('[LS8][T480] sub-runs are not in the list and count of runs unless they are asked for', async () => {
    const t = await host.open(scripted);
    const { engine } = t;
    await register(engine, workflow('child', [work('a')]));
    const run = await launch(
      t,
      workflow('parent', ['begin', { id: 'call', workflow: 'child' }], [spawn('begin', 'call', 3, 'g')]),
    );
    await answer(t, 'a');
    const ids = async (query?: object) => (await engine.runs(query)).map(({ runId }) => runId);
    const all = await ids({ subRuns: true });
    expect(all).toHaveLength(4);
    expect(await ids()).toEqual([run.id]);
    expect(await ids({ status: 'completed' })).toEqual([]);
    expect(await ids({ status: 'completed', subRuns: true })).toHaveLength(1);
    expect(await ids({ workflow: 'child' })).toEqual([]);
    expect(await ids({ workflow: 'child', statuses: ['running'], subRuns: true })).toHaveLength(2);
    expect(await ids({ statuses: [] })).toEqual([]);
    expect(await ids({ status: 'running', statuses: ['completed'] })).toEqual([]);
    expect(await ids({ search: 'chi' })).toEqual([]);
    expect(await ids({ search: 'chi', subRuns: true })).toHaveLength(3);
    expect(await ids({ parentRunId: run.id })).toHaveLength(3);
    expect(await ids({ rootRunId: run.id })).toHaveLength(3);
    const pages = await engine.runPage({ subRuns: true, limit: 3 });
    const rest = await engine.runPage({ subRuns: true, limit: 3, after: pages.next as string });
    expect([...pages.runs, ...rest.runs].map(({ runId }) => runId)).toEqual(all);
    const { byStatus } = await engine.countRuns();
    expect(byStatus).toMatchObject({ waiting: 1, running: 0, completed: 0 });
    expect((await engine.countRuns({ subRuns: true })).byStatus).toMatchObject({
      waiting: 1,
      running: 2,
      completed: 1,
    });
    expect((await engine.countRuns({ workflow: 'child' })).byStatus).toMatchObject({ running: 0 });
  });

  test('[LS7] triggers and artifacts come whole, or page by page', async () => {
    const { engine } = await host.open();
    await register(engine, workflow('w', ['a']));
    for (const id of ['c', 'a', 'b']) await engine.triggers.create({ id, type: 'manual', workflow: 'w' });
    const triggers = async (page?: object) => (await engine.triggers.list(page)).map(({ id }) => id);
    expect([
      await triggers(),
      await triggers({ limit: 2 }),
      await triggers({ after: 'b' }),
      await triggers({ after: 'aa', limit: 1 }),
      await triggers({ after: 'c' }),
    ]).toEqual([['a', 'b', 'c'], ['a', 'b'], ['c'], ['b'], []]);

    for (const text of ['x', 'y', 'z']) await engine.artifacts.put(text, 'text/plain');
    const all = await engine.artifacts.list();
    expect(all).toHaveLength(3);
    expect(await engine.artifacts.list(undefined, { limit: 2 })).toEqual(all.slice(0, 2));
    expect(await engine.artifacts.list(undefined, { after: all[0]!.id, limit: 1 })).toEqual(all.slice(1, 2));
    expect(await engine.artifacts.list(undefined, { after: all[2]!.id })).toEqual([]);
  });
});
