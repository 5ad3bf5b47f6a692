// What bad input gets: a typed error that names the limit or the place, nothing stored, no other run harmed.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Definition } from '../packages/heddle/src/definition/definition.ts';
import { openSqliteStore } from '../packages/heddle/src/hosts/sqlite/open.ts';
import { loadSqlite } from '../packages/heddle/src/hosts/sqlite/sqlite-module.ts';
import { createTestEngine, type TestEngine } from '../packages/heddle/src/testing/test-engine.ts';
import { onEveryHost, problemsOf } from './acceptance/hosts.testsuite.ts';

const task: Definition = {
  id: 'task',
  initialNode: 'work',
  nodes: [
    { id: 'work', action: 'work', inputMapping: { given: 'input.given' }, outputMapping: { 'output.x': 'result.x' } },
  ],
};

const bystander: Definition = {
  id: 'bystander',
  initialNode: 'stand',
  nodes: [{ id: 'stand', action: 'stand', outputMapping: { 'output.ok': 'result.ok' } }],
};

const withProto = (value: unknown): unknown => JSON.parse(`{"given":{"__proto__":${JSON.stringify(value)}}}`);
const nested = (levels: number): unknown => {
  let value: unknown = 'deep';
  for (let level = 0; level < levels; level++) value = [value];
  return value;
};
const tenMegabytes = 'x'.repeat(10 * 1024 * 1024);

const builtIns = [Object.prototype, Array.prototype, Function.prototype, String.prototype] as const;
const describeBuiltIns = () => builtIns.map((prototype) => Object.getOwnPropertyNames(prototype));
let before: readonly string[][];

beforeEach(() => {
  before = describeBuiltIns();
});
afterEach(() => {
  expect(describeBuiltIns()).toEqual(before);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

/** What is stored, and a run that goes on meanwhile; `check` lets it end and looks again. */
async function witness(engine: TestEngine) {
  expect((await engine.engine.register(bystander)).problems).toEqual([]);
  const run = await engine.engine.start('bystander');
  await engine.settle();
  const look = async () => [await engine.engine.definitions(), (await engine.engine.runs()).map(({ runId }) => runId)];
  const stored = await look();
  return {
    nothingStored: async () => expect(await look()).toEqual(stored),
    unharmed: async () => {
      engine.script.next('stand').complete({ ok: true });
      await engine.settle();
      expect(await run.result()).toMatchObject({ status: 'completed', output: { ok: true } });
      expect((await engine.engine.audit()).problems).toEqual([]);
    },
  };
}

onEveryHost('hostile definitions', (host) => {
  const proto = JSON.parse('{"__proto__": {"polluted": true}}') as object;

  test.each([
    ['__proto__ as a key', { ...task, meta: proto }, 'FORBIDDEN_KEY', '/meta/__proto__'],
    [
      '__proto__ in a target',
      node({ outputMapping: { 'state.__proto__.polluted': '1' } }),
      null,
      '/nodes/0/outputMapping',
    ],
    [
      'constructor in a target',
      node({ outputMapping: { 'state.constructor.prototype.polluted': '1' } }),
      null,
      '/nodes/0',
    ],
    ['prototype in an input', node({ inputMapping: { 'a.prototype.polluted': '1' } }), null, '/nodes/0/inputMapping'],
    ['5,000 levels', { ...task, meta: nested(5000) }, 'TOO_DEEP', '/meta/0/0'],
    ['10 MB', { ...task, description: tenMegabytes }, 'TOO_LARGE', ''],
    ['a cycle', cyclicDefinition(), 'TOO_DEEP', '/meta/self/self'],
    ['a function', { ...task, meta: { run: () => 1 } }, 'NOT_JSON', '/meta/run'],
    ['a BigInt', { ...task, meta: { n: 1n } }, 'NOT_JSON', '/meta/n'],
    ['NaN', { ...task, timeoutMs: Number.NaN }, 'NOT_JSON', '/timeoutMs'],
    ['no object', 'rubbish', null, ''],
    ['null', null, null, ''],
    ['an expression of 20,000 characters', node({ inputMapping: { a: `1${' + 1'.repeat(5000)}` } }), null, '/nodes/0'],
    [
      'an expression 5,000 levels deep',
      node({ inputMapping: { a: '('.repeat(4999) + ')'.repeat(4999) } }),
      null,
      '/nodes/0',
    ],
  ])('a definition with %s is refused at its place, and nothing is stored', async (_, definition, code, pointer) => {
    const engine = await host.open({ scripted: ['work', 'stand'] });
    const { nothingStored, unharmed } = await witness(engine);
    const { problems, version } = await engine.engine.register(definition);
    const problem = problems.find(({ severity }) => severity === 'error');
    expect(version).toBeNull();
    expect(problem?.pointer.startsWith(pointer)).toBe(true);
    if (code !== null) expect(problem?.code).toBe(code);
    if (code === 'TOO_DEEP') expect(problem?.message).toContain('jsonDepthMax');
    if (code === 'TOO_LARGE') expect(problem?.message).toContain('definitionBytesMax');
    expect(await problemsOf(engine, definition)).toEqual(problems);
    await nothingStored();
    await unharmed();
  });
});

function node(fields: object): unknown {
  return { ...task, nodes: [{ id: 'work', action: 'work', ...fields }] };
}

function cyclicDefinition(): unknown {
  const meta: Record<string, unknown> = {};
  meta.self = meta;
  return { ...task, meta };
}

function cycle(): unknown {
  const list: unknown[] = [];
  list.push(list);
  return list;
}

onEveryHost('hostile inputs', (host) => {
  test.each([
    ['__proto__', withProto({ polluted: true }), { code: 'INPUT_INVALID', pointer: '/given/__proto__' }],
    ['5,000 levels', { given: nested(5000) }, { code: 'LIMIT_EXCEEDED', limit: 'jsonDepthMax' }],
    ['10 MB', { given: tenMegabytes }, { code: 'LIMIT_EXCEEDED', limit: 'payloadBytesMax' }],
    ['5 MB of keys', { given: manyKeys() }, { code: 'LIMIT_EXCEEDED', limit: 'payloadBytesMax' }],
    ['a cycle', { given: cycle() }, { code: 'LIMIT_EXCEEDED', limit: 'jsonDepthMax' }],
    ['a function', { given: () => 1 }, { code: 'INPUT_INVALID', pointer: '/given' }],
    ['a BigInt', { given: [1n] }, { code: 'INPUT_INVALID', pointer: '/given/0' }],
    ['NaN', { given: Number.NaN }, { code: 'INPUT_INVALID', pointer: '/given' }],
    ['a Map', { given: new Map([['a', 1]]) }, { code: 'INPUT_INVALID', pointer: '/given' }],
    [
      'a getter that throws',
      {
        given: {
          get x(): never {
            throw new Error('gotcha');
          },
        },
      },
      { code: 'INPUT_INVALID' },
    ],
  ])('an input with %s is refused at its place, and no run is there', async (_, input, error) => {
    const engine = await host.open({ scripted: ['work', 'stand'] });
    await engine.engine.register(task);
    const { nothingStored, unharmed } = await witness(engine);
    await expect(engine.engine.start('task', input)).rejects.toMatchObject({ name: 'HeddleError', ...error });
    await expect(engine.engine.start('task', input, { idempotencyKey: 'k' })).rejects.toMatchObject(error);
    await nothingStored();
    expect((await engine.engine.start('task', {}, { idempotencyKey: 'k' })).id).not.toBe(''); // The key was not used up.
    await unharmed();
  });

  test('an unknown workflow, an unknown run, a wrong kind of thing: each says so', async () => {
    const engine = await host.open({ scripted: ['work', 'stand'] });
    const { nothingStored, unharmed } = await witness(engine);
    await expect(engine.engine.start('nobody')).rejects.toMatchObject({ code: 'WORKFLOW_NOT_FOUND' });
    await expect(engine.engine.start('__proto__')).rejects.toMatchObject({ code: 'WORKFLOW_NOT_FOUND' });
    await expect(engine.engine.start('bystander', {}, { version: 9 })).rejects.toMatchObject({
      code: 'WORKFLOW_NOT_FOUND',
    });
    for (const ask of ['result', 'status', 'state', 'tokens', 'cancel', 'retry'] as const) {
      await expect(engine.engine.run('no-such-run')[ask]()).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    }
    await nothingStored();
    await unharmed();
  });
});

function manyKeys(): unknown {
  return Object.fromEntries(Array.from({ length: 260_000 }, (_, i) => [`key-${i}`, i]));
}

onEveryHost('hostile actions', (host) => {
  const open = async (definition: Definition = task) => {
    const engine = await host.open({ scripted: ['work', 'stand'] });
    expect((await engine.engine.register(definition)).problems.filter(({ severity }) => severity === 'error')).toEqual(
      [],
    );
    const { unharmed } = await witness(engine);
    const run = await engine.engine.start(definition.id);
    await engine.settle();
    return { engine, run, unharmed };
  };

  test.each([
    ['__proto__', withProto({ polluted: true }), 'ACTION_OUTPUT_INVALID', '/given/__proto__'],
    ['a function', { x: () => 1 }, 'ACTION_OUTPUT_INVALID', '/x'],
    ['a BigInt', { x: 1n }, 'ACTION_OUTPUT_INVALID', '/x'],
    ['NaN', { x: Number.NaN }, 'ACTION_OUTPUT_INVALID', '/x'],
    ['a class instance', { x: new URL('https://example.org') }, 'ACTION_OUTPUT_INVALID', '/x'],
    ['a cycle', { x: cycle() }, 'LIMIT_EXCEEDED', 'jsonDepthMax'],
    ['5,000 levels', { x: nested(5000) }, 'LIMIT_EXCEEDED', 'jsonDepthMax'],
    ['10 MB in a list', [tenMegabytes], 'LIMIT_EXCEEDED', 'payloadBytesMax'],
    [
      'a proxy that throws',
      { x: new Proxy({}, { ownKeys: () => raise('gotcha') }) },
      'ACTION_OUTPUT_INVALID',
      'gotcha',
    ],
  ])('a result with %s fails its task, and names what is wrong', async (_, result, code, named) => {
    const { engine, run, unharmed } = await open();
    engine.script.next('work').complete(result);
    await engine.settle();
    const { status, error } = await run.result();
    expect({ status, code: error?.code, nodeId: error?.nodeId }).toEqual({ status: 'failed', code, nodeId: 'work' });
    expect(error?.message).toContain(named);
    expect(JSON.stringify(await engine.store.readJournal(run.id, 1, 100)).length).toBeLessThan(10_000);
    await unharmed();
  });

  test.each([
    ['an error', new Error('no'), { code: 'ACTION_FAILED', message: 'no' }],
    ['nothing', undefined, { code: 'ACTION_FAILED' }],
    ['a text', 'just so', { code: 'ACTION_FAILED', message: 'just so' }],
    ['an error with a message of 10 MB', new Error(tenMegabytes), { code: 'ACTION_FAILED' }],
    ['an object whose members throw', new Proxy({}, { get: () => raise('gotcha') }), { code: 'ACTION_FAILED' }],
    ['an error with cyclic details', Object.assign(new Error('no'), { details: cycle() }), { code: 'ACTION_FAILED' }],
  ])('an action that throws %s fails its task', async (_, thrown, error) => {
    const { engine, run, unharmed } = await open();
    engine.script.next('work').fail(thrown);
    await engine.settle();
    expect(await run.result()).toMatchObject({ status: 'failed', error: { ...error, nodeId: 'work', attempts: 1 } });
    await unharmed();
  });

  test('an action that hangs is timed out, is told so, and what it answers later changes nothing', async () => {
    const limited = { ...task, nodes: [{ ...task.nodes[0]!, timeoutMs: 1000, retry: { maxAttempts: 2 } }] };
    const { engine, run, unharmed } = await open(limited);
    await engine.advance(1000);
    const first = engine.script.calls.find(({ action }) => action === 'work');
    expect(first?.signal.aborted).toBe(true);
    await engine.advance(10_000);
    expect(await run.result()).toMatchObject({ status: 'failed', error: { code: 'TASK_TIMEOUT', attempts: 2 } });
    const rows = await engine.store.readJournal(run.id, 1, 100);
    for (const call of engine.script.open('work')) call.complete({ x: 'late' });
    await engine.settle();
    expect(await engine.store.readJournal(run.id, 1, 100)).toEqual(rows);
    await unharmed();
  });

  test('of two answers the first counts', async () => {
    const { engine, run, unharmed } = await open();
    const call = engine.script.next('work');
    call.complete({ x: 1 });
    call.complete({ x: 2 });
    call.fail(new Error('three'));
    await engine.settle();
    expect(await run.result()).toMatchObject({ status: 'completed', output: { x: 1 } });
    await unharmed();
  });

  test('an action that alters its input and its result afterwards reaches nothing', async () => {
    const { engine, run, unharmed } = await open();
    const result = { x: { inner: [1] } };
    const call = engine.script.next('work');
    (call.input as Record<string, unknown>).given = 'changed';
    call.complete(result);
    await engine.settle();
    result.x.inner.push(2);
    expect(await run.result()).toMatchObject({ output: { x: { inner: [1] } } });
    expect(await run.tokens()).toMatchObject([{ input: {}, output: { x: { inner: [1] } } }]);
    await unharmed();
  });

  test('a foreach over a million items fails its run and names the limit', async () => {
    const { engine, run, unharmed } = await open({
      ...task,
      nodes: [...task.nodes, { id: 'each', action: 'work' }],
      transitions: [{ from: 'work', to: 'each', foreach: { collection: 'output.x', itemVar: 'n' } }],
    });
    engine.script.next('work').complete({ x: Array.from({ length: 1_000_000 }, () => 0) });
    await engine.settle();
    const { status, error } = await run.result();
    expect({ status, code: error?.code, limit: error?.limit }).toEqual({
      status: 'failed',
      code: 'LIMIT_EXCEEDED',
      limit: 'branchesPerFanOutMax',
    });
    expect(error?.message).toContain('1000000');
    expect(engine.script.open('work')).toEqual([]);
    await unharmed();
  });

  test('an expression that costs too much fails its run and names the limit', async () => {
    const { engine, run, unharmed } = await open({
      ...task,
      nodes: [{ ...task.nodes[0]!, outputMapping: { 'output.x': 'result.x.map(a, result.x.map(b, a + b))' } }],
    });
    engine.script.next('work').complete({ x: Array.from({ length: 5_000 }, () => 1) });
    await engine.settle();
    const { status, error } = await run.result();
    expect(status).toBe('failed');
    expect(`${error?.message}`).toContain('expressionCostMax');
    await unharmed();
  });

  test('a loop that nobody bounded ends at the limit of its run', async () => {
    const engine = await host.open({ scripted: ['stand'], limits: { nodesPerRunMax: 5_000 } });
    await engine.engine.register({
      id: 'forever',
      initialNode: 'a',
      nodes: [{ id: 'a' }],
      transitions: [{ from: 'a', to: 'a' }],
    });
    const { unharmed } = await witness(engine);
    const run = await engine.engine.start('forever');
    expect(await run.result()).toMatchObject({
      status: 'failed',
      error: { code: 'LIMIT_EXCEEDED', limit: 'nodesPerRunMax' },
    });
    await unharmed();
  });
});

function raise(message: string): never {
  throw new Error(message);
}

describe('a damaged journal', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'heddle-hostile-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test.each([
    ['a changed row', 'UPDATE journal SET events = replace(events, \'"given":1\', \'"given":2\') WHERE run_id = ?'],
    ['a missing row', 'DELETE FROM journal WHERE run_id = ? AND seq = 1'],
    ['a row that is no JSON', "UPDATE journal SET events = 'rubbish' WHERE run_id = ?"],
    ['a changed hash', "UPDATE journal SET hash = 'x' WHERE run_id = ?"],
  ])('%s puts its run in quarantine with the reason; the others go on', async (_, sql) => {
    const file = join(folder, 'heddle.db');
    const first = await createTestEngine({ store: await openSqliteStore(file), scripted: ['work', 'stand'] });
    await first.engine.register(task);
    const { id: harmed } = await first.engine.start('task', { given: 1 });
    const { id: healthy } = await first.engine.start('task', { given: 1 });
    await first.settle();
    await first.engine.close({ graceMs: 0 });
    await damage(file, sql, harmed);

    const errors: (string | undefined)[] = [];
    const store = await openSqliteStore(file);
    const second = await createTestEngine({
      store,
      scripted: ['work'],
      onError: (_error, { runId }) => errors.push(runId),
    });
    await second.settle();
    expect(errors).toEqual([harmed]);
    expect(second.script.calls.map(({ runId }) => runId)).toEqual([healthy]);
    const { quarantine, error } = await second.engine.run(harmed).summary();
    expect(quarantine).toMatch(/^Expected (journal row 1|the journal)/);
    expect(error).toEqual({ code: 'RUN_QUARANTINED', message: quarantine });
    expect(await second.engine.run(harmed).result()).toMatchObject({ error: { code: 'RUN_QUARANTINED' } });
    await expect(second.engine.run(harmed).cancel()).rejects.toMatchObject({ code: 'RUN_QUARANTINED' });
    second.script.next('work').complete({ x: 1 });
    await second.settle();
    expect(await second.engine.run(healthy).result()).toMatchObject({ status: 'completed', output: { x: 1 } });
    expect((await second.engine.audit()).problems).toMatchObject([{ runId: harmed }]);
    await second.engine.close({ graceMs: 0 });
  });

  async function damage(file: string, sql: string, runId: string): Promise<void> {
    const Sqlite = await loadSqlite();
    const database = new Sqlite(file, { readOnly: false, enableForeignKeyConstraints: false, defensive: true });
    expect(database.prepare(sql).run(runId).changes).toBe(1);
    database.close();
  }
});
