// What reaches in and out of a server: secrets, webhooks, callbacks; and what keeps its store small.

import { createHmac } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createEngine } from '../../packages/heddle/src/index.ts';
import { greeting, served } from './server.testsuite.ts';

interface Received {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Somebody else's server on this machine; hands out what it was sent, one after the other. */
async function listener(): Promise<{ readonly url: string; readonly next: () => Promise<Received> }> {
  const received: Received[] = [];
  const waiting: ((one: Received) => void)[] = [];
  const server = createServer((request, response) => void take(request, response));
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = '';
    for await (const part of request) body += String(part);
    response.setHeader('content-type', 'application/json').end('{"thanks":true}');
    const one = { headers: request.headers, body };
    const first = waiting.shift();
    if (first) first(one);
    else received.push(one);
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const next = () =>
    new Promise<Received>((resolve) => {
      const one = received.shift();
      if (one) resolve(one);
      else waiting.push(resolve);
    });
  return { url: `http://127.0.0.1:${port}`, next };
}

const open = { http: { allowPrivate: ['127.0.0.1'] } };

test('a secret is sent where it may be sent, and is seen nowhere else', async () => {
  const other = await listener();
  const server = await served(open);
  const { client } = server;
  const value = 'correct-horse-battery';
  expect(await client.secrets.set('token', value, { hosts: ['127.0.0.1'] })).toMatchObject({
    name: 'token',
    version: 1,
  });
  await client.register({
    id: 'call',
    initialNode: 'call',
    nodes: [
      {
        id: 'call',
        action: 'http.request',
        inputMapping: {
          url: JSON.stringify(other.url),
          headers: '{"authorization": {"$secret": "token", "format": "Bearer {}"}}',
        },
        outputMapping: { 'output.body': 'result.body' },
      },
    ],
    transitions: [],
  });
  const run = await client.start('call');
  expect(await run.result()).toMatchObject({ status: 'completed', output: { body: { thanks: true } } });
  expect((await other.next()).headers['authorization']).toBe(`Bearer ${value}`);
  expect(JSON.stringify([await client.secrets.list(), await run.tokens(), await run.state()])).not.toContain(value);
  await server.close();
  expect(readFileSync(server.store).includes(value)).toBe(false);
});

test('a webhook starts a run once for every delivery that is signed', async () => {
  const { client, ask } = await served();
  await client.register(greeting);
  await client.secrets.set('hook', 'it-is-a-secret');
  const trigger = { type: 'webhook', id: 'push', workflow: 'greeting', verify: { scheme: 'github', secret: 'hook' } };
  const input = { name: 'event.body.name' };
  expect(await client.triggers.create({ ...trigger, input })).toMatchObject({ problems: [], isNew: true });
  const body = JSON.stringify({ name: 'Ada' });
  const signature = `sha256=${createHmac('sha256', 'it-is-a-secret').update(body).digest('hex')}`;
  const post = (signed: string) =>
    ask('/v1/webhooks/default/push?from=test', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'x-hub-signature-256': signed, 'x-github-delivery': 'd1' },
    });
  const [first, again, forged] = [await post(signature), await post(signature), await post('sha256=00')];
  expect([first.status, again.status, forged.status]).toEqual([202, 202, 401]);
  const { runId } = (await first.json()) as { readonly runId: string };
  expect(await again.json()).toMatchObject({ status: 'duplicate', runId });
  expect(await client.run(runId).result()).toMatchObject({ output: { text: 'Hello, Ada' } });
  expect((await ask('/v1/webhooks/nobody/push', { method: 'POST', body })).status).toBe(404);
});

test('a callback is told, signed, when a run has ended; and again when it is asked for', async () => {
  const other = await listener();
  const { client } = await served(open);
  await client.register(greeting);
  const created = await client.callbacks.create({ id: 'done', url: other.url, on: ['run.ended'] });
  const run = await client.start('greeting', { name: 'Ada' });
  const { body, headers } = await other.next();
  expect(JSON.parse(body)).toMatchObject({ type: 'run.ended', runId: run.id, status: 'completed' });
  const [, time, sign] = /^t=(\d+),v1=([0-9a-f]+)$/.exec(String(headers['heddle-signature'])) ?? [];
  expect(sign).toBe(createHmac('sha256', created.madeSecret!).update(`${time}.${body}`).digest('hex'));
  await expect
    .poll(async () => (await client.callbacks.deliveries()).map(({ status }) => status))
    .toEqual(['delivered']);
  const [delivery] = await client.callbacks.deliveries({ callback: 'done' });
  await client.callbacks.resend(delivery!.id);
  expect((await other.next()).body).toBe(body);
});

test('what is past its time is deleted; the store tells its size and is copied while it goes on', async () => {
  const server = await served();
  const { client } = server;
  await client.register(greeting);
  const runs = [await client.start('greeting', { name: 'A' }), await client.start('greeting', { name: 'B' })];
  for (const run of runs) await run.result();
  expect(await client.stats()).toMatchObject({ runs: { byStatus: { completed: 2 } }, store: {} });
  const file = join(`${server.store}.backups`, await client.backup());
  expect(existsSync(file)).toBe(true);
  await client.retention.set('greeting', { keepLast: 1 });
  await client.retention.sweep();
  expect((await client.runs()).map(({ runId }) => runId)).toEqual([runs[1]!.id]);
  await client.vacuum();
  const copy = await createEngine({ store: file, readOnly: true });
  expect(await copy.runs()).toHaveLength(2);
  await copy.close();
});
