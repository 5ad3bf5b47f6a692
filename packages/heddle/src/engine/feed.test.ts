import { describe, expect, test } from 'vitest';
import type { FeedRow, Store } from '../actor/ports.ts';
import { memoryStore } from '../hosts/memory/store.ts';
import type { FeedEvent } from '../operations/events.ts';
import { allOf, openEngine } from './engine.testsuite.ts';

const step = (id: string) => ({ id, initialNode: 'a', nodes: [{ id: 'a', action: 'work' }], transitions: [] });

async function open(store: Store = memoryStore(), onError?: (error: Error) => void) {
  const opened = await openEngine({ store, scripted: ['work'], ...(onError ? { onError } : {}) });
  for (const id of ['one', 'two']) await opened.engine.register(step(id));
  return opened;
}

const named = ({ feedId, runId, type, runWorkflow }: FeedEvent) => `${feedId} ${runId} ${type} ${runWorkflow}`;

describe('the events of all runs', () => {
  test('[FD1] come in the order of their commits, those of one run as that run tells them', async () => {
    const { engine, script, settle } = await open();
    const runs = [await engine.start('one'), await engine.start('two')];
    await settle();
    script.next('work').complete({});
    script.next('work').complete({});
    await settle();
    const all = await allOf(engine.events({ follow: false }));
    expect(all.map(({ feedId }) => feedId)).toEqual(
      all.map(({ feedId }) => feedId).toSorted((a, b) => Number(a.split('.')[0]) - Number(b.split('.')[0])),
    );
    for (const run of runs) {
      const own = await allOf(run.events());
      const found = all.filter(({ runId }) => runId === run.id);
      expect(found.map(({ feedId: _, runWorkflow: __, ...event }) => event)).toEqual(own);
    }
    const ofTwo = await allOf(engine.events({ follow: false, workflow: 'two' }));
    expect(ofTwo).toEqual(all.filter(({ runWorkflow }) => runWorkflow === 'two'));
    expect(await engine.newestEvent()).toBe(all.at(-1)?.feedId);
  });

  test('[FD3] are gone on with after any of them without a gap or a repeat', async () => {
    const { engine, settle } = await open();
    for (let count = 0; count < 3; count++) await engine.start('one');
    await settle();
    const all = (await allOf(engine.events({ follow: false }))).map(named);
    for (const [index, event] of (await allOf(engine.events({ follow: false }))).entries()) {
      const rest = await allOf(engine.events({ follow: false, after: event.feedId }));
      expect(rest.map(named)).toEqual(all.slice(index + 1));
    }
    await expect(allOf(engine.events({ after: '12' }))).rejects.toMatchObject({ code: 'EVENT_ID_INVALID' });
  });

  test('[FD3] are waited for until the engine closes or the reader has enough', async () => {
    const { engine, settle } = await open();
    const enough = new AbortController();
    const heard: string[] = [];
    const listen = async (signal?: AbortSignal) => {
      for await (const { type } of engine.events({ after: await engine.newestEvent(), ...(signal ? { signal } : {}) }))
        heard.push(type);
    };
    const reading = listen(enough.signal);
    const other = listen();
    await settle();
    await engine.start('one');
    await settle();
    const before = heard.length;
    expect(heard.filter((type) => type === 'workflow.started')).toHaveLength(2);
    enough.abort();
    await reading;
    await engine.start('two');
    await settle();
    expect(heard.slice(before).filter((type) => type === 'workflow.started')).toHaveLength(1);
    await engine.close({ graceMs: 0 });
    await other;
    await expect(allOf(engine.events())).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
  });

  test('[FD2] go on behind a row that was damaged, which is told of', async () => {
    const memory = memoryStore();
    const broken: string[] = [];
    const damaging = new Proxy(memory, {
      get(target, key: keyof Store) {
        if (key === 'readFeed')
          return async (query: Parameters<Store['readFeed']>[0]) => {
            const page = await target.readFeed(query);
            const turn = (row: FeedRow) => (row.position === 2 ? { ...row, events: '[]' } : row);
            return { ...page, rows: page.rows.map(turn) };
          };
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const { engine, settle } = await open(damaging, (error) => broken.push(error.message));
    for (let count = 0; count < 3; count++) await engine.start('one');
    await settle();
    const positions = (await allOf(engine.events({ follow: false }))).map(({ feedId }) => feedId.split('.')[0]);
    expect([...new Set(positions)]).toEqual(['1', '3']);
    expect(broken).toHaveLength(1);
    expect(broken[0]).toMatch(/^Expected journal row 1 of run .* to match its hash/);
  });

  test.each(['[]', '[{"type":', ''])(
    '[FD2] go on behind the newest row, also if it was damaged to %j',
    async (events) => {
      const memory = memoryStore();
      const readAtOnce = memory.readFeed.bind(memory);
      const { engine, settle } = await open(memory);
      await engine.start('one');
      await settle();
      const damaged = await memory.feedEnd();
      const readFeed: Store['readFeed'] = async (query) => {
        const page = await readAtOnce(query);
        return { ...page, rows: page.rows.map((row) => (row.position === damaged ? { ...row, events } : row)) };
      };
      Object.assign(memory, { readFeed });
      const after = await engine.newestEvent();
      const next = await engine.start('one');
      await settle();
      const told = await allOf(engine.events({ after, follow: false }));
      expect(new Set(told.map(({ runId }) => runId))).toEqual(new Set([next.id]));
    },
  );

  test('[VW6] a run’s own events end with a signal too', async () => {
    const { engine, settle } = await open();
    const run = await engine.start('one');
    const enough = new AbortController();
    const reading = allOf(run.events({ signal: enough.signal }));
    await settle();
    enough.abort();
    expect((await reading).length).toBeGreaterThan(0);
  });
});
