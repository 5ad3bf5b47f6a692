// Graceful shutdown: what is under way is answered, what comes is refused, everything is stored.

import { expect, test } from 'vitest';
import { createEngine } from '../../packages/heddle/src/index.ts';
import { readProblem } from './problems.testsuite.ts';
import { connectTo, readAnswer } from './raw-socket.testsuite.ts';
import { greeting, served } from './server.testsuite.ts';
import { readEvents } from './sse.testsuite.ts';

const asking = { id: 'asking', initialNode: 'ask', nodes: [{ id: 'ask', input: true }], transitions: [] };
const slow = { id: 'slow', initialNode: 'work', nodes: [{ id: 'work', action: 'work' }], transitions: [] };
const json = { 'content-type': 'application/json' };
const post = (body: object): RequestInit => ({ method: 'POST', headers: json, body: JSON.stringify(body) });

/** An action that says when it has begun, and ends when it is told. */
function gate() {
  let begin = (): void => undefined;
  let end = (): void => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const work = async (): Promise<object> => {
    begin();
    await ended;
    return {};
  };
  return { begun, end: () => end(), work };
}

test('[SV3] a start that is waited for is answered with its result, and stored', async () => {
  const { begun, end, work } = gate();
  const server = await served({ actions: { work } });
  await server.client.register(slow);
  const answer = server.ask('/v1/runs', post({ workflow: 'slow', waitMs: 60_000 }));
  await begun;
  const closing = server.close({ graceMs: 60_000 });
  // Nobody new comes in while it ends.
  await expect(server.ask('/health')).rejects.toThrow('fetch failed');
  end();
  const { runId, result } = (await (await answer).json()) as { readonly runId: string; readonly result: object };
  expect(result).toMatchObject({ ended: true, status: 'completed' });
  await closing;
  const engine = await createEngine({ store: server.store });
  expect(await engine.run(runId).status()).toBe('completed');
  expect(await engine.audit()).toMatchObject({ problems: [] });
  await engine.close();
});

test('[SV3] streams end at once, although work is under way', async () => {
  const { begun, end, work } = gate();
  const server = await served({ actions: { work } });
  await server.client.register(slow);
  const { id } = await server.client.start('slow');
  await begun;
  const reader = await readEvents(`${server.url}/v1/runs/${id}/events/stream`);
  const closing = server.close({ graceMs: 60_000 });
  expect((await reader.rest()).map(({ name }) => name)).not.toContain('end');
  end();
  await closing;
});

test('[SV3] whoever waits for a run or for tasks is answered, not cut off', async () => {
  const server = await served();
  await server.client.register(asking);
  const { id } = await server.client.start('asking');
  // What comes behind a request in the same bytes is under way when that one has been answered.
  const wait = async (request: string): Promise<() => Promise<string>> => {
    const connection = await connectTo(server.url);
    connection.send(`GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n${request}`);
    const first = await connection.until('"ok"}');
    return async () => (await connection.untilClosed()).slice(first.length);
  };
  const body = JSON.stringify({ actions: ['work'], waitMs: 60_000 });
  const waits = [
    await wait(`GET /v1/runs/${id}/result?waitMs=60000 HTTP/1.1\r\nHost: localhost\r\n\r\n`),
    await wait(
      `POST /v1/tasks/lease HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    ),
  ];
  await server.close();
  for (const received of waits) {
    const answer = readAnswer(await received());
    if (answer.status !== 200) expect(readProblem(answer.body, answer.status)).toMatchObject({ code: 'ENGINE_CLOSED' });
  }
  const engine = await createEngine({ store: server.store });
  expect(await engine.run(id).status()).toBe('suspended');
  await engine.close();
});

test('[SV3] a second request on a connection that is under way is refused, and the connection ends', async () => {
  const { begun, end, work } = gate();
  const server = await served({ actions: { work } });
  await server.client.register(slow);
  const body = JSON.stringify({ workflow: 'slow', waitMs: 60_000 });
  const first = `POST /v1/runs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const connection = await connectTo(server.url);
  connection.send(first);
  await begun;
  const closing = server.close({ graceMs: 60_000 });
  connection.send('GET /v1/runs HTTP/1.1\r\nHost: localhost\r\n\r\n');
  end();
  const received = await connection.untilClosed();
  expect(readAnswer(received)).toMatchObject({ status: 201 });
  expect(received.toLowerCase()).toContain('connection: close');
  expect(received).not.toContain('"items"');
  await closing;
});

test('[SV3] what was answered is in the file, however hard the server is asked while it ends', async () => {
  const server = await served();
  await server.client.register(greeting);
  const starts = Array.from({ length: 100 }, (_, index) =>
    server
      .ask('/v1/runs', post({ workflow: 'greeting', input: { name: `n${index}` } }))
      .then(async (response) => (response.ok ? ((await response.json()) as { readonly runId: string }).runId : null))
      .catch(() => null),
  );
  await starts[0];
  await server.close();
  const answered = (await Promise.all(starts)).filter((runId) => runId !== null);
  expect(answered.length).toBeGreaterThan(0);
  const engine = await createEngine({ store: server.store });
  const statuses = await Promise.all(answered.map(async (runId) => (await engine.run(runId).result()).status));
  expect(new Set(statuses)).toEqual(new Set(['completed']));
  await engine.close();
});
