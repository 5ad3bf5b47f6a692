// What some routes answer that is not what the engine alone would say.

import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createEngine } from '../../packages/heddle/src/index.ts';
import { problemIn } from './problems.testsuite.ts';
import { greeting, served } from './server.testsuite.ts';
import { makeWorld } from './world.testsuite.ts';

const post = (body: unknown, headers: Readonly<Record<string, string>> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

test('[HT8] a definition with errors is refused with all of them, and nothing is stored', async () => {
  const { ask, client } = await served();
  const broken = { ...greeting, initialNode: 'nowhere', transitions: [{ from: 'greet', to: 'gone' }] };
  const problem = await problemIn(await ask('/v1/definitions', post(broken)));
  expect(problem).toMatchObject({ status: 422, code: 'DEFINITION_INVALID' });
  expect(problem.problems?.map(({ pointer }) => pointer).toSorted()).toEqual(['/initialNode', '/transitions/0/to']);
  expect(await client.definitions()).toEqual([]);
});

test('[HT10] bytes that somebody has put are for downloading: no browser shows or runs them', async () => {
  const { ask } = await served();
  const page = '<script>alert(1)</script>';
  const put = await ask('/v1/artifacts', { method: 'POST', headers: { 'content-type': 'text/html' }, body: page });
  const { id } = (await put.json()) as { readonly id: string };
  const got = await ask(`/v1/artifacts/${id}?mimeType=text/html`);
  expect(await got.text()).toBe(page);
  expect(got.headers.get('content-disposition')).toBe('attachment');
  expect(got.headers.get('x-content-type-options')).toBe('nosniff');
  expect(got.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
  for (const type of ['text/plain\r\nset-cookie: a=b', 'ä/ö', '\u0000', '🙂'])
    expect((await ask(`/v1/artifacts/${id}?mimeType=${encodeURIComponent(type)}`)).headers.get('content-type')).toBe(
      'application/octet-stream',
    );
});

test('[HT12] a task is finished with an output or with an error, not with both or neither', async () => {
  const { server, ids, key, look } = await makeWorld();
  const { lease } = ids;
  const error = { message: 'no' };
  for (const task of [{ lease }, { lease, output: 1, error }]) {
    const response = await server.ask('/v1/tasks/finish', post({ tasks: [task] }, { authorization: `Bearer ${key}` }));
    expect(await problemIn(response)).toMatchObject({ status: 422, code: 'REQUEST_INVALID', pointer: '/tasks/0' });
  }
  expect(await look('/v1/runs?workflow=working')).toMatchObject({ items: [{ status: 'running' }] });
});

test('[SV6] a backup lies beside the store, and can be opened as one', async () => {
  const { server, ids, key, tenant } = await makeWorld();
  const made = await server.ask('/v1/backups', post({ path: '/tmp/elsewhere.db' }, { authorization: `Bearer ${key}` }));
  expect(made.status).toBe(201);
  const { file } = (await made.json()) as { readonly file: string };
  expect(file).toMatch(new RegExp(`^${tenant}-[0-9TZ-]+-[0-9a-f]{8}\\.db$`));
  const copy = await createEngine({ store: path.join(`${server.store}.backups`, file), readOnly: true });
  expect(await copy.run(ids.runId).status()).toBe('completed');
  await copy.close();
});

test('[SV6][BU1] backups that are asked for at once are each whole', async () => {
  const { server, ids, key } = await makeWorld();
  const ask = () => server.ask('/v1/backups', post({}, { authorization: `Bearer ${key}` }));
  const answers = await Promise.all(Array.from({ length: 4 }, ask));
  const made = await Promise.all(answers.map(async (answer) => (await answer.json()) as { readonly file: string }));
  expect(new Set(made.map(({ file }) => file)).size).toBe(4);
  for (const { file } of made) {
    const copy = await createEngine({ store: path.join(`${server.store}.backups`, file), readOnly: true });
    expect(await copy.run(ids.runId).status()).toBe('completed');
    await copy.close();
    expect(existsSync(path.join(`${server.store}.backups`, `${file}.key`))).toBe(true);
  }
});

test('[SV7] what an earlier server left of a backup is removed; whole ones stay', async () => {
  const first = await served();
  const whole = await first.client.backup();
  await first.close();
  const folder = `${first.store}.backups`;
  for (const part of ['.new', '.key']) writeFileSync(path.join(folder, `default-cut-off.db${part}`), 'half of it');
  mkdirSync(path.join(folder, 'default-cut-off.db-artifacts'));
  await served({ store: first.store });
  const left = readdirSync(folder).filter((name) => !name.startsWith(whole));
  expect([left, readdirSync(folder).includes(whole)]).toEqual([[], true]);
});

test('[HT1] an error has the status that its code stands for', async () => {
  const { server, ids, key } = await makeWorld();
  const headers = { authorization: `Bearer ${key}` };
  const { runId, askingRunId, correlationId } = ids;
  const found = async (address: string, init: RequestInit): Promise<readonly unknown[]> => {
    const { status, code } = await problemIn(await server.ask(address, init));
    return [status, code];
  };
  expect(await found('/v1/runs/nobody', { headers })).toEqual([404, 'RUN_NOT_FOUND']);
  expect(await found('/v1/runs', post({ workflow: 'nothing' }, headers))).toEqual([404, 'WORKFLOW_NOT_FOUND']);
  expect(await found(`/v1/runs/${runId}/retry`, post({}, headers))).toEqual([409, 'RUN_NOT_FAILED']);
  expect(await found(`/v1/runs/${askingRunId}`, { method: 'DELETE', headers })).toEqual([409, 'RUN_NOT_ENDED']);
  const reply = `/v1/runs/${askingRunId}/prompts/${correlationId}/reply`;
  await server.ask(reply, post({ payload: 1 }, headers));
  expect(await found(reply, post({ payload: 2 }, headers))).toEqual([409, 'ALREADY_ANSWERED']);
  expect(await found('/v1/tasks/publish', post({ lease: 'x', name: 'y' }, headers))).toEqual([403, 'LEASE_UNKNOWN']);
  expect(await found(`/v1/runs/${runId}/state/x`, { headers })).toEqual([400, 'EVENT_ID_INVALID']);
});
