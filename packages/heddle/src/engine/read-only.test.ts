// An engine that only reads: whatever would change something is refused in the same words, whatever looks answers, and the
// store is afterwards what it was.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Store } from '../actor/ports.ts';
import { sideCommit } from '../actor/side-writer.ts';
import { memoryStore } from '../hosts/memory/store.ts';
import { openSqliteStore } from '../hosts/sqlite/open.ts';
import { nodeTransport } from '../outbound/node/transport.ts';
import { allOf, openEngine } from './engine.testsuite.ts';
import type { Engine } from './engine.ts';

const ask = { id: 'ask', initialNode: 'a', nodes: [{ id: 'a', input: { title: 'OK?' } }] };
const work = { id: 'work', initialNode: 'a', nodes: [{ id: 'a', action: 'work' }] };

type Reopen = () => Promise<Store>;

const hosts: Readonly<Record<string, () => Promise<{ readonly store: Store; readonly reopen: Reopen }>>> = {
  memory: async () => {
    const store = memoryStore();
    return { store, reopen: async () => store };
  },
  sqlite: async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'heddle-read-only-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = path.join(folder, 'heddle.db');
    return { store: await openSqliteStore(file), reopen: () => openSqliteStore(file, { readOnly: true }) };
  },
};

interface Seen {
  readonly engine: Engine;
  readonly asked: string;
  readonly failed: string;
  readonly done: string;
  readonly broken: string;
  readonly prompt: string;
  readonly secret: string;
  readonly snapshot: unknown;
  readonly folder: string;
}

/** A store in which there is something of everything, and a reader of it. */
async function readerOf(host: string): Promise<Seen> {
  const { store, reopen } = await hosts[host]!();
  const { engine, settle, script, clock } = await openEngine({
    store,
    http: { transport: nodeTransport() },
    scripted: ['work'],
  });
  for (const definition of [ask, work]) await engine.register(definition);
  const [asked, failed, done] = [await engine.start('ask'), await engine.start('work'), await engine.start('work')];
  await settle();
  script.next('work').fail({ code: 'NO', message: 'no' });
  script.next('work').complete({});
  await settle();
  const [prompt] = await engine.prompts();
  const snapshot = await asked.snapshot();
  const secret = await engine.promptSecret(prompt!.correlationId);
  await engine.artifacts.put('bytes', 'text/plain');
  await engine.triggers.create({ id: 'manual', type: 'manual', workflow: 'work' });
  await engine.retention.set('work', { days: 30 });
  await engine.secrets.set('token', 'x'.repeat(20), { hosts: ['example.com'] });
  await engine.callbacks.create({ id: 'tell', url: 'https://example.com/', on: ['run.ended'] });
  const broken = await setAside(store, (await engine.start('ask')).id);
  await engine.close();
  const reader = await openEngine({
    store: await reopen(),
    http: { transport: nodeTransport() },
    readOnly: true,
    clock,
  });
  onTestFinished(() => reader.engine.close());
  const folder = mkdtempSync(path.join(tmpdir(), 'heddle-read-only-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const ids = { broken, asked: asked.id, failed: failed.id, done: done.id, prompt: prompt!.correlationId };
  return { engine: reader.engine, ...ids, secret, snapshot, folder };
}

async function setAside(store: Store, runId: string): Promise<string> {
  const row = { ...(await store.readRun(runId))!, quarantine: 'for a test', hasWork: false };
  await store.commit({ ...sideCommit({}), runs: [{ row, isNew: false }] });
  return runId;
}

type Operation = (seen: Seen) => unknown;

const changes: Readonly<Record<string, Operation>> = {
  register: ({ engine }) => engine.register({ ...work, id: 'other' }),
  start: ({ engine }) => engine.start('work'),
  'start of what is not there': ({ engine }) => engine.start('none'),
  'restore of rubbish': ({ engine }) => engine.restore({}),
  'retry of nobody': ({ engine }) => engine.run('none').retry(),
  'retry of one that goes on': ({ engine, asked }) => engine.run(asked).retry(),
  'delete of nobody': ({ engine }) => engine.run('none').delete(),
  'reply with rubbish': ({ engine }) => engine.reply('rubbish', {}),
  'reply to nobody': ({ engine }) => engine.run('none').reply('none', {}),
  'cancel of nobody': ({ engine }) => engine.run('none').cancel(),
  'register of rubbish': ({ engine }) => engine.register({ id: 'rubbish' }),
  'start by key': ({ engine }) => engine.start('work', {}, { idempotencyKey: 'k' }),
  restore: ({ engine, snapshot }) => engine.restore(snapshot),
  publish: ({ engine }) => engine.publish('paid'),
  reply: ({ engine, secret }) => engine.reply(secret, { ok: true }),
  vacuum: ({ engine }) => engine.vacuum(),
  'run.reply': ({ engine, asked, prompt }) => engine.run(asked).reply(prompt, { ok: true }),
  'run.cancel': ({ engine, asked }) => engine.run(asked).cancel(),
  'run.pause': ({ engine, asked }) => engine.run(asked).pause(),
  'run.resume': ({ engine, asked }) => engine.run(asked).resume(),
  'run.release': ({ engine, asked }) => engine.run(asked).release(),
  'run.retry': ({ engine, failed }) => engine.run(failed).retry(),
  'run.delete': ({ engine, done }) => engine.run(done).delete(),
  'artifacts.put': ({ engine }) => engine.artifacts.put('other', 'text/plain'),
  'callbacks.create': ({ engine }) => engine.callbacks.create({ url: 'https://example.com/', on: ['run.ended'] }),
  'callbacks.remove': ({ engine }) => engine.callbacks.remove('tell'),
  'callbacks.enable': ({ engine }) => engine.callbacks.enable('tell'),
  'callbacks.disable': ({ engine }) => engine.callbacks.disable('tell'),
  'callbacks.resend': ({ engine }) => engine.callbacks.resend('none'),
  'credits.deposit': ({ engine }) => engine.credits.deposit('acme', 1),
  'retention.set': ({ engine }) => engine.retention.set('ask', { days: 1 }),
  'retention.remove': ({ engine }) => engine.retention.remove('work'),
  'retention.sweep': ({ engine }) => engine.retention.sweep(),
  'secrets.set': ({ engine }) => engine.secrets.set('other', 'y'.repeat(20), { hosts: ['example.com'] }),
  'secrets.remove': ({ engine }) => engine.secrets.remove('token'),
  'tasks.lease': ({ engine }) => engine.tasks.lease({ actions: ['work'] }),
  'tasks.heartbeat': ({ engine }) => engine.tasks.heartbeat([{ lease: 'x' }]),
  'tasks.finish': ({ engine }) => engine.tasks.finish([{ lease: 'x', output: {} }]),
  'tasks.release': ({ engine }) => engine.tasks.release([{ lease: 'x' }]),
  'tasks.announce': ({ engine }) => engine.tasks.announce('w', [{ name: 'work' }]),
  'tasks.withdraw': ({ engine }) => engine.tasks.withdraw(['work']),
  'tasks.recordStep': ({ engine }) => engine.tasks.recordStep('x', 'charge'),
  'tasks.publish': ({ engine }) => engine.tasks.publish('x', 'paid'),
  'tasks.putArtifact': ({ engine }) => engine.tasks.putArtifact('x', 'other', 'text/plain'),
  'triggers.create': ({ engine }) => engine.triggers.create({ id: 'other', type: 'manual', workflow: 'ask' }),
  'triggers.remove': ({ engine }) => engine.triggers.remove('manual'),
  'triggers.enable': ({ engine }) => engine.triggers.enable('manual'),
  'triggers.disable': ({ engine }) => engine.triggers.disable('manual'),
  'triggers.fire': ({ engine }) => engine.triggers.fire('manual'),
  'webhooks.receive': ({ engine }) =>
    engine.webhooks.receive('hook', { method: 'POST', headers: {}, rawBody: new Uint8Array() }),
};

const looks: Readonly<Record<string, Operation>> = {
  validate: ({ engine }) => engine.validate(work),
  runs: ({ engine }) => engine.runs(),
  runPage: ({ engine }) => engine.runPage(),
  countRuns: ({ engine }) => engine.countRuns(),
  events: ({ engine }) => allOf(engine.events()),
  newestEvent: ({ engine }) => engine.newestEvent(),
  prompts: ({ engine }) => engine.prompts(),
  promptSecret: ({ engine, prompt }) => engine.promptSecret(prompt),
  definitions: ({ engine }) => engine.definitions(),
  definition: ({ engine }) => engine.definition('work'),
  audit: ({ engine }) => engine.audit(),
  stats: ({ engine }) => engine.stats(),
  whenIdle: ({ engine }) => engine.whenIdle(),
  'run.result of one that was set aside': async ({ engine, broken }) => {
    const { error } = await engine.run(broken).result();
    if (error?.code !== 'RUN_QUARANTINED') throw new Error(`found ${error?.code}`);
  },
  'run.result': ({ engine, done }) => engine.run(done).result(),
  'run.summary': ({ engine, asked }) => engine.run(asked).summary(),
  'run.state': ({ engine, asked }) => engine.run(asked).state(),
  'run.explain': async ({ engine, asked }) => engine.run(asked).explain('1.0'),
  'run.replay': async ({ engine, asked }) => engine.run(asked).replay(),
  'run.stateAt': async ({ engine, asked }) => {
    const [first] = await allOf(engine.run(asked).events());
    return engine.run(asked).stateAt(first!.id);
  },
  'run.nodes': ({ engine, asked }) => engine.run(asked).nodes(),
  'run.tokens': ({ engine, asked }) => engine.run(asked).tokens(),
  'run.events': ({ engine, asked }) => allOf(engine.run(asked).events()),
  'run.prompts': ({ engine, asked }) => engine.run(asked).prompts(),
  'run.snapshot': ({ engine, asked }) => engine.run(asked).snapshot(),
  'artifacts.list': ({ engine }) => engine.artifacts.list(),
  'callbacks.list': ({ engine }) => engine.callbacks.list(),
  'callbacks.get': ({ engine }) => engine.callbacks.get('tell'),
  'callbacks.deliveries': ({ engine }) => engine.callbacks.deliveries(),
  'credits.balance': ({ engine }) => engine.credits.balance('acme'),
  'credits.reservations': ({ engine }) => engine.credits.reservations('acme'),
  'introspection.introspectTokens': ({ engine, asked }) => engine.introspection.introspectTokens(asked),
  'retention.list': ({ engine }) => engine.retention.list(),
  'secrets.list': ({ engine }) => engine.secrets.list(),
  'tasks.actions': ({ engine }) => engine.tasks.actions(),
  'tasks.workers': ({ engine }) => engine.tasks.workers(),
  'triggers.list': ({ engine }) => engine.triggers.list(),
  'triggers.get': ({ engine }) => engine.triggers.get('manual'),
};

const answerOf = async (operation: Operation, seen: Seen): Promise<string> => {
  try {
    await operation(seen);
    return 'answers';
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string };
    return `${code}: ${message}`;
  }
};

describe.each(Object.keys(hosts))('an engine on %s that only reads', (host) => {
  test('[OP21] refuses whatever would change something, and answers whatever looks', async () => {
    const seen = await readerOf(host);
    const before = [await seen.engine.newestEvent(), await seen.engine.runs(), await seen.engine.stats()];
    const found: Record<string, string> = {};
    const expected: Record<string, string> = {};
    const refused =
      'ENGINE_READ_ONLY: Expected an engine that may write, but it was opened with readOnly; open it without';
    for (const [name, operation] of Object.entries(changes))
      [found[name], expected[name]] = [await answerOf(operation, seen), refused];
    for (const [name, operation] of Object.entries(looks))
      [found[name], expected[name]] = [await answerOf(operation, seen), 'answers'];
    expect(found).toEqual(expected);
    expect([await seen.engine.newestEvent(), await seen.engine.runs(), await seen.engine.stats()]).toEqual(before);
  });

  test('[OP22] does not wait for what somebody else works on', async () => {
    const { engine, asked, done } = await readerOf(host);
    for (const events of [engine.events({ follow: true }), engine.run(done).events({ follow: true })])
      await expect(allOf<unknown>(events)).rejects.toMatchObject({ code: 'ENGINE_READ_ONLY' });
    await expect(engine.run(asked).result()).rejects.toMatchObject({
      code: 'ENGINE_READ_ONLY',
      message: expect.stringContaining(`Expected run ${asked} to have ended, but it is suspended`) as string,
    });
  });
});
