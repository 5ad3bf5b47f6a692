// What whoever operates a server sees of it: figures and the log.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { jsonLog } from '../../packages/heddle/src/server/log.ts';
import { families } from '../../packages/heddle/src/telemetry/families.ts';
import { greeting, served } from './server.testsuite.ts';

const failing = {
  id: 'failing',
  initialNode: 'work',
  nodes: [{ id: 'work', action: 'fail', inputMapping: { text: 'input.text' } }],
  transitions: [],
};
const asking = { id: 'asking', initialNode: 'ask', nodes: [{ id: 'ask', input: true }], transitions: [] };

const strict = {
  ...greeting,
  id: 'strict',
  inputSchema: { type: 'object', properties: { name: { enum: ['Ada'] } }, required: ['name'] },
};

const fail = (): never => {
  throw Object.assign(new Error('planted-message'), { code: 'BROKEN' });
};

describe('the figures of a server', () => {
  test('[MT1] are a text that Prometheus reads: every sample has its family before it', async () => {
    const server = await served({ actions: { fail } });
    await server.client.register(greeting);
    await (await server.client.start('greeting', { name: 'Ada' })).result();
    await server.ask('/v1/nowhere');
    const answer = await server.ask('/metrics');
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const text = await answer.text();
    const types = new Map<string, string>();
    for (const line of text.trimEnd().split('\n')) {
      const [, name, type] = /^# TYPE (\w+) (\w+)$/.exec(line) ?? [];
      if (name !== undefined && type !== undefined) {
        expect(types.has(name)).toBe(false);
        types.set(name, type);
      } else if (!line.startsWith('# HELP ')) {
        const sample = /^(\w+)(\{\w+="[^"\\\n]*"(,\w+="[^"\\\n]*")*\})? (-?[\d.e+-]+)$/.exec(line)?.[1] ?? line;
        const family = types.has(sample) ? sample : sample.replace(/_(bucket|sum|count)$/, '');
        expect([...types.keys()].at(-1)).toBe(family);
      }
    }
    expect(text).toContain('heddle_runs_ended_total{tenant="default",workflow="greeting",status="completed"} 1\n');
    expect(text).toContain('heddle_task_attempts_total{tenant="default",action="core.echo",outcome="completed"} 1\n');
    expect(text).toContain('heddle_http_requests_total{operation="startRun",status="201"} 1\n');
    expect(text).toContain('heddle_http_requests_total{operation="none",status="404"} 1\n');
    expect([...types.keys()].filter((name) => !Object.hasOwn(families, name))).toEqual([]);
  });

  test('all are told of in the guide', () => {
    const guide = readFileSync(new URL('../../docs/guide/operations.md', import.meta.url), 'utf8');
    expect(Object.keys(families).filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
  });

  test('[MT5] of other tenants are seen by the default tenant alone', async () => {
    const server = await served();
    const client = await server.clientWith(['*'], 'acme');
    await client.register(greeting);
    await (await client.start('greeting', { name: 'Ada' })).result();
    const operator = { tenant: 'default', scopes: new Set(['*']), keyId: null };
    const scrape = async (tenant: string): Promise<string> => {
      const { key } = await server.keys.create({ name: 'scrape', scopes: ['operate'], tenant }, operator);
      return (await server.ask('/metrics', { headers: { authorization: `Bearer ${key}` } })).text();
    };
    const [all, acme, other] = [await scrape('default'), await scrape('acme'), await scrape('other')];
    const tenantsIn = (text: string) => [...new Set([...text.matchAll(/tenant="(\w+)"/g)].map(([, name]) => name))];
    expect([tenantsIn(all), tenantsIn(acme), tenantsIn(other)]).toEqual([['acme', 'default'], ['acme'], ['other']]);
    expect([all, acme].map((text) => text.includes('process_resident_memory_bytes'))).toEqual([true, false]);
    expect([all, acme].map((text) => text.includes('heddle_http_requests_total'))).toEqual([true, false]);
  });
});

describe('the log of a server', () => {
  test('[LG1][LG2][LG3][LG4] has the ids of what happened, and nothing of what runs were given or answered', async () => {
    const lines: string[] = [];
    const log = jsonLog('debug', (line) => void lines.push(line));
    const server = await served({ actions: { fail }, log });
    for (const definition of [greeting, failing, asking, strict]) await server.client.register(definition);
    await (await server.client.start('greeting', { name: 'planted-input' })).result();
    const failed = await server.client.start('failing', { text: 'planted-input' });
    await failed.result();
    const asked = await server.client.start('asking');
    const [prompt] = await server.client.prompts({ runId: asked.id });
    const secret = await server.client.promptSecret(prompt?.correlationId ?? '');
    await server.client.reply(secret, { answer: 'planted-answer' });
    await asked.result();
    await server.engine.secrets.set('token', 'planted-secret');
    for (const workflow of ['greeting', 'strict'])
      await server.engine.triggers.create({ id: `on-${workflow}`, workflow, type: 'event', event: 'told' });
    await server.client.publish('told', { name: 'planted-payload' });
    await server.ask('/v1/webhooks/default/nowhere', { method: 'POST', body: 'planted-body' });
    const { key } = await server.keys.create(
      { name: 'test', scopes: ['*'] },
      { tenant: 'default', scopes: new Set(['*']), keyId: null },
    );
    await server.ask('/v1/runs', { headers: { authorization: `Bearer ${key}` } });
    await server.ask('/v1/runs', { headers: { authorization: 'Bearer planted-key' } });
    await server.close();
    const written = lines.join('');
    for (const planted of ['planted', secret, key]) expect(written).not.toContain(planted);
    const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const about = (message: string) => entries.filter((entry) => entry['message'] === message);
    expect(about('A node failed')).toEqual([
      {
        time: expect.any(String) as string,
        level: 'warn',
        message: 'A node failed',
        tenant: 'default',
        runId: failed.id,
        workflow: 'failing',
        tokenId: 1,
        node: 'work',
        code: 'BROKEN',
      },
    ]);
    const ends = about('A run ended').map(({ level, workflow, status }) => ({ level, workflow, status }));
    expect(ends.slice(0, 3)).toEqual([
      { level: 'debug', workflow: 'greeting', status: 'completed' },
      { level: 'warn', workflow: 'failing', status: 'failed' },
      { level: 'debug', workflow: 'asking', status: 'completed' },
    ]);
    expect(
      about('A request was answered').map(({ operation, status }) => `${String(operation)} ${String(status)}`),
    ).toContain('replyWithSecret 200');
    expect(about('A call of a webhook was refused')).toMatchObject([{ level: 'warn', operation: 'receiveWebhook' }]);
    expect(about('A run started').map(({ workflow, triggerId }) => ({ workflow, triggerId }))).toContainEqual({
      workflow: 'greeting',
      triggerId: 'on-greeting',
    });
    expect(entries.filter(({ level }) => level === 'error')).toMatchObject([
      { message: 'A trigger could not start a run', triggerId: 'on-strict', code: 'INPUT_INVALID' },
    ]);
    expect([entries[0]?.['message'], entries.at(-1)?.['message']]).toEqual(['Serving', 'Everything is stored']);
  });

  test('[LG2] tells of a worker that was lost', async () => {
    const lines: string[] = [];
    const server = await served({ log: jsonLog('warn', (line) => void lines.push(line)) });
    await server.client.register({ ...failing, id: 'slow', nodes: [{ id: 'work', action: 'slow' }] });
    const { id } = await server.client.start('slow');
    await server.client.tasks.lease({ actions: ['slow'], leaseMs: 1, waitMs: 60_000 });
    await server.client.tasks.lease({ actions: ['slow'], waitMs: 60_000 });
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { level: 'warn', message: 'A task was lost with its worker', runId: id, workflow: 'slow', tokenId: 1 },
    ]);
  });
});
