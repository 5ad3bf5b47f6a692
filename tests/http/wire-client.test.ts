// The client for browsers, over real sockets: where each kind of member travels, what comes back, and streams that break.

import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { routes } from '../../packages/heddle/src/http/route.ts';
import { type AnsweredError, HeddleError, type StreamState, WireClient } from '../../packages/heddle/src/wire.ts';
import { bundle } from '../portable.testsuite.ts';
import { eventually, greeting, type Served, served } from './server.testsuite.ts';

const sources = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../packages/heddle/src');

const asking = {
  id: 'asking',
  initialNode: 'ask',
  nodes: [{ id: 'ask', input: true }],
  transitions: [],
};

async function opened(options: Parameters<typeof served>[0] = {}) {
  const server = await served(options);
  const sent: string[] = [];
  const counting: typeof fetch = (address, init) => {
    sent.push(`${init?.method} ${new Request(address).url.slice(server.url.length)}`);
    return fetch(address, init);
  };
  return { server, sent, wire: new WireClient({ url: `${server.url}/`, fetch: counting }) };
}

test('a query holds scalars, lists and maps alone: they can be written without a schema', () => {
  const kinds = Object.values(routes).flatMap(({ query }) =>
    [...query.kind.members].map(([, { schema }]) => schema.kind.type),
  );
  expect(kinds.length).toBeGreaterThan(50);
  expect(kinds.filter((type) => type === 'object' || type === 'json')).toEqual([]);
});

test('nothing is answered with 204, and only that', () => {
  for (const { name, status, operation } of Object.values(routes))
    expect([name, status === 204]).toEqual([name, operation.answers.form === 'nothing']);
});

test('members travel in the path, in the body, as the whole body, and in the query: repeated, as key=value, renamed', async () => {
  const { wire, sent } = await opened();
  const { version } = await wire.call('registerDefinition', { definition: greeting });
  expect(version).toBe(1);
  const tags = { team: 'a&b=c', place: 'Zürich' };
  const { runId, result } = await wire.call('startRun', {
    workflow: 'greeting',
    input: { name: 'Ada' },
    tags,
    waitMs: 60_000,
  });
  expect(result).toMatchObject({ status: 'completed', output: { text: 'Hello, Ada' } });
  const found = await wire.call('listRuns', { statuses: ['completed', 'failed'], tags, limit: 5, subRuns: true });
  expect(found.items.map((run) => run.runId)).toEqual([runId]);
  expect((await wire.call('listRuns', { tags: { team: 'other' } })).items).toEqual([]);
  expect(await wire.call('getRun', { runId })).toMatchObject({ runId });
  expect(await wire.call('cancelRuns', { statuses: ['running'], limit: 3 })).toEqual({ items: [], next: null });
  expect(sent).toEqual([
    'POST /v1/definitions',
    'POST /v1/runs',
    'GET /v1/runs?status=completed&status=failed&tag=team%3Da%26b%3Dc&tag=place%3DZ%C3%BCrich&limit=5&subRuns=true',
    'GET /v1/runs?tag=team%3Dother',
    `GET /v1/runs/${runId}`,
    'POST /v1/runs/cancel',
  ]);
});

test('bytes go as they are, and come back as they were, even if they are JSON', async () => {
  const { wire } = await opened();
  const { runId } = await startOf(wire);
  const bytes = new TextEncoder().encode('{"not":"parsed"}');
  const put = await wire.call('putArtifact', {}, { bytes, mimeType: 'application/json' });
  expect(await wire.download('getArtifact', put)).toEqual({ bytes, mimeType: 'application/json' });
  expect(await wire.call('metrics', {})).toContain('heddle_');
  await wire.call('waitForRun', { runId, waitMs: 60_000 });
  expect(await wire.call('deleteRun', { runId })).toBeUndefined();
});

test('errors are those of the engine, with code, hint and problems, and the status of the answer', async () => {
  const { wire, server } = await opened();
  const missing = await wire.call('getRun', { runId: 'nobody' }).catch((error: unknown) => error);
  expect(missing).toBeInstanceOf(HeddleError);
  expect(missing).toMatchObject({ code: 'RUN_NOT_FOUND', status: 404 });
  const definition = { id: 'w', initialNode: 'gone', nodes: [], transitions: [] };
  const invalid = await wire.call('registerDefinition', { definition }).catch((error: unknown) => error);
  expect(invalid).toMatchObject({ name: 'HeddleError', problems: expect.arrayContaining([expect.anything()]) });
  const [first] = (invalid as AnsweredError).problems;
  expect(first).toMatchObject({ severity: 'error', pointer: expect.any(String) });
  // @ts-expect-error: the types refuse it, and so does the server
  const unknown = await wire.call('listRuns', { limmit: 1 }).catch((error: unknown) => error);
  expect(unknown).toMatchObject({ code: 'QUERY_INVALID', status: 400, hint: expect.stringContaining('limit') });
  await server.close();
  await expect(wire.call('health', {})).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' });
});

test('a key and headers go with every request', async () => {
  const seen: Headers[] = [];
  const answering: typeof fetch = (_, init) => {
    seen.push(new Headers(init?.headers));
    return Promise.resolve(Response.json({ items: [], next: null }));
  };
  const wire = new WireClient({ key: 'hd_1', headers: { 'x-asked-by': 'page' }, fetch: answering });
  await wire.call('listRuns', {});
  expect(Object.fromEntries(seen[0]!)).toEqual({ authorization: 'Bearer hd_1', 'x-asked-by': 'page' });
});

const startOf = async (wire: WireClient) => {
  await wire.call('registerDefinition', { definition: greeting });
  return wire.call('startRun', { workflow: 'greeting', input: { name: 'Ada' } });
};

/** What a stream gave, and how its connection was. */
function following(wire: WireClient, runId: string, signal?: AbortSignal) {
  const ids: string[] = [];
  const states: StreamState[] = [];
  const done = (async () => {
    const options = {
      forever: true,
      onState: (state: StreamState) => states.push(state),
      ...(signal ? { signal } : {}),
    };
    for await (const event of wire.follow('streamRunEvents', { runId }, options)) ids.push(event.id);
  })();
  return { ids, states, done };
}

test('a stream ends with its run; a run that is over and was read is not read again', async () => {
  const { wire } = await opened();
  const { runId } = await startOf(wire);
  const { ids, states, done } = following(wire, runId);
  await done;
  const { items } = await wire.call('listRunEvents', { runId });
  expect(ids).toEqual(items.map(({ id }) => id));
  expect(states).toEqual(['open']);
  const again = wire.follow('streamRunEvents', { runId }, { after: ids.at(-1)! });
  expect(await again.next()).toEqual({ done: true, value: undefined });
});

async function asked({ client }: Served): Promise<string> {
  await client.register(asking);
  const run = await client.start('asking');
  return run.id;
}

test('a stream outlives its server: it says that it is lost and there again, and no event is missed or repeated', async () => {
  const { server, wire } = await opened();
  const runId = await asked(server);
  const { ids, states, done } = following(wire, runId);
  await eventually(() => expect(ids.length).toBeGreaterThan(1));
  const port = Number(new URL(server.url).port);
  await server.close({ graceMs: 0 });
  await eventually(() => expect(states).toEqual(['open', 'lost']));
  const { client } = await served({ store: server.store, port });
  await eventually(() => expect(states).toEqual(['open', 'lost', 'open']));
  const [prompt] = await client.run(runId).prompts();
  await client.run(runId).reply(prompt!.correlationId, {});
  await done;
  const journal: string[] = [];
  for await (const { id } of client.run(runId).events({ follow: false })) journal.push(id);
  expect(ids).toEqual(journal);
});

test('whoever has had enough ends a stream without an error, also while it is lost', async () => {
  const { server, wire } = await opened();
  const runId = await asked(server);
  const leaving = new AbortController();
  const { states, done } = following(wire, runId, leaving.signal);
  await eventually(() => expect(states).toEqual(['open']));
  await server.close({ graceMs: 0 });
  await eventually(() => expect(states).toEqual(['open', 'lost']));
  leaving.abort();
  await done;
});

test('a stream that would be refused again is not tried again; one that cannot be served now is', async () => {
  const { wire, server } = await opened();
  await expect(wire.follow('streamRunEvents', { runId: 'nobody' }, { forever: true }).next()).rejects.toMatchObject({
    code: 'RUN_NOT_FOUND',
  });
  const runId = await asked(server);
  let refusals = 0;
  const busy: typeof fetch = (address, init) => {
    if (refusals === 2) return fetch(address, init);
    refusals += 1;
    return Promise.resolve(new Response('busy', { status: 503 }));
  };
  const states: StreamState[] = [];
  const events = new WireClient({ url: server.url, fetch: busy }).follow(
    'streamRunEvents',
    { runId },
    { forever: true, onState: (state) => states.push(state) },
  );
  expect(await events.next()).toMatchObject({ done: false });
  await events.return(undefined);
  expect(states).toEqual(['lost', 'open']);
});

test('the door carries no schemas: minified and compressed it is under 10 kB', async () => {
  const { outputFiles, metafile } = await bundle("export * from './wire.ts';", sources, { minify: true });
  const carried = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs));
  // The list of scopes is the one file of operations that has no schema.
  expect(carried.filter((file) => /typebox|cel-js|operations\/(?!scope\.ts)|engine\//.test(file))).toEqual([]);
  expect(gzipSync(outputFiles[0]!.contents).length).toBeLessThan(10_000);
});
