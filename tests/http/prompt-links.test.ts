// The prompt behind a secret link: what somebody without a key sees of it, until it is over.

import { expect, test } from 'vitest';
import type { Json } from '../../packages/heddle/src/base/json.ts';
import { VirtualClock } from '../../packages/heddle/src/testing/virtual-clock.ts';
import { problemIn } from './problems.testsuite.ts';
import { eventually, type Served, served } from './server.testsuite.ts';
import { makeWorld } from './world.testsuite.ts';

const schema = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] };
const review = {
  id: 'review',
  initialNode: 'each',
  nodes: [
    { id: 'each' },
    { id: 'ask', input: { title: 'Is it right?', description: 'Look at the order.', schema, deadlineMs: 86_400_000 } },
  ],
  transitions: [{ from: 'each', to: 'ask', foreach: { collection: 'input.orders', itemVar: 'order' } }],
};

interface Link {
  readonly secret: string;
  readonly path: string;
  readonly page: string;
}

async function asked(server: Served): Promise<Link & { readonly runId: string }> {
  await server.engine.register(review);
  const { id: runId } = await server.engine.start('review', { orders: ['order 7'] });
  let correlationId = '';
  await eventually(async () => {
    const [prompt] = await server.engine.prompts({ runId });
    expect(prompt).toBeDefined();
    correlationId = prompt?.correlationId ?? '';
  });
  return { ...(await server.client.call('createPromptSecret', { correlationId })), runId };
}

const look = async (server: Served, { path }: Link): Promise<Json> => (await server.ask(path)).json() as Promise<Json>;

test('[PR6] a link shows what is asked, and nothing else, to whoever has it', async () => {
  const server = await served();
  const link = await asked(server);
  expect(link.page).toBe(`/answer/default/${encodeURIComponent(link.secret)}`);
  const first = await look(server, link);
  expect(first).toEqual({
    status: 'open',
    workflow: 'review',
    title: 'Is it right?',
    description: 'Look at the order.',
    item: 'order 7',
    schema,
    deadline: expect.any(Number),
  });
  // Looking changes nothing, however often programs that check links do it.
  expect(await look(server, link)).toEqual(first);
  const headers = { 'content-type': 'application/json' };
  await server.ask(link.path, { method: 'POST', headers, body: '{"payload":{"ok":true}}' });
  expect(await look(server, link)).toEqual({
    status: 'answered',
    workflow: 'review',
    title: 'Is it right?',
    description: null,
    schema: null,
    deadline: expect.any(Number),
  });
});

test('[PR6] a link says that its prompt was cancelled', async () => {
  const server = await served();
  const link = await asked(server);
  await server.engine.run(link.runId).cancel('it is late');
  expect(await look(server, link)).toMatchObject({ status: 'cancelled', schema: null });
});

test('[PR6] a link says that its deadline has passed', async () => {
  const clock = new VirtualClock();
  const server = await served({ clock });
  const link = await asked(server);
  await clock.advance(86_400_000);
  await eventually(async () => expect(await look(server, link)).toMatchObject({ status: 'expired', schema: null }));
});

test('[AC7] a secret that opens nothing is answered the same, whether its tenant is there or not', async () => {
  const { server, ids } = await makeWorld();
  const told = async (path: string): Promise<unknown> => {
    const response = await server.ask(path);
    return [response.status, await response.json(), [...response.headers.keys()].toSorted()];
  };
  for (const secret of ['none', 'a.b', `${ids.promptSecret}x`, 'x'.repeat(2_000)])
    expect(await told(`/v1/replies/nobody/${secret}`), secret).toEqual(await told(`/v1/replies/acme/${secret}`));
  // Nor does a right secret lead to the prompt of another tenant, or to one that is not there.
  for (const tenant of ['nobody', 'default'])
    expect(await problemIn(await server.ask(`/v1/replies/${tenant}/${ids.promptSecret}`))).toMatchObject({
      status: 404,
      code: 'PROMPT_NOT_FOUND',
    });
  expect((await server.ask(`/v1/replies/acme/${ids.promptSecret}`)).status).toBe(200);
});
