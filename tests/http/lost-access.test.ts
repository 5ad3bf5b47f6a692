// Keys that are revoked, rotated out or expire while streams are open and calls wait: from then on nothing is delivered.

import { expect, test } from 'vitest';
import { memoryStore } from '../../packages/heddle/src/hosts/memory/store.ts';
import { ApiKeys } from '../../packages/heddle/src/http/api-keys.ts';
import { EventStreams, type SentEvent } from '../../packages/heddle/src/http/event-stream.ts';
import type { NewKey } from '../../packages/heddle/src/operations/access.ts';
import { VirtualClock } from '../../packages/heddle/src/testing/virtual-clock.ts';
import { problemIn, readProblem } from './problems.testsuite.ts';
import { connectTo, readAnswer } from './raw-socket.testsuite.ts';
import { eventually, greeting, type Served, served } from './server.testsuite.ts';
import { readEvents } from './sse.testsuite.ts';
import { operator } from './world.testsuite.ts';

const waiting = { id: 'waiting', initialNode: 'a', nodes: [{ id: 'a', input: true }], transitions: [] };
const working = { id: 'working', initialNode: 'a', nodes: [{ id: 'a', action: 'remote.work' }], transitions: [] };
const by = (key: string) => ({ authorization: `Bearer ${key}` });
const lost = { status: 401, code: 'KEY_INVALID', detail: expect.stringContaining('meanwhile') };

async function opened(): Promise<{ readonly server: Served; readonly made: NewKey; readonly other: string }> {
  const server = await served();
  for (const definition of [greeting, waiting, working]) await server.engine.register(definition);
  const make = () => server.keys.create({ name: 'test', scopes: ['*'] }, operator);
  return { server, made: await make(), other: (await make()).key };
}

const post = (server: Served, key: string, path: string, body: object): Promise<Response> =>
  server.ask(path, {
    method: 'POST',
    headers: { ...by(key), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** A server that has nothing else to do has begun with what was sent before. */
const untilBegun = async (server: Served): Promise<unknown> => (await server.ask('/health')).text();

const ways: readonly (readonly [string, (server: Served, id: string) => Promise<unknown>])[] = [
  ['is revoked', ({ keys }, id) => keys.revoke(id, operator)],
  ['is rotated out', ({ keys }, id) => keys.rotate(id, 0, operator)],
];

test.each(ways)(
  '[AC10][AC13] a stream whose key %s ends with the reason, and tells nothing that comes later',
  async (_, lose) => {
    const { server, made, other } = await opened();
    const all = await readEvents(`${server.url}/v1/events/stream`, by(made.key));
    const run = await server.engine.start('waiting');
    const one = await readEvents(`${server.url}/v1/runs/${run.id}/events/stream`, by(made.key));
    const witness = await readEvents(`${server.url}/v1/events/stream`, by(other));
    for (const reader of [all, one]) await reader.until(({ data }) => data['type'] === 'workflow.suspended');
    await lose(server, made.id);
    await run.cancel('it is late');
    const left = await Promise.all([all.rest(), one.rest()]);
    for (const sent of left) {
      expect(sent.map(({ id, name }) => [id, name])).toEqual([[null, 'error']]);
      expect(readProblem(JSON.stringify(sent[0]?.data), 401)).toMatchObject(lost);
    }
    expect(await witness.until(({ data }) => data['type'] === 'workflow.cancelled')).not.toEqual([]);
    expect(server.streams.count).toBe(1);
  },
);

test('[AC13] access is asked for at every event, whoever was told of its loss', async () => {
  let isValid = true;
  const access = { ...operator, grant: { isValid: () => isValid, onLoss: () => () => undefined } };
  async function* source(): AsyncGenerator<SentEvent> {
    for (let number = 1; ; number++) yield { id: String(number), data: { number } };
  }
  const streams = new EventStreams(new VirtualClock());
  const reader = streams.stream(source(), access).getReader();
  expect(text(await reader.read())).toContain('"number":1');
  isValid = false;
  expect(text(await reader.read())).toContain('event: error');
  expect([(await reader.read()).done, streams.count]).toEqual([true, 0]);
});

const text = ({ value }: { readonly value?: Uint8Array | undefined }): string => new TextDecoder().decode(value);

test('[AC10][AC14] a call that waits for tasks is refused when its key is lost; the task goes to somebody else', async () => {
  const { server, made, other } = await opened();
  const lease = { actions: ['remote.work'], waitMs: 20_000, leaseMs: 600_000 };
  const refused = post(server, made.key, '/v1/tasks/lease', { ...lease, worker: 'hands' });
  await eventually(async () => expect(await server.engine.tasks.workers()).toHaveLength(1));
  await server.keys.revoke(made.id, operator);
  const { id } = await server.engine.start('working');
  expect(await problemIn(await refused)).toMatchObject({ status: 401, code: 'KEY_INVALID' });
  const { tasks } = (await (await post(server, other, '/v1/tasks/lease', lease)).json()) as {
    readonly tasks: readonly { readonly runId: string; readonly dispatch: number }[];
  };
  expect(tasks).toMatchObject([{ runId: id, dispatch: 1 }]);
});

test('[AC14] a task that was leased for a key that ended meanwhile is handed back', async () => {
  const { server, made, other } = await opened();
  const { id } = await server.engine.start('working');
  const { perform } = server.engine;
  // Between the lease and the answer.
  const revoking: typeof perform = async (...asked) => {
    const answer = await perform(...asked);
    Object.assign(server.engine, { perform });
    await server.keys.revoke(made.id, operator);
    return answer;
  };
  Object.assign(server.engine, { perform: revoking });
  const request = { actions: ['remote.work'], leaseMs: 600_000 };
  expect(await problemIn(await post(server, made.key, '/v1/tasks/lease', request))).toMatchObject(lost);
  const answer = await post(server, other, '/v1/tasks/lease', { ...request, waitMs: 20_000 });
  expect(await answer.json()).toMatchObject({ tasks: [{ runId: id }] });
});

test('[AC10][AC12] a call that waits for a result is refused when its key is lost', async () => {
  const { server, made } = await opened();
  const { id } = await server.engine.start('waiting');
  const waits = [
    server.ask(`/v1/runs/${id}/result?waitMs=20000`, { headers: by(made.key) }),
    post(server, made.key, '/v1/runs', { workflow: 'waiting', waitMs: 20_000 }),
  ];
  while ((await server.engine.runs()).length < 2) await untilBegun(server);
  await server.keys.revoke(made.id, operator);
  for (const response of await Promise.all(waits))
    expect(await problemIn(response)).toMatchObject({ status: 401, code: 'KEY_INVALID' });
});

test('[AC12] nothing is done for a request whose key is lost before its body has come', async () => {
  const { server, made } = await opened();
  const body = JSON.stringify({ workflow: 'greeting', input: { name: 'Ada' } });
  const connection = await connectTo(server.url);
  const head = [
    'POST /v1/runs HTTP/1.1',
    'Host: 127.0.0.1',
    `Authorization: Bearer ${made.key}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Expect: 100-continue',
  ];
  connection.send(`${head.join('\r\n')}\r\n\r\n`);
  await connection.until('100 Continue');
  connection.send(body.slice(0, 10));
  await untilBegun(server);
  await server.keys.revoke(made.id, operator);
  connection.send(body.slice(10));
  const received = await connection.until('KEY_INVALID');
  const answer = readAnswer(received.slice(received.indexOf('HTTP/1.1 401')));
  expect(readProblem(answer.body, answer.status)).toMatchObject({ status: 401, code: 'KEY_INVALID' });
  expect(await server.engine.runs()).toEqual([]);
});

test('[AC10] a stream that needed no key ends when the first key is made', async () => {
  const server = await served();
  await server.engine.register(greeting);
  const reader = await readEvents(`${server.url}/v1/events/stream`);
  await server.keys.create({ name: 'first', scopes: ['*'] }, operator);
  await server.engine.start('greeting', { name: 'Ada' });
  expect((await reader.rest()).map(({ name }) => name)).toEqual(['error']);
});

test('[AC10][AC11] a grant is lost at the time its key expires, and once', async () => {
  const clock = new VirtualClock();
  const keys = new ApiKeys(memoryStore(), clock);
  const expiresAt = clock.now() + 2_500;
  const lasting = await keys.create({ name: 'lasting', scopes: ['*'] }, operator);
  const ending = await keys.create({ name: 'ending', scopes: ['*'], expiresAt }, operator);
  const lostAt: Record<string, number[]> = { lasting: [], ending: [] };
  for (const { name, key } of [lasting, ending])
    (await keys.authenticate(key))?.grant?.onLoss(() => lostAt[name]?.push(clock.now()));
  await clock.advance(10_000);
  expect(lostAt).toEqual({ lasting: [], ending: [expiresAt] });
  await keys.revoke(lasting.id, operator);
  expect(lostAt['lasting']).toEqual([clock.now()]);
  // Nobody waits any more: no timer is left.
  expect(clock.nextAt).toBeNull();
});

test('[AC11] what another process changed is noticed within a second, by streams and by requests', async () => {
  const clock = new VirtualClock();
  const store = memoryStore();
  const [here, elsewhere] = [new ApiKeys(store, clock), new ApiKeys(store, clock)];
  const { key, id } = await here.create({ name: 'test', scopes: ['*'] }, operator);
  const open = await new ApiKeys(memoryStore(), clock).openAccess();
  expect(open?.grant?.isValid()).toBe(true);
  const grant = (await here.authenticate(key))?.grant;
  let losses = 0;
  const unwatch = grant?.onLoss(() => losses++);
  await clock.advance(5_000);
  expect([losses, grant?.isValid()]).toEqual([0, true]);
  await elsewhere.revoke(id, operator);
  await clock.advance(1_000);
  expect([losses, grant?.isValid(), await here.authenticate(key)]).toEqual([1, false, null]);
  unwatch?.();
  expect(clock.nextAt).toBeNull();
});
