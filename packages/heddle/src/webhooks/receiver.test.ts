// Calls of webhooks, from the bytes that came to the run that they start.

import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import type { NewTrigger } from '../operations/triggers.ts';
import { createTestEngine, type TestEngineOptions } from '../testing/test-engine.ts';

const secret = 'whsec_0123456789';
const hmac = (text: string) => createHmac('sha256', secret).update(text).digest('hex');

type Fields = Omit<Extract<NewTrigger, { type: 'webhook' }>, 'id' | 'type' | 'workflow'>;

/** An engine with a webhook `hook` that starts `echo`. */
async function hooked(fields: Fields, options: TestEngineOptions = {}) {
  const errors: string[] = [];
  const made = await createTestEngine({ onError: (error) => errors.push(error.message), ...options });
  const { engine } = made;
  await engine.secrets.set('signing', secret);
  await engine.register({
    id: 'echo',
    initialNode: 'go',
    nodes: [{ id: 'go', outputMapping: { 'output.got': 'input' } }],
  });
  const { problems } = await engine.triggers.create({ id: 'hook', type: 'webhook', workflow: 'echo', ...fields });
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  const receive = (body: string, headers: Record<string, string> = {}, method = 'POST') =>
    engine.webhooks.receive('hook', {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      rawBody: new TextEncoder().encode(body),
      query: { a: 'b' },
    });
  const github = (body: string, delivery: string, more: Record<string, string> = {}) =>
    receive(body, { 'x-hub-signature-256': `sha256=${hmac(body)}`, 'x-github-delivery': delivery, ...more });
  const inputOf = async (runId: string | null | undefined) =>
    ((await engine.run(runId ?? '').result()).output as { got: unknown }).got;
  return { ...made, receive, github, inputOf, errors };
}

const verify = { scheme: 'github', secret: 'signing' } as const;

test('[WH13] a call starts a run with its body, which knows what started it', async () => {
  const { github, inputOf, engine } = await hooked({ verify });
  const received = await github('{"n":1}', 'd1');
  expect(received).toEqual({ status: 'accepted', deliveryId: 'd1', runId: expect.any(String) as string });
  const runId = 'runId' in received ? received.runId : null;
  expect(await inputOf(runId)).toEqual({ n: 1 });
  const triggers: unknown[] = [];
  for await (const event of engine.run(runId ?? '').events({ follow: false }))
    if (event.type === 'workflow.started') triggers.push(event.trigger);
  expect(triggers).toMatchObject([{ type: 'webhook', triggerId: 'hook', depth: 1, deliveryId: 'd1' }]);
});

test('[WH7] filter and mapping read what came, without what proves who sent it', async () => {
  const { github, inputOf } = await hooked({
    verify,
    filter: 'event.headers["x-github-event"] == "push"',
    input: {
      method: 'event.method',
      query: 'event.query.a',
      n: 'event.body.n',
      same: 'event.payload.n',
      id: 'event.deliveryId',
      headers: 'event.headers',
    },
  });
  const secrets = { authorization: 'Bearer x', cookie: 'a=b' };
  expect(await github('{"n":1}', 'd1', { 'x-github-event': 'star', ...secrets })).toMatchObject({
    status: 'ignored',
    code: 'FILTER_FALSE',
  });
  const received = await github('{"n":1}', 'd2', { 'x-github-event': 'push', ...secrets });
  expect(await inputOf('runId' in received ? received.runId : null)).toEqual({
    method: 'POST',
    query: 'b',
    n: 1,
    same: 1,
    id: 'd2',
    headers: { 'content-type': 'application/json', 'x-github-delivery': 'd2', 'x-github-event': 'push' },
  });
});

test('[WH12] the same delivery again, at once, later or in another engine, is answered with the same run', async () => {
  const { github, engine, store, clock, advance } = await hooked({ verify });
  const both = await Promise.all([github('{"n":1}', 'd1'), github('{"n":1}', 'd1', { date: 'later' })]);
  // Signatures are verified in threads: either of the two may be the first.
  const [first, again] = both.toSorted((a, b) => (a.status < b.status ? -1 : 1));
  expect([first, again]).toEqual([
    { status: 'accepted', deliveryId: 'd1', runId: expect.any(String) as string },
    { ...first, status: 'duplicate' },
  ]);
  await advance(6 * 86_400_000);
  await engine.close();
  const next = await hooked({ verify }, { store, clock });
  expect(await next.github('{"n":1}', 'd1')).toEqual({ ...first, status: 'duplicate' });
  expect(await next.github('{"n":1}', 'd2')).toMatchObject({ status: 'accepted' });
  expect(await next.engine.runs()).toHaveLength(2);
  await next.advance(8 * 86_400_000);
  await next.github('{"n":1}', 'd3');
  expect((await store.listRecords('webhook-delivery', { limit: 10 })).map(({ key }) => key)).toEqual(['hook/d3']);
});

test('[WH12] a delivery whose answer was lost in a crash starts the same run, also if it comes with other headers', async () => {
  const input = { date: 'event.headers.date' };
  const { github, engine, store, clock } = await hooked({ verify, input });
  const first = await github('{}', 'd1', { date: 'Monday' });
  // As it lay there before the answer was stored.
  const call = { deliveryId: 'd1', method: 'POST', query: {}, body: {}, headers: { date: 'Monday' } };
  const record = {
    kind: 'webhook-delivery',
    key: 'hook/d1',
    value: JSON.stringify({ at: clock.now(), call }),
    dueAt: 1e15,
  };
  await store.commit({ runs: [], journal: [], outboxAdded: [], outboxDone: [], keys: [], records: [record] });
  expect(await github('{}', 'd1', { date: 'Tuesday' })).toEqual(first);
  expect(await engine.runs()).toHaveLength(1);
});

test('[WH8] without an id, what was signed tells deliveries apart; a public webhook takes every call', async () => {
  const signed = await hooked({ verify: { scheme: 'hmac', secret: 'signing', header: 'x-sign' } });
  const send = (body: string) => signed.receive(body, { 'x-sign': hmac(body) });
  expect([(await send('{}')).status, (await send('{}')).status, (await send('{ }')).status]).toEqual([
    'accepted',
    'duplicate',
    'accepted',
  ]);
  const open = await hooked({ public: true });
  expect([(await open.receive('{}')).status, (await open.receive('{}')).status]).toEqual(['accepted', 'accepted']);
  const named = await hooked({ public: true, deliveryIdHeader: 'X-Id' });
  const call = (id: string) => named.receive('{}', { 'x-id': id });
  expect([(await call('1')).status, (await call('1')).status, (await call('2')).status]).toEqual([
    'accepted',
    'duplicate',
    'accepted',
  ]);
});

test.each([
  ['hmac', { header: 'x-sign' }, (body: string) => ({ 'x-sign': hmac(body) }), 'x-sign'],
  [
    'slack',
    {},
    (body: string, time: number) => ({
      'x-slack-signature': `v0=${hmac(`v0:${time}:${body}`)}`,
      'x-slack-request-timestamp': String(time),
    }),
    'x-slack-signature',
  ],
  [
    'stripe',
    {},
    (body: string, time: number) => ({ 'stripe-signature': `t=${time},v1=${hmac(`${time}.${body}`)}` }),
    'stripe-signature',
  ],
] as const)(
  '[WH8] %s: a call is no new one because its signature is written otherwise',
  async (scheme, more, sign, header) => {
    const { receive, clock } = await hooked({ verify: { scheme, secret: 'signing', ...more } });
    const signed: Record<string, string> = sign('{"n":1}', Math.floor(clock.now() / 1_000));
    const signature = signed[header] ?? '';
    const upper = signature.replace(/[0-9a-f]{64}/, (hex) => hex.toUpperCase());
    const longer = scheme === 'stripe' ? `${signature},v0=more` : upper;
    const statuses: string[] = [];
    for (const text of [signature, upper, longer])
      statuses.push((await receive('{"n":1}', { ...signed, [header]: text })).status);
    expect(statuses).toEqual(['accepted', 'duplicate', 'duplicate']);
  },
);

test('[WH8] a call is no new one because it comes with another content type, which nobody signs', async () => {
  const { receive, clock } = await hooked({ verify: { scheme: 'stripe', secret: 'signing' } });
  const body = '{"id":"evt_1"}';
  const time = Math.floor(clock.now() / 1_000);
  const signed = { 'stripe-signature': `t=${time},v1=${hmac(`${time}.${body}`)}` };
  const statuses: string[] = [];
  for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded', ''])
    statuses.push((await receive(body, { ...signed, 'content-type': type })).status);
  expect(statuses).toEqual(['accepted', 'duplicate', 'duplicate', 'duplicate']);
});

test('[WH8] Stripe sends an event again with another signature: the id in the body counts', async () => {
  const { receive, clock } = await hooked({ verify: { scheme: 'stripe', secret: 'signing' } });
  const body = '{"id":"evt_1"}';
  const send = () => {
    const time = Math.floor(clock.now() / 1_000);
    return receive(body, { 'stripe-signature': `t=${time},v1=${hmac(`${time}.${body}`)}` });
  };
  const first = await send();
  await clock.advance(3_600_000);
  expect([first.status, await send()]).toEqual(['accepted', { ...first, status: 'duplicate' }]);
});

test('[WH10] whatever is wrong with the signature, the answer is the same; a missing secret is told of', async () => {
  const { receive, github, engine, errors } = await hooked({ verify });
  const refusal = { code: 'WEBHOOK_SIGNATURE_INVALID', message: 'Expected a valid signature, but there is none' };
  await expect(receive('{}')).rejects.toMatchObject(refusal);
  await expect(receive('{}', { 'x-hub-signature-256': `sha256=${hmac('{ }')}` })).rejects.toMatchObject(refusal);
  await expect(receive('not json')).rejects.toMatchObject(refusal);
  expect(errors).toEqual([]);
  await engine.secrets.remove('signing');
  await expect(github('{}', 'd1')).rejects.toMatchObject(refusal);
  expect(errors).toEqual(['Expected a secret signing, but there is none; set it first']);
  expect(await engine.runs()).toEqual([]);
});

test('[WH9] what is no webhook, or is switched off, is not found; a method must be allowed', async () => {
  const { engine, receive } = await hooked({ public: true, methods: ['PUT'] });
  await engine.triggers.create({ id: 'manual', type: 'manual', workflow: 'echo' });
  const call = { method: 'POST', headers: {}, rawBody: new Uint8Array() };
  await expect(engine.webhooks.receive('none', call)).rejects.toMatchObject({ code: 'WEBHOOK_NOT_FOUND' });
  await expect(engine.webhooks.receive('manual', call)).rejects.toMatchObject({ code: 'WEBHOOK_NOT_FOUND' });
  await expect(receive('{}')).rejects.toMatchObject({
    code: 'WEBHOOK_METHOD_NOT_ALLOWED',
    details: { methods: ['PUT'] },
  });
  expect(await receive('{}', {}, 'PUT')).toMatchObject({ status: 'accepted' });
  await engine.triggers.disable('hook');
  await expect(receive('{}', {}, 'PUT')).rejects.toMatchObject({ code: 'WEBHOOK_NOT_FOUND' });
});

test('[WH11] a body that does not fit the schema is refused with its problems, and may come again', async () => {
  const schema = { type: 'object', required: ['n'], properties: { n: { type: 'number' } } } as const;
  const { github, engine } = await hooked({ verify, schema });
  await expect(github('{"n":"1"}', 'd1')).rejects.toMatchObject({
    code: 'WEBHOOK_BODY_INVALID',
    problems: [{ pointer: '/n' }],
  });
  expect(await engine.runs()).toEqual([]);
  expect(await github('{"n":1}', 'd1')).toMatchObject({ status: 'accepted' });
});

test.each([
  ['JSON', 'application/json; charset=utf-8', '{"a":[1]}', { a: [1] }],
  ['a kind of JSON', 'application/cloudevents+json', '{}', {}],
  ['a form', 'application/x-www-form-urlencoded', 'a=1&b=x+y&b=z', { a: '1', b: ['x y', 'z'] }],
  ['a text', 'text/plain', 'hello', 'hello'],
  ['nothing', 'application/json', '', null],
])('[WH6] the body is %s', async (_, type, body, read) => {
  const { receive, inputOf } = await hooked({ public: true, input: { body: 'event.body' } });
  const received = await receive(body, { 'content-type': type });
  expect(await inputOf('runId' in received ? received.runId : null)).toEqual({ body: read });
});

test.each([
  ['no JSON', 'application/json', '{'],
  ['a key twice', 'application/json', '{"a":1,"a":2}'],
  ['a forbidden key', 'application/json', '{"__proto__":1}'],
  ['a forbidden field', 'application/x-www-form-urlencoded', '__proto__=1'],
  ['too deep', 'application/json', `${'['.repeat(300)}${']'.repeat(300)}`],
])('[WH6] a body with %s is refused', async (_, type, body) => {
  const { receive } = await hooked({ public: true });
  await expect(receive(body, { 'content-type': type })).rejects.toMatchObject({ code: 'WEBHOOK_BODY_INVALID' });
});

test('[WH6] a form in which one name comes very often is read in no time to speak of', async () => {
  const { receive, inputOf } = await hooked({ public: true, input: { count: 'size(event.body.a)' } });
  // To copy the list for each value would take about an hour.
  const received = await receive('a=&'.repeat(200_000), { 'content-type': 'application/x-www-form-urlencoded' });
  expect(await inputOf('runId' in received ? received.runId : null)).toEqual({ count: 200_000 });
});

test('[WH6] a body that is too large is refused by its limit', async () => {
  const { receive } = await hooked({ public: true }, { limits: { payloadBytesMax: 1_000 } });
  await expect(receive('x'.repeat(1_001))).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED', limit: 'payloadBytesMax' });
});

test.each([
  ['many values', '[1,2,3,4,5,6]', 'WEBHOOK_BODY_INVALID'],
  ['many keys', '{"a":1,"b":2,"c":3}', 'WEBHOOK_BODY_INVALID'],
  ['many fields', 'a=&a=&a=&a=&a=', 'LIMIT_EXCEEDED'],
  ['many names of fields', 'a=&b=&c=&', 'LIMIT_EXCEEDED'],
])('[HT22][WH6] a body of %s is refused', async (_, body, code) => {
  const { receive } = await hooked({ public: true }, { limits: { jsonNodesMax: 4, jsonKeysMax: 2 } });
  const type = /^[[{]/.test(body) ? 'application/json' : 'application/x-www-form-urlencoded';
  const message = expect.stringMatching(/json(Nodes|Keys)Max/);
  await expect(receive(body, { 'content-type': type })).rejects.toMatchObject({ code, message });
  expect(await receive('{"a":1}', { 'content-type': 'application/json' })).toMatchObject({ status: 'accepted' });
});

test('[WH5] Slack asks with a challenge, and is answered once it has proved itself', async () => {
  const { receive, clock, engine } = await hooked({ verify: { scheme: 'slack', secret: 'signing' } });
  const body = '{"type":"url_verification","challenge":"c0ffee"}';
  const time = String(clock.now() / 1_000);
  const headers = { 'x-slack-request-timestamp': time, 'x-slack-signature': `v0=${hmac(`v0:${time}:${body}`)}` };
  expect(await receive(body, headers)).toEqual({ status: 'challenge', challenge: 'c0ffee' });
  await expect(receive(body)).rejects.toMatchObject({ code: 'WEBHOOK_SIGNATURE_INVALID' });
  expect(await engine.runs()).toEqual([]);
});

test('[WH13] a start that is refused tells so, and the delivery may come again', async () => {
  const { engine, github } = await hooked({ verify });
  const { workflow, ...rest } = { id: 'hook', type: 'webhook', workflow: 'later', verify } as const;
  await engine.triggers.create({ ...rest, workflow }, { replace: true });
  await expect(github('{}', 'd1')).rejects.toMatchObject({ code: 'WEBHOOK_START_REFUSED' });
  await engine.register({ id: 'later', initialNode: 'go', nodes: [{ id: 'go' }] });
  expect(await github('{}', 'd1')).toMatchObject({ status: 'accepted' });
});

test.each([
  ['[WH1] neither verified nor public', {}, ['MISSING_FIELD ']],
  ['[WH1] both', { verify, public: true }, ['NOT_ALLOWED /public']],
  ['[WH1] public: false', { public: false }, ['MISSING_FIELD ']],
  ['[WH2] hmac without a header', { verify: { scheme: 'hmac', secret: 's' } }, ['MISSING_FIELD /verify']],
  ['[WH2] a header of another scheme', { verify: { ...verify, header: 'x' } }, ['NOT_ALLOWED /verify/header']],
  ['[WH1] a scheme that is none', { verify: { ...verify, scheme: 'none' } }, ['UNKNOWN_VALUE /verify/scheme']],
  ['[WH1] a schema that is none', { public: true, schema: { type: 'nothing' } }, ['INVALID_SCHEMA /schema/type']],
  ['[WH1] a method that is none', { public: true, methods: ['post'] }, ['INVALID_NAME /methods/0']],
])('%s is refused', async (_, fields, expected) => {
  const { engine } = await createTestEngine();
  const source: unknown = { id: 'hook', type: 'webhook', workflow: 'echo', ...fields };
  const { problems, trigger } = await engine.triggers.create(source);
  const errors = problems.filter(({ severity }) => severity === 'error');
  expect([errors.map(({ code, pointer }) => `${code} ${pointer}`), trigger]).toEqual([expected, null]);
});
