// Callbacks on virtual time, with endpoints that answer as the test says.

import { createHmac } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import type { Store } from '../../actor/ports.ts';
import { memoryStore } from '../../hosts/memory/store.ts';
import { createEngine } from '../../index.ts';
import { createTestEngine, type TestEngineOptions } from '../../testing/test-engine.ts';
import { afterTest, type Seen, serve } from '../http.testsuite.ts';
import type { HttpTransport, WireRequest } from '../transport.ts';
import { attemptsMax, delayAfter } from './back-off.ts';

type Answer = number | 'refused' | 'never';

interface Sent {
  readonly host: string;
  readonly at: number;
  readonly headers: WireRequest['headers'];
  readonly body: {
    readonly id: string;
    readonly type: string;
    readonly runId: string;
    readonly [key: string]: unknown;
  };
}

/** A network on which every host answers 200, unless told otherwise. */
function network() {
  const sent: Sent[] = [];
  const answers: Record<string, Answer> = {};
  const now = { read: () => 0 };
  const transport: HttpTransport = {
    resolve: async () => ['1.1.1.1'],
    send: async ({ url, headers, body }) => {
      sent.push({
        host: url.hostname,
        at: now.read(),
        headers,
        body: JSON.parse(new TextDecoder().decode(body ?? undefined)) as Sent['body'],
      });
      const answer = answers[url.hostname] ?? 200;
      if (answer === 'refused') throw new Error('connection refused');
      if (answer === 'never') return new Promise(() => undefined);
      return { status: answer, headers: {}, body: new Uint8Array() };
    },
  };
  return { sent, answers, now, transport };
}

const secret = 'whsec_0123456789';
const url = 'https://a.example/hook';

async function calling(options: TestEngineOptions = {}, net = network()) {
  const made = await createTestEngine({ http: { transport: net.transport }, ...options });
  net.now.read = () => made.clock.now();
  const { engine } = made;
  await engine.secrets.set('signing', secret);
  await engine.register({
    id: 'done',
    initialNode: 'go',
    nodes: [{ id: 'go', outputMapping: { 'output.n': 'input.n' } }],
  });
  await engine.register({ id: 'bad', initialNode: 'go', nodes: [{ id: 'go', action: 'core.fail' }] });
  await engine.register({ id: 'ask', initialNode: 'go', nodes: [{ id: 'go', input: { title: 'Well?' } }] });
  await engine.register({ id: 'parent', initialNode: 'go', nodes: [{ id: 'go', workflow: 'done' }] });
  const run = async (workflow: string, input: object = { n: 1 }) => {
    const { id } = await engine.start(workflow, input);
    // Whatever is due now.
    await made.advance(0);
    return id;
  };
  return { ...made, ...net, run };
}

const bodies = (sent: readonly Sent[]) =>
  sent.map(({ body }) => [body.type, body['workflow'], body['status']].filter(Boolean).join(' '));

test('[CB1, CB4] the end of a run is told, signed, with its id as the key', async () => {
  const { engine, run, sent, clock } = await calling();
  await run('done');
  const { callback, isNew, madeSecret } = await engine.callbacks.create({
    id: 'a',
    url,
    on: ['run.ended'],
    secret: 'signing',
  });
  expect([callback, isNew, madeSecret]).toEqual([
    { id: 'a', url, on: ['run.ended'], secret: 'signing', enabled: true, disabledReason: null, createdAt: clock.now() },
    true,
    null,
  ]);
  const runId = await run('done');
  const [one] = sent;
  expect(sent).toHaveLength(1);
  expect(one?.body).toMatchObject({
    type: 'run.ended',
    runId,
    workflow: 'done',
    status: 'completed',
    output: { n: 1 },
    at: clock.now(),
  });
  const time = clock.now() / 1_000;
  const signature = createHmac('sha256', secret)
    .update(`${time}.${JSON.stringify(one?.body)}`)
    .digest('hex');
  expect(one?.headers).toMatchObject({
    'heddle-signature': `t=${time},v1=${signature}`,
    'heddle-delivery': one?.body.id,
    'idempotency-key': one?.body.id,
    'content-type': 'application/json',
  });
  const at = clock.now();
  expect(await engine.callbacks.deliveries()).toEqual([
    {
      id: one?.body.id,
      callback: 'a',
      event: 'run.ended',
      runId,
      workflow: 'done',
      status: 'delivered',
      attempts: 1,
      createdAt: at,
      nextAt: null,
      lastAttemptAt: at,
      lastStatus: 200,
      lastError: null,
    },
  ]);
});

test('[CB1, CB2] a callback is told of what it asks for: events, workflow, statuses; of sub-runs only their prompts', async () => {
  const { engine, run, sent } = await calling();
  const all = ['run.started', 'run.ended', 'run.suspended', 'run.resumed', 'prompt.opened', 'prompt.answered'] as const;
  await engine.callbacks.create({ url: 'https://all.example/', on: all });
  await engine.callbacks.create({
    url: 'https://failed.example/',
    on: ['run.ended'],
    statuses: ['failed', 'cancelled'],
  });
  await engine.callbacks.create({ url: 'https://done.example/', on: ['run.ended'], workflow: 'done' });
  for (const workflow of ['done', 'bad', 'ask', 'parent']) await run(workflow);
  const of = (host: string) => bodies(sent.filter((one) => one.host === host));
  expect(new Set(of('all.example'))).toEqual(
    new Set([
      'run.started done',
      'run.ended done completed',
      'run.started bad',
      'run.ended bad failed',
      'run.started ask',
      'prompt.opened ask',
      'run.suspended ask',
      'run.started parent',
      'run.ended parent completed',
    ]),
  );
  expect(of('all.example')).toHaveLength(9);
  expect(of('failed.example')).toEqual(['run.ended bad failed']);
  expect(of('done.example')).toEqual(['run.ended done completed']);
  const prompt = sent.find(({ body }) => body.type === 'prompt.opened');
  expect(prompt?.body).toMatchObject({ title: 'Well?', correlationId: (await engine.prompts())[0]?.correlationId });
});

test('[CB15] an answer is told by its correlation id, and stays out of it', async () => {
  const { engine, run, sent, advance } = await calling();
  await engine.callbacks.create({ url, on: ['prompt.answered', 'run.resumed'] });
  const runId = await run('ask');
  const [prompt] = await engine.prompts();
  await engine.run(runId).reply(prompt?.correlationId ?? '', 'my answer');
  await advance(0);
  expect(bodies(sent).toSorted()).toEqual(['prompt.answered ask', 'run.resumed ask']);
  const answered = sent.find(({ body }) => body.type === 'prompt.answered');
  expect(answered?.body).toMatchObject({ runId, correlationId: prompt?.correlationId });
  expect(JSON.stringify(answered?.body)).not.toContain('my answer');
});

test('[CB5, CB6] an endpoint that fails is tried again, ever more slowly, for about three days, and then given up', async () => {
  const { engine, run, sent, answers, advance, clock } = await calling();
  answers['a.example'] = 503;
  await engine.callbacks.create({ id: 'a', url, on: ['run.ended'] });
  const startedAt = clock.now();
  await run('done');
  await advance(100 * 3_600_000);
  const [delivery] = await engine.callbacks.deliveries({ status: 'failed' });
  expect(delivery).toMatchObject({ status: 'failed', attempts: attemptsMax, nextAt: null, lastStatus: 503 });
  expect(sent).toHaveLength(attemptsMax);
  const delays = sent.slice(1).map(({ at }, index) => at - (sent[index]?.at ?? 0));
  expect(delays).toEqual(delays.map((_, index) => delayAfter(index + 1, delivery?.id ?? '')));
  const hours = ((sent.at(-1)?.at ?? 0) - startedAt) / 3_600_000;
  expect([hours > 60, hours < 90, (delays[0] ?? 0) >= 7_500]).toEqual([true, true, true]);
});

test('[CB14] what was given up can be sent again, and arrives under the same id', async () => {
  const { engine, run, sent, answers, advance } = await calling();
  answers['a.example'] = 'refused';
  await engine.callbacks.create({ id: 'a', url, on: ['run.ended'] });
  await run('done');
  await advance(100 * 3_600_000);
  const [failed] = await engine.callbacks.deliveries({ callback: 'a', status: 'failed' });
  expect(failed?.lastError).toBe('Expected a.example to answer, but the connection failed: connection refused');
  answers['a.example'] = 204;
  await engine.callbacks.resend(failed?.id ?? '');
  await advance(0);
  expect(await engine.callbacks.deliveries({ status: 'delivered' })).toMatchObject([{ id: failed?.id, attempts: 1 }]);
  expect(sent.at(-1)?.body.id).toBe(failed?.id);
  await expect(engine.callbacks.resend('a:none')).rejects.toMatchObject({ code: 'DELIVERY_NOT_FOUND' });
  await expect(engine.callbacks.resend('none:1')).rejects.toMatchObject({ code: 'DELIVERY_NOT_FOUND' });
});

test('[CB5] 410 switches the callback off', async () => {
  const { engine, run, answers, sent } = await calling();
  answers['a.example'] = 410;
  await engine.callbacks.create({ id: 'a', url, on: ['run.ended'] });
  await run('done');
  await run('done');
  expect(await engine.callbacks.get('a')).toMatchObject({
    enabled: false,
    disabledReason: 'the endpoint answered 410 (Gone)',
  });
  expect([sent.length, (await engine.callbacks.deliveries()).map(({ status }) => status)]).toEqual([1, ['failed']]);
});

test('[CB5] an endpoint that never answers holds up none but its own', async () => {
  const { engine, run, answers, sent } = await calling();
  answers['dead.example'] = 'never';
  await engine.callbacks.create({ id: 'dead', url: 'https://dead.example/', on: ['run.ended'] });
  await engine.callbacks.create({ id: 'live', url: 'https://live.example/', on: ['run.ended'] });
  for (let count = 0; count < 10; count += 1) await run('done');
  const hosts = sent.map(({ host }) => host);
  // One look takes what is due then, at most four; the next waits for its end.
  expect([
    hosts.filter((host) => host === 'live.example').length,
    hosts.filter((host) => host === 'dead.example').length <= 4,
  ]).toEqual([10, true]);
  // What has arrived waits for nothing.
  expect(await engine.pendingDeliveries()).toBe(10);
  await engine.close({ graceMs: 0 });
});

test('[CB3, CB9] an engine that dies before it has sent leaves it to the next, and nothing is told twice', async () => {
  const store = memoryStore();
  const first = await calling({ store });
  first.answers['a.example'] = 'never';
  await first.engine.callbacks.create({ id: 'a', url, on: ['run.ended'] });
  const runId = await first.run('done');
  const [pending] = await first.engine.callbacks.deliveries();
  expect(pending).toMatchObject({ status: 'pending', attempts: 0 });
  await first.engine.close({ graceMs: 0 });
  const next = await calling({ store, clock: first.clock });
  await next.settle();
  expect(next.sent.map(({ body }) => [body.id, body.runId])).toEqual([[pending?.id, runId]]);
  await next.engine.close();
  const last = await calling({ store, clock: first.clock });
  await last.run('done');
  expect([last.sent.length, (await last.engine.callbacks.deliveries()).length]).toEqual([1, 2]);
});

test('[CB9] what was committed while nobody read is told when somebody does', async () => {
  const store = memoryStore();
  const first = await calling({ store });
  await first.engine.callbacks.create({ id: 'a', url, on: ['run.ended'] });
  await first.run('done');
  await first.engine.close();
  // The cursor as it lay before the run: an engine that died before it had read.
  const records = [
    { kind: 'callback-cursor', key: '', value: '{"position":0}', dueAt: null },
    ...(await store.listRecords('callback-delivery/a', { limit: 9 })).map((row) => ({
      ...row,
      value: null,
      dueAt: null,
    })),
  ];
  await store.commit({ runs: [], journal: [], outboxAdded: [], outboxDone: [], keys: [], records });
  const next = await calling({ store, clock: first.clock });
  await next.advance(0);
  expect(next.sent.map(({ body }) => body.id)).toEqual(first.sent.map(({ body }) => body.id));
});

test('[CB8] without a callback that is on, nothing is read', async () => {
  const store = memoryStore();
  let reads = 0;
  const readFeed = store.readFeed.bind(store);
  store.readFeed = (query) => {
    reads += 1;
    return readFeed(query);
  };
  const { engine, run } = await calling({ store });
  await run('done');
  expect(reads).toBe(0);
  await engine.callbacks.create({ id: 'a', url, on: ['run.ended'] });
  await run('done');
  expect(reads > 0).toBe(true);
  await engine.callbacks.disable('a');
  const before = reads;
  await run('done');
  expect(reads).toBe(before);
});

test('[CB13] one that is off is told nothing of what happens then; what waited is sent when it is on again', async () => {
  const { engine, run, answers, sent, settle, advance } = await calling();
  answers['a.example'] = 500;
  await engine.callbacks.create({ id: 'a', url, on: ['run.ended'] });
  const waiting = await run('done');
  await engine.callbacks.disable('a');
  answers['a.example'] = 200;
  await run('done');
  await advance(3_600_000);
  expect(sent).toHaveLength(1);
  await engine.callbacks.enable('a');
  await settle();
  const later = await run('done');
  expect(sent.slice(1).map(({ body }) => body.runId)).toEqual([waiting, later]);
});

test('[CB7] what has arrived is forgotten after seven days', async () => {
  const { engine, run, advance } = await calling();
  await engine.callbacks.create({ id: 'a', url, on: ['run.ended'] });
  await run('done');
  await advance(604_799_000);
  expect(await engine.callbacks.deliveries()).toHaveLength(1);
  await advance(2_000);
  expect(await engine.callbacks.deliveries()).toEqual([]);
});

test('[CB11, CB12] the same again changes nothing, other content is refused; with a callback go its deliveries and its secret', async () => {
  const { engine, run, store, answers } = await calling({ limits: { callbacksMax: 1 } });
  const { madeSecret } = await engine.callbacks.create({ id: 'a', url, on: ['run.ended'] });
  expect(madeSecret).toMatch(/^whsec_.{40,}$/);
  expect(await engine.callbacks.create({ id: 'a', url, on: ['run.ended'] })).toMatchObject({
    isNew: false,
    madeSecret: null,
  });
  await expect(engine.callbacks.create({ id: 'a', url, on: ['run.started'] })).rejects.toMatchObject({
    code: 'CALLBACK_EXISTS',
  });
  await expect(engine.callbacks.create({ id: 'b', url, on: ['run.ended'] })).rejects.toMatchObject({
    limit: 'callbacksMax',
  });
  answers['a.example'] = 500;
  await run('done');
  expect((await engine.secrets.list()).map(({ name }) => name)).toEqual(['callback.a', 'signing']);
  expect([await engine.callbacks.remove('a'), await engine.callbacks.remove('a')]).toEqual([true, false]);
  expect(await store.listRecords('callback-delivery/a', { limit: 9 })).toEqual([]);
  expect((await engine.secrets.list()).map(({ name }) => name)).toEqual(['signing']);
  await expect(engine.callbacks.get('a')).rejects.toMatchObject({ code: 'CALLBACK_NOT_FOUND' });
});

test('[CB12] a callback that is removed while what happened is read leaves nothing for the next of its id', async () => {
  const store = memoryStore();
  const { engine, run, settle, advance, sent } = await calling({ store });
  await engine.callbacks.create({ id: 'a', url, on: ['run.ended'] });
  const [first, ...others] = [await run('ask'), await run('ask'), await run('ask')];
  const readAtOnce = store.readRun.bind(store);
  const reads: (() => void)[] = [];
  // What was read comes when the test lets it.
  const readRun: Store['readRun'] = async (id) => {
    const row = readAtOnce(id);
    await new Promise<void>((resolve) => reads.push(resolve));
    return row;
  };
  const letRead = async (): Promise<void> => {
    await vi.waitFor(() => expect(reads).not.toEqual([]), { timeout: 600_000 });
    reads.shift()?.();
  };
  Object.assign(store, { readRun });
  await engine.run(first).cancel();
  for (const runId of others) await engine.run(runId).cancel();
  // The page of the first, and the first row of the page of the others.
  await letRead();
  await letRead();
  await vi.waitFor(() => expect(reads).toHaveLength(1), { timeout: 600_000 });
  await engine.callbacks.remove('a');
  await letRead();
  Object.assign(store, { readRun: readAtOnce });
  await settle();
  expect(await store.listRecords('callback-delivery/a', { limit: 9 })).toEqual([]);
  sent.length = 0;
  await engine.callbacks.create({ id: 'a', url: 'https://b.example/', on: ['run.ended'] });
  await advance(60_000);
  expect(sent).toEqual([]);
});

test.each([
  ['an id', { id: 'a:b' }, '/id'],
  ['a URL', { url: 'file:///x' }, '/url'],
  ['no event', { on: [] }, '/on'],
  ['an event that is none', { on: ['run.gone'] }, '/on'],
  ['a status that is none', { statuses: ['gone'] }, '/statuses'],
  ['statuses of no end', { on: ['run.started'], statuses: ['failed'] }, '/statuses'],
])('[CB10] %s that does not do is refused', async (_, fields, pointer) => {
  const { engine } = await calling();
  const given = { url, on: ['run.ended'], ...fields } as Parameters<typeof engine.callbacks.create>[0];
  await expect(engine.callbacks.create(given)).rejects.toMatchObject({ code: 'CALLBACK_INVALID', pointer });
});

test('[CB10] a secret that is not there is refused; so is a runtime without sockets', async () => {
  const { engine } = await calling();
  await expect(engine.callbacks.create({ url, on: ['run.ended'], secret: 'none' })).rejects.toMatchObject({
    code: 'SECRET_NOT_FOUND',
  });
  const { engine: portable } = await createTestEngine();
  await expect(portable.callbacks.create({ url, on: ['run.ended'] })).rejects.toMatchObject({ code: 'NOT_AVAILABLE' });
});

test('[CB4] one engine calls another: what it signs, the webhook of the other takes, once', async () => {
  const { engine, run, sent } = await calling();
  const { madeSecret } = await engine.callbacks.create({ id: 'a', url, on: ['run.ended'] });
  await run('done');
  const other = await createTestEngine();
  await other.engine.secrets.set('peer', madeSecret ?? '');
  await other.engine.register({ id: 'next', initialNode: 'go', nodes: [{ id: 'go' }] });
  await other.engine.triggers.create({
    id: 'hook',
    type: 'webhook',
    workflow: 'next',
    verify: { scheme: 'heddle', secret: 'peer' },
  });
  const [one] = sent;
  const rawBody = new TextEncoder().encode(JSON.stringify(one?.body));
  const call = () => other.engine.webhooks.receive('hook', { method: 'POST', headers: one?.headers ?? {}, rawBody });
  expect([(await call()).status, (await call()).status]).toEqual(['accepted', 'duplicate']);
});

test('deliveries come a page at a time, over all callbacks', async () => {
  const { engine, run } = await calling();
  for (const id of ['a', 'b']) await engine.callbacks.create({ id, url: `https://${id}.example/`, on: ['run.ended'] });
  for (let count = 0; count < 3; count += 1) await run('done');
  const seen: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await engine.callbacks.deliveries({ limit: 2, ...(after === undefined ? {} : { after }) });
    seen.push(...page.map(({ callback }) => callback));
    after = page.at(-1)?.id;
    if (page.length < 2) break;
  }
  expect(seen).toEqual(['a', 'a', 'a', 'b', 'b', 'b']);
});

test('[CB4] a real server on loopback is told, by an engine on the clock of the system', async () => {
  let give = (_: Seen): void => undefined;
  const arrived = new Promise<Seen>((resolve) => {
    give = resolve;
  });
  const server = await serve((request, response) => {
    response.writeHead(204).end();
    give(request);
  });
  const engine = await createEngine({ http: { allowPrivate: ['127.0.0.1'] } });
  afterTest(() => engine.close({ graceMs: 0 }));
  await engine.register({ id: 'done', initialNode: 'go', nodes: [{ id: 'go' }] });
  await engine.callbacks.create({ id: 'a', url: `${server.url}/told`, on: ['run.ended'] });
  const { id } = await engine.start('done');
  const { method, path, body } = await arrived;
  expect([method, path, (JSON.parse(body) as Sent['body']).runId]).toEqual(['POST', '/told', id]);
});
