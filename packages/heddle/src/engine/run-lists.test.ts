import { describe, expect, test } from 'vitest';
import { openEngine } from './engine.testsuite.ts';

const step = { id: 'orders', initialNode: 'a', nodes: [{ id: 'a', action: 'work' }], transitions: [] };

async function open() {
  const opened = await openEngine({ scripted: ['work'] });
  await opened.engine.register(step);
  const ids: string[] = [];
  for (let count = 0; count < 7; count++) {
    ids.unshift((await opened.engine.start('orders', {}, { tags: { n: String(count % 2) } })).id);
    await opened.advance(10);
  }
  await opened.engine.run(ids[3] as string).cancel();
  return { ...opened, ids };
}

describe('lists of runs', () => {
  test('[LS9] what each run is doing, of those that have not ended, if it is asked for', async () => {
    const { engine, ids, script, settle } = await open();
    await engine.register({
      id: 'ask',
      initialNode: 'a',
      nodes: [{ id: 'a', input: { title: 'Well?' } }],
      transitions: [],
    });
    await engine.start('ask');
    script.next('work').complete();
    await settle();
    const listed = await engine.runs({ activity: true });
    expect(listed.map(({ activity }) => activity?.text)).toEqual([
      'waits for a reply at "a" ("Well?")',
      ...ids.map((_, index) => (index === 3 || index === 6 ? undefined : 'runs "a"')),
    ]);
    expect(listed[0]?.activity).toMatchObject({ kind: 'prompt', node: 'a', until: null });
    expect((await engine.runs()).map(({ activity }) => activity)).toEqual(listed.map(() => undefined));
  });

  test('[LS9] of the first fifty, not of more', async () => {
    const { engine, settle } = await openEngine({ scripted: ['work'] });
    await engine.register(step);
    for (let count = 0; count < 52; count++) await engine.start('orders');
    await settle();
    const { runs } = await engine.runPage({ activity: true, limit: 60 });
    expect(runs.map(({ activity }) => activity !== undefined)).toEqual(runs.map((_, index) => index < 50));
  });

  test('[LS1] pages go on with their cursor, or with the id of the last run, until there is none', async () => {
    const { engine, ids } = await open();
    const first = await engine.runPage({ limit: 3 });
    expect(first.runs.map(({ runId }) => runId)).toEqual(ids.slice(0, 3));
    const second = await engine.runPage({ limit: 3, after: first.next! });
    expect(second.runs.map(({ runId }) => runId)).toEqual(ids.slice(3, 6));
    const byId = await engine.runPage({ limit: 3, after: ids[2]! });
    expect(byId).toEqual(second);
    const last = await engine.runPage({ limit: 3, after: second.next! });
    expect([last.runs.map(({ runId }) => runId), last.next]).toEqual([ids.slice(6), null]);
  });

  test('[LS1] every filter holds: statuses, times, tags, a search', async () => {
    const { engine, ids, clock } = await open();
    const list = async (query: object) => (await engine.runs(query)).map(({ runId }) => runId);
    expect(await list({ statuses: ['cancelled', 'failed'] })).toEqual([ids[3]]);
    expect(await list({ status: 'running', statuses: ['cancelled'] })).toEqual([]);
    expect(await list({ createdAfter: clock.now() - 20 })).toEqual(ids.slice(0, 2));
    expect(await list({ createdBefore: clock.now() - 60 })).toEqual(ids.slice(6));
    expect(await list({ search: 'ord', tags: { n: '1' } })).toEqual(ids.filter((_, index) => index % 2 === 1));
    expect(await list({ search: ids[4] })).toEqual([ids[4]]);
    expect(await list({ quarantined: true })).toEqual([]);
    await expect(list({ after: 'nobody' })).rejects.toMatchObject({ code: 'CURSOR_INVALID' });
  });

  test('[LS3] a cursor that nobody made is refused, and so is a status that is none', async () => {
    const { engine } = await open();
    await expect(engine.runPage({ after: 'nobody' })).rejects.toMatchObject({ code: 'CURSOR_INVALID' });
    await expect(engine.runPage({ statuses: ['done'] })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    await expect(engine.runPage({ statuses: {} as string[] })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });

  test('[LS5] runs are counted by status', async () => {
    const { engine } = await open();
    const { byStatus, quarantined, more } = await engine.countRuns();
    expect([byStatus['running'], byStatus['cancelled'], byStatus['failed'], quarantined, more]).toEqual([
      6,
      1,
      0,
      0,
      [],
    ]);
    expect((await engine.countRuns({ workflow: 'other' })).byStatus['running']).toBe(0);
  });
});

describe('definitions', () => {
  test('[DV9] are handed out as they were registered, and registered again are the same version', async () => {
    const { engine } = await open();
    const other = {
      ...step,
      nodes: [
        { id: 'a', action: 'work' },
        { id: 'b', action: 'work' },
      ],
    };
    await engine.register({ ...other, transitions: [{ from: 'a', to: 'b' }] });
    const first = await engine.definition('orders', 1);
    expect(first).toMatchObject({ id: 'orders', version: 1 });
    expect(await engine.register(first.definition as never)).toMatchObject({
      version: 1,
      hash: first.hash,
      isNew: false,
    });
    expect((await engine.definition('orders')).version).toBe(2);
    await expect(engine.definition('orders', 9)).rejects.toMatchObject({ code: 'WORKFLOW_NOT_FOUND' });
    expect((await engine.definitions({ limit: 1 })).map(({ version }) => version)).toEqual([1]);
    expect((await engine.definitions({ after: 'orders@1', id: 'orders' })).map(({ version }) => version)).toEqual([2]);
    await expect(engine.definitions({ after: 'orders' })).rejects.toMatchObject({ code: 'CURSOR_INVALID' });
  });
});
