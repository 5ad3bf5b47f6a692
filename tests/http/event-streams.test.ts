// Live events over real sockets: they are the journal, wherever a reader begins, breaks off and goes on.

import { expect, test } from 'vitest';
import { problemIn } from './problems.testsuite.ts';
import { eventually, greeting, type Served, served } from './server.testsuite.ts';
import { type Reader, readEvents, type Sent } from './sse.testsuite.ts';

const ids = (sent: readonly Sent[]): readonly (string | null)[] => sent.map(({ id }) => id);
const isEnd = ({ name }: Sent): boolean => name === 'end';

/** Greets twice, and then asks. */
const asking = {
  id: 'asking',
  initialNode: 'first',
  nodes: [
    { id: 'first', action: 'core.echo' },
    { id: 'second', action: 'core.echo' },
    { id: 'ask', input: true },
  ],
  transitions: [
    { from: 'first', to: 'second' },
    { from: 'second', to: 'ask' },
  ],
};

async function opened(options: Parameters<typeof served>[0] = {}): Promise<Served> {
  const server = await served(options);
  if (options.store !== undefined) return server;
  await server.client.register(greeting);
  await server.client.register(asking);
  return server;
}

const streamOf = ({ url }: Served, runId: string): string => `${url}/v1/runs/${runId}/events/stream`;

/** The ids of a run's journal. */
async function journal(server: Served, runId: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { id } of server.engine.run(runId).events({ follow: false })) found.push(id);
  return found;
}

async function greeted(server: Served, name = 'Ada'): Promise<string> {
  const run = await server.client.start('greeting', { name });
  await run.result();
  return run.id;
}

/** A run that has gone as far as it can until it is answered. */
async function waiting(server: Served): Promise<string> {
  const run = await server.client.start('asking');
  const reader = await readEvents(streamOf(server, run.id));
  await reader.until(({ data }) => data['type'] === 'token.created' && data['node'] === 'ask');
  reader.leave();
  await server.engine.whenIdle();
  return run.id;
}

test('[SE1] the stream of a run is its journal, from the beginning to the end, and says that it is the end', async () => {
  const server = await opened();
  const runId = await greeted(server);
  const reader = await readEvents(streamOf(server, runId));
  expect(reader.response.headers.get('content-type')).toBe('text/event-stream');
  expect(reader.response.headers.get('cache-control')).toBe('no-store');
  const sent = await reader.rest();
  expect(ids(sent)).toEqual([...(await journal(server, runId)), null]);
  expect(sent.at(-1)).toEqual({ id: null, name: 'end', data: {} });
  expect(sent.at(0)?.data).toMatchObject({ type: 'workflow.started', runId, id: '1.0' });
});

test('[SE1] a reader that goes on after any event gets what follows it, without gap or repeat', async () => {
  const server = await opened();
  const runId = await greeted(server);
  const all = await journal(server, runId);
  for (const [index, id] of all.slice(0, -1).entries()) {
    const byHeader = await readEvents(streamOf(server, runId), { 'last-event-id': id });
    expect(ids(await byHeader.rest())).toEqual([...all.slice(index + 1), null]);
    const byQuery = await readEvents(`${streamOf(server, runId)}?after=${id}`);
    expect(ids(await byQuery.rest())).toEqual([...all.slice(index + 1), null]);
  }
});

test('[SE1] a reader that breaks off goes on live, over a restart of the server on the same file', async () => {
  const server = await opened();
  const runId = await waiting(server);
  const first = await readEvents(streamOf(server, runId));
  const before = [await first.next(), await first.next()];
  first.leave();
  await server.close();
  const again = await opened({ store: server.store });
  const second = await readEvents(streamOf(again, runId), { 'last-event-id': before[1]?.id ?? '' });
  const [prompt] = await again.client.run(runId).prompts();
  await again.client.run(runId).reply(prompt?.correlationId ?? '', 1);
  const after = await second.rest();
  expect([...before, ...after].map((sent) => sent?.id)).toEqual([...(await journal(again, runId)), null]);
});

test('[SE1] the client goes on by itself when the server is started again', async () => {
  const server = await opened();
  const runId = await waiting(server);
  const read: string[] = [];
  const reading = (async () => {
    for await (const { id } of server.client.run(runId).events()) read.push(id);
  })();
  const before = await journal(server, runId);
  await eventually(() => expect(read).toEqual(before));
  await server.close();
  const again = await opened({ store: server.store, port: Number(new URL(server.url).port) });
  const [prompt] = await again.client.run(runId).prompts();
  await again.client.run(runId).reply(prompt?.correlationId ?? '', 1);
  await reading;
  expect(read).toEqual(await journal(again, runId));
});

test('[SE5] whoever comes back to a run that has ended and has had everything is told not to come back', async () => {
  const server = await opened();
  const runId = await greeted(server);
  const last = (await journal(server, runId)).at(-1) ?? '';
  const back = await readEvents(streamOf(server, runId), { 'last-event-id': last });
  expect(back.response.status).toBe(204);
  const events = [];
  for await (const event of server.client.run(runId).events({ after: last })) events.push(event);
  expect(events).toEqual([]);
  // One that has not ended may be waited for after its last event.
  const other = await waiting(server);
  const lastOfOther = (await journal(server, other)).at(-1) ?? '';
  expect((await readEvents(streamOf(server, other), { 'last-event-id': lastOfOther })).response.status).toBe(200);
});

test('[SE6] an id that is none, or of what was never committed, is refused before anything is streamed', async () => {
  const server = await opened();
  const runId = await greeted(server);
  const all = `${server.url}/v1/events/stream`;
  const live = await waiting(server);
  await eventually(() => expect(server.streams.count).toBe(0));
  for (const id of ['x', '1', '1.', '-1.0', '1.0.0', '9'.repeat(20)])
    for (const url of [streamOf(server, runId), streamOf(server, live), all]) {
      const { response } = await readEvents(url, { 'last-event-id': id });
      expect(await problemIn(response)).toMatchObject({ status: 400, code: 'EVENT_ID_INVALID' });
    }
  const { response } = await readEvents(all, { 'last-event-id': '999999.0' });
  expect(await problemIn(response)).toMatchObject({ status: 400, code: 'CURSOR_INVALID' });
  expect((await readEvents(streamOf(server, 'nobody'))).response.status).toBe(404);
  expect(server.streams.count).toBe(0);
});

/** Feed ids of all events that there are, by pages. */
async function feed({ url }: Served, where = ''): Promise<readonly string[]> {
  const found: string[] = [];
  for (let after = ''; ; ) {
    const page = (await (await fetch(`${url}/v1/events?limit=7${where}${after}`)).json()) as {
      readonly items: readonly { readonly feedId: string }[];
      readonly next: string | null;
    };
    found.push(...page.items.map(({ feedId }) => feedId));
    if (page.next === null) return found;
    after = `&after=${page.next}`;
  }
}

test('[SE2] the stream of all runs is their journals in the order of commits, and goes on after any of them', async () => {
  const server = await opened();
  for (const name of ['Ada', 'Eve', 'Kay']) await greeted(server, name);
  const all = await feed(server);
  const read = async (after: string, count: number): Promise<readonly Sent[]> => {
    const reader = await readEvents(`${server.url}/v1/events/stream?after=${after}`);
    let left = count;
    const sent = await reader.until(() => --left === 0);
    reader.leave();
    return sent;
  };
  expect(ids(await read('start', all.length))).toEqual(all);
  for (const index of [0, 1, 5, all.length - 2])
    expect(ids(await read(all[index] ?? '', all.length - index - 1))).toEqual(all.slice(index + 1));
});

test('[SE2] without a place to go on from, a stream of all runs begins now', async () => {
  const server = await opened();
  await greeted(server);
  const reader = await readEvents(`${server.url}/v1/events/stream`);
  const runId = await greeted(server, 'Eve');
  expect((await reader.next())?.data).toMatchObject({ type: 'workflow.started', runId, workflow: 'greeting' });
});

test('[SE2] the stream of a workflow has the events of its runs alone, and goes on over a restart', async () => {
  const server = await opened();
  await waiting(server);
  const first = await greeted(server, 'Ada');
  const of = '/v1/events/stream?workflow=greeting&after=start';
  const broken = await readEvents(`${server.url}${of}`);
  const before = [await broken.next(), await broken.next()];
  broken.leave();
  await server.close();
  const again = await opened({ store: server.store });
  const second = await readEvents(`${again.url}${of}`, { 'last-event-id': before[1]?.id ?? '' });
  const runId = await greeted(again, 'Eve');
  const after = await second.until(({ data }) => data['runId'] === runId && data['type'] === 'workflow.completed');
  expect([...before, ...after].map((sent) => sent?.id)).toEqual(await feed(again, '&workflow=greeting'));
  expect(new Set(after.map(({ data }) => data['runId']))).toEqual(new Set([first, runId]));
});

test('[SE3] a reader for whom there is nothing gets signs of life, and what comes then', async () => {
  const server = await opened({ streams: { heartbeatMs: 20 } });
  const reader = await readEvents(`${server.url}/v1/events/stream`);
  expect(await reader.heartbeat()).toMatch(/^:/);
  expect(await reader.heartbeat()).toMatch(/^:/);
  const runId = await greeted(server);
  expect((await reader.next())?.data).toMatchObject({ runId });
});

test('200 readers at once get the same, and one that goes away frees its place', async () => {
  const server = await opened();
  const readers: Reader[] = await Promise.all(
    Array.from({ length: 200 }, () => readEvents(`${server.url}/v1/events/stream`)),
  );
  expect(server.streams.count).toBe(200);
  const started = [await greeted(server, 'Ada'), await greeted(server, 'Eve')];
  const isLast = ({ data }: Sent): boolean => data['runId'] === started[1] && data['type'] === 'workflow.completed';
  const read = await Promise.all(readers.map(async (reader) => ids(await reader.until(isLast)).join(' ')));
  expect([...new Set(read)]).toEqual([(await feed(server)).join(' ')]);
  for (const reader of readers.slice(0, 150)) reader.leave();
  await eventually(() => expect(server.streams.count).toBe(50));
  for (const reader of readers) reader.leave();
  await eventually(() => expect(server.streams.count).toBe(0));
});

test('[SE4] one reader too many is refused, and may come again when another has gone', async () => {
  const server = await opened({ streams: { streamsMax: 2 } });
  const all = `${server.url}/v1/events/stream`;
  const first = await readEvents(all);
  await readEvents(all);
  const { response } = await readEvents(all);
  expect(response.headers.get('retry-after')).toBe('5');
  expect(await problemIn(response)).toMatchObject({ status: 503, code: 'LIMIT_EXCEEDED', limit: 'streamsMax' });
  first.leave();
  await eventually(() => expect(server.streams.count).toBe(1));
  expect((await readEvents(all)).response.status).toBe(200);
});

test('asking for the headers of a stream alone opens none', async () => {
  const server = await opened();
  const response = await server.ask('/v1/events/stream', { method: 'HEAD' });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  expect(server.streams.count).toBe(0);
});

test('a server that shuts down ends its streams without saying that the runs have ended', async () => {
  const server = await opened();
  const runId = await waiting(server);
  const reader = await readEvents(streamOf(server, runId));
  const all = await readEvents(`${server.url}/v1/events/stream?after=start`);
  const last = (await journal(server, runId)).at(-1);
  await reader.until(({ id }) => id === last);
  const closing = server.close();
  expect(await reader.rest()).toEqual([]);
  expect((await all.rest()).some(isEnd)).toBe(false);
  await closing;
  expect(server.streams.count).toBe(0);
});
