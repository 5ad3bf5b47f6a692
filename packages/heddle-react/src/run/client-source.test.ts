import type { Actions, JsonObject } from 'heddle';
import { type RunningServer, serve } from 'heddle/server';
import { WireClient } from 'heddle/wire';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ClientSource, eventsKeptMax } from './client-source.ts';
import type { RunReading } from './run-source.ts';

/** Lets the tasks of `hold` finish; they wait until somebody does. */
let finishHeld: () => void = () => undefined;
const actions: Actions = {
  echo: ({ input }) => input,
  hold: () =>
    new Promise<null>((resolve) => {
      finishHeld = () => resolve(null);
    }),
};

/** Some task, then a branch for each of so many. */
const definition: JsonObject = {
  id: 'grows',
  initialNode: 'first',
  nodes: [
    { id: 'first', action: 'hold' },
    { id: 'each', action: 'echo', inputMapping: { n: 'item' } },
  ],
  transitions: [{ from: 'first', to: 'each', foreach: { collection: 'input.items', itemVar: 'item' } }],
};

let server: RunningServer;
beforeAll(async () => {
  server = await serve({ port: 0, store: 'memory', actions });
  await server.engine.register(definition);
});
afterAll(() => server.close({ graceMs: 0 }));

const start = (items: number) => server.engine.start('grows', { items: Array.from({ length: items }, (_, n) => n) });

/** Follows it for as long as the test runs. */
function follow(runId: string): {
  source: ClientSource;
  until: (is: (reading: RunReading) => boolean) => Promise<RunReading>;
} {
  const source = new ClientSource(new WireClient({ url: server.url }), runId);
  const waiting = new Set<() => void>();
  onTestFinished(source.subscribe(() => waiting.forEach((look) => look())));
  const until = (is: (reading: RunReading) => boolean): Promise<RunReading> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!is(source.read())) return;
        waiting.delete(look);
        resolve(source.read());
      };
      waiting.add(look);
      look();
    });
  return { source, until };
}

describe('a run on a server', () => {
  test('is followed live, to its end; every event is kept', async () => {
    const run = await start(3);
    const { until } = follow(run.id);
    const early = await until(({ phase }) => phase === 'ready');
    expect(early.figures?.nodes.map(({ status }) => status)).toEqual(['running', 'idle']);
    finishHeld();
    const last = await until(({ connection }) => connection === 'closed');
    const events = [];
    for await (const event of run.events()) events.push(event);
    expect(last.events).toEqual(events);
    expect(last.run?.status).toBe('completed');
  });

  test('a moment that was asked for before anything was there is shown', async () => {
    const run = await start(2);
    finishHeld();
    await run.result();
    const { source, until } = follow(run.id);
    source.moveTo(2);
    expect(await until(({ phase }) => phase === 'ready')).toMatchObject({ moment: 2, isLive: false });
  });

  test('one that becomes too long while it is open is no longer kept; its moments are its commits', async () => {
    const run = await start(eventsKeptMax / 4);
    const { source, until } = follow(run.id);
    await until(({ phase }) => phase === 'ready');
    finishHeld();
    const large = await until(({ isLarge, connection }) => isLarge && connection === 'closed');
    expect(large).toMatchObject({ events: [], fold: null, isLive: true });
    expect(large.figures?.events).toBeGreaterThan(eventsKeptMax);
    source.moveTo(1);
    const first = await until(({ figures }) => figures?.eventId?.startsWith('1.') === true);
    expect(first).toMatchObject({ moment: 1, isLive: false, length: large.length });
    source.moveTo('live');
    expect(source.read().figures).toEqual(large.figures);
  });

  test('one that is not there is said', async () => {
    const { until } = follow('no-such-run');
    expect((await until(({ error }) => error !== null)).error).toMatchObject({ code: 'RUN_NOT_FOUND' });
  });
});
