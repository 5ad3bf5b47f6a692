// Whoever lost the answer asks again: the same key is the same run, whatever became of the connection.

import { expect, test } from 'vitest';
import { problemIn } from './problems.testsuite.ts';
import { connectTo } from './raw-socket.testsuite.ts';
import { greeting, type Served, served } from './server.testsuite.ts';

const json = { 'content-type': 'application/json' };

const start = ({ ask }: Served, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  ask('/v1/runs', {
    method: 'POST',
    headers: { ...json, ...headers },
    body: JSON.stringify({ workflow: 'greeting', ...body }),
  });

async function runIdIn(response: Response): Promise<string> {
  expect(response.status).toBe(201);
  return ((await response.json()) as { readonly runId: string }).runId;
}

async function opened(): Promise<Served> {
  const server = await served();
  await server.client.register(greeting);
  return server;
}

test('a client that goes away in the middle of a start finds its run by its key', async () => {
  const server = await opened();
  const events = server.engine.events({ after: await server.engine.newestEvent() });
  const body = JSON.stringify({
    workflow: 'greeting',
    input: { name: 'Ada' },
    idempotencyKey: 'order-7',
    waitMs: 60_000,
  });
  const connection = await connectTo(server.url);
  connection.send(
    `POST /v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  const { value: first } = (await events.next()) as { readonly value: { readonly runId: string } };
  connection.socket.destroy();
  await events.return?.();
  expect(await runIdIn(await start(server, { input: { name: 'Ada' }, idempotencyKey: 'order-7' }))).toBe(first.runId);
  expect(await server.client.runs()).toMatchObject([{ runId: first.runId }]);
  expect(await server.client.run(first.runId).result()).toMatchObject({ output: { text: 'Hello, Ada' } });
});

test('a client that goes away as soon as it has sent starts one run at most, and its key finds it', async () => {
  const server = await opened();
  const keys = Array.from({ length: 20 }, (_, index) => `order-${index}`);
  for (const idempotencyKey of keys) {
    const body = JSON.stringify({ workflow: 'greeting', input: { name: 'Ada' }, idempotencyKey });
    const connection = await connectTo(server.url);
    connection.socket.end(
      `POST /v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      () => connection.socket.destroy(),
    );
    await connection.untilClosed();
  }
  const answers = keys.map((idempotencyKey) => start(server, { input: { name: 'Ada' }, idempotencyKey }));
  const ids = await Promise.all((await Promise.all(answers)).map(runIdIn));
  expect(new Set(ids).size).toBe(keys.length);
  const runs = await server.client.runs({ limit: 100 });
  expect(runs.map(({ runId }) => runId).toSorted()).toEqual(ids.toSorted());
});

test('[HT13] the key may stand in the header or in the body; two different ones are refused', async () => {
  const server = await opened();
  const byHeader = await runIdIn(await start(server, { input: { name: 'Ada' } }, { 'idempotency-key': 'a' }));
  expect(await runIdIn(await start(server, { input: { name: 'Ada' }, idempotencyKey: 'a' }))).toBe(byHeader);
  expect(
    await runIdIn(await start(server, { input: { name: 'Ada' }, idempotencyKey: 'a' }, { 'idempotency-key': 'a' })),
  ).toBe(byHeader);
  const two = await start(server, { input: { name: 'Ada' }, idempotencyKey: 'a' }, { 'idempotency-key': 'b' });
  expect(await problemIn(two)).toMatchObject({ status: 422, pointer: '/idempotencyKey' });
  expect(await server.client.runs()).toHaveLength(1);
});

test('the same key with another body is refused', async () => {
  const server = await opened();
  await runIdIn(await start(server, { input: { name: 'Ada' }, idempotencyKey: 'a' }));
  for (const response of [
    await start(server, { input: { name: 'Eve' }, idempotencyKey: 'a' }),
    await start(server, { input: { name: 'Eve' } }, { 'idempotency-key': 'a' }),
  ])
    expect(await problemIn(response)).toMatchObject({ status: 409, code: 'IDEMPOTENCY_KEY_REUSED' });
  expect(await server.client.runs()).toHaveLength(1);
});

test('[HT9] retrying in bulk once more retries nothing twice', async () => {
  const server = await opened();
  const failing = {
    id: 'failing',
    initialNode: 'fail',
    nodes: [{ id: 'fail', action: 'core.fail', inputMapping: { message: '"no"' } }],
    transitions: [],
  };
  await server.client.register(failing);
  const runs = await Promise.all([1, 2, 3].map(() => server.client.start('failing')));
  await Promise.all(runs.map((run) => run.result()));
  const createdBefore =
    Math.max(...(await Promise.all(runs.map((run) => run.summary()))).map(({ createdAt }) => createdAt)) + 1;
  const retry = async (): Promise<readonly { readonly applied: boolean; readonly retriedAs: string }[]> => {
    const body = JSON.stringify({ workflow: 'failing', createdBefore });
    const response = await server.ask('/v1/runs/retry', { method: 'POST', headers: json, body });
    return (
      (await response.json()) as {
        readonly items: readonly { readonly applied: boolean; readonly retriedAs: string }[];
      }
    ).items;
  };
  const first = await retry();
  expect(first.map(({ applied }) => applied)).toEqual([true, true, true]);
  expect((await retry()).map(({ retriedAs }) => retriedAs)).toEqual(first.map(({ retriedAs }) => retriedAs));
});
