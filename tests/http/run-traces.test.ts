// The trace of a run over real sockets: pages, a live stream that resumes by id, and who may read it.

import { expect, test } from 'vitest';
import type { RunTraceEvent } from '../../packages/heddle/src/index.ts';
import { problemIn } from './problems.testsuite.ts';
import { greeting, type Served, served } from './server.testsuite.ts';
import { readEvents, type Sent } from './sse.testsuite.ts';

interface Page {
  readonly items: readonly RunTraceEvent[];
  readonly next: string | null;
}

/** A run that was started with a plain request, and has ended. */
async function traced(server: Served): Promise<string> {
  await server.client.register(greeting);
  const response = await server.ask('/v1/runs', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ workflow: 'greeting', input: { name: 'Ada' }, trace: true, waitMs: 20_000 }),
  });
  return ((await response.json()) as { readonly runId: string }).runId;
}

const pathOf = (runId: string): string => `/v1/runs/${runId}/trace`;
const pageOf = async ({ ask }: Served, path: string): Promise<Page> => (await (await ask(path)).json()) as Page;
const ids = (sent: readonly Sent[]): readonly (string | null)[] => sent.map(({ id }) => id);

test('[T478][TC6] a trace is handed out in pages', async () => {
  const server = await served();
  const runId = await traced(server);
  const { items, next } = await pageOf(server, `${pathOf(runId)}?limit=1000`);
  expect([items.length > 7, next]).toEqual([true, null]);
  const paged: RunTraceEvent[] = [];
  for (let after = ''; ; ) {
    const page = await pageOf(server, `${pathOf(runId)}?limit=3${after}`);
    paged.push(...page.items);
    if (page.next === null) break;
    expect(page.items).toHaveLength(3);
    after = `&after=${page.next}`;
  }
  expect(paged).toEqual(items);
});

test('[T478][TC6] the stream of a trace is the trace; it resumes after any id, and says that it is the end', async () => {
  const server = await served();
  const runId = await traced(server);
  const { items } = await pageOf(server, `${pathOf(runId)}?limit=1000`);
  const stream = `${server.url}${pathOf(runId)}/stream`;
  const sent = await (await readEvents(stream)).rest();
  expect(sent.slice(0, -1).map(({ data }) => data)).toEqual(items);
  expect(sent.at(-1)).toEqual({ id: null, name: 'end', data: {} });
  for (const [index, { id }] of items.slice(0, -1).entries()) {
    const resumed = await (await readEvents(stream, { 'last-event-id': id })).rest();
    expect(ids(resumed)).toEqual([...items.slice(index + 1).map((item) => item.id), null]);
  }
  expect((await readEvents(stream, { 'last-event-id': items.at(-1)?.id ?? '' })).response.status).toBe(204);
});

test('[T478][TC3] the stream of a trace that reached its limit ends with how many were dropped', async () => {
  const server = await served({ limits: { traceBytesMax: 600 } });
  const runId = await traced(server);
  const { items, next } = await pageOf(server, `${pathOf(runId)}?limit=1000`);
  expect(next).toBeNull();
  expect(items.at(-1)).toMatchObject({ type: 'trace.dropped', data: { limit: 'traceBytesMax' } });
  const stream = `${server.url}${pathOf(runId)}/stream`;
  const sent = await (await readEvents(stream)).rest();
  expect(sent.slice(0, -1).map(({ data }) => data)).toEqual(items);
  expect(sent.at(-1)?.name).toBe('end');
  expect((await readEvents(stream, { 'last-event-id': items.at(-1)?.id ?? '' })).response.status).toBe(204);
});

test('[T478][TC7] a run that was started without is a conflict, for pages and for streams', async () => {
  const server = await served();
  await server.client.register(greeting);
  const run = await server.client.start('greeting', { name: 'Ada' });
  for (const path of [pathOf(run.id), `${pathOf(run.id)}/stream`])
    expect(await problemIn(await server.ask(path))).toMatchObject({ status: 409, code: 'RUN_NOT_TRACED' });
});

test('[T478] whoever may read the events of a run may read its trace; others may not', async () => {
  const server = await served();
  const runId = await traced(server);
  const [reader, starter, foreigner] = [
    await server.clientWith(['run:read']),
    await server.clientWith(['run:start']),
    await server.clientWith(['*'], 'other'),
  ];
  expect(await reader.run(runId).trace({ follow: false }).next()).toMatchObject({ value: { id: '1.0' } });
  await expect(starter.run(runId).trace({ follow: false }).next()).rejects.toMatchObject({ code: 'SCOPE_MISSING' });
  await expect(foreigner.run(runId).trace().next()).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
});
