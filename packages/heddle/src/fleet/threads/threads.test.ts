import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { Placement } from '../../actor/mail/placement.ts';
import { shardFile, shardOf } from '../../base/shard.ts';
import { defineCompiledType } from '../../dialects/catalogue/compiled-type.ts';
import type { Engine, EngineOptions } from '../../engine/engine.ts';
import { VirtualClock } from '../../testing/virtual-clock.ts';
import { openThreads } from './open-threads.ts';

const opened: Engine[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close({ graceMs: 0 });
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'heddle-threads-'));
  folders.push(folder);
  return folder;
}

const shards = 3;
async function open(options: EngineOptions = {}, folder = newFolder(), program?: URL): Promise<Engine> {
  const engine = await openThreads({ folder, shards }, options, { program });
  opened.push(engine);
  return engine;
}

const placement = new Placement(0, shards);
const words = Array.from({ length: 40 }, (_, n) => `w${n}`);
const wordIn = (shard: number, placeOf: (word: string) => number): string =>
  words.find((word) => placeOf(word) === shard) ?? '';
const each = Array.from({ length: shards }, (_, shard) => shard);

const work = {
  id: 'work',
  initialNode: 'a',
  nodes: [{ id: 'a', action: 'work', inputMapping: { n: 'input.n' }, outputMapping: { 'state.a': 'result' } }],
  transitions: [],
  outputMapping: { a: 'state.a' },
};
const waiting = {
  id: 'waiting',
  initialNode: 'wait',
  nodes: [{ id: 'wait', wait: { event: 'paid', correlation: 'input.k' }, outputMapping: { 'state.paid': 'result' } }],
  transitions: [],
  outputMapping: { paid: 'state.paid' },
};

/** A run in each shard, in their order. */
async function startInEach(engine: Engine, workflow: string, input: object = {}) {
  const runs = [];
  while (runs.length < shards) runs.push(await engine.start(workflow, input));
  return runs.toSorted((a, b) => shardOf(a.id) - shardOf(b.id));
}

const outputsOf = (runs: readonly { result(): Promise<object> }[]) => Promise.all(runs.map((run) => run.result()));
const completed = (output: unknown) => expect.objectContaining({ status: 'completed', output });

describe('actions in the main thread, shards in theirs', () => {
  test('[SH15] a task of any shard is done here, with the same limits for all', async () => {
    let [running, most] = [0, 0];
    const turns: (() => void)[] = [];
    const action = async ({ input }: { input: object }) => {
      running++;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => turns.push(resolve));
      running--;
      return input;
    };
    const engine = await open({ actions: { work: action }, limits: { concurrencyPerProcess: 2 } });
    await engine.register(work);
    const runs = [...(await startInEach(engine, 'work', { n: 1 })), ...(await startInEach(engine, 'work', { n: 2 }))];
    for (let done = 0; done < runs.length; done++) {
      await expect.poll(() => turns.length).toBeGreaterThan(0);
      turns.shift()?.();
    }
    const outputs = await outputsOf(runs);
    expect(outputs).toEqual([1, 1, 1, 2, 2, 2].map((n) => completed({ a: { n } })));
    expect([most, runs.slice(0, 3).map(({ id }) => shardOf(id))]).toEqual([2, [0, 1, 2]]);
  });

  test('[SH15] a fan-out of a thousand, sub-runs, and what one of them fails with', async () => {
    const action = ({ input }: { input: { n?: number } }) => {
      if (input.n === 7) throw new Error('seven');
      return { n: input.n ?? 0 };
    };
    const engine = await open({ actions: { work: action } });
    await engine.register(work);
    await engine.register({
      id: 'many',
      initialNode: 'split',
      nodes: [{ id: 'split' }, { id: 'one', action: 'work', inputMapping: { n: 'n' } }, { id: 'join' }],
      transitions: [
        { from: 'split', to: 'one', foreach: { collection: 'input.items', itemVar: 'n' }, siblingGroup: 'all' },
        { from: 'one', to: 'join', synchronization: { siblingGroup: 'all', strategy: 'all' } },
      ],
    });
    await engine.register({
      id: 'parent',
      initialNode: 'call',
      nodes: [
        { id: 'call', workflow: 'work', inputMapping: { n: 'input.n' }, outputMapping: { 'state.a': 'result.a' } },
      ],
      transitions: [],
      outputMapping: { a: 'state.a' },
    });
    const items = Array.from({ length: 1_000 }, (_, n) => n + 100);
    const [many] = await outputsOf([await engine.start('many', { items })]);
    expect(many).toMatchObject({ status: 'completed' });
    const parents = await startInEach(engine, 'parent', { n: 1 });
    expect(await outputsOf(parents)).toEqual(each.map(() => completed({ a: { n: 1 } })));
    const [failed] = await outputsOf([await engine.start('work', { n: 7 })]);
    expect(failed).toMatchObject({ status: 'failed', error: { message: 'seven' } });
  });
});

describe('what a task asks of its shard', () => {
  test("[SH15] steps are remembered over retries; artifacts, events, secrets and progress are its run's", async () => {
    let stepsDone = 0;
    const heard: unknown[] = [];
    const engine = await open({
      actions: {
        work: {
          retry: { maxAttempts: 2, initialDelayMs: 1 },
          async run({ attempt, step, artifacts, publish, secrets, progress }) {
            const once = await step.run('once', () => ++stepsDone);
            const reference = await artifacts.put(new TextEncoder().encode('bytes'), 'text/plain');
            const { bytes } = await artifacts.get(reference);
            progress(0.5, 'half', { attempt });
            if (attempt === 1) throw new Error('again');
            const { delivered } = await publish('paid', { from: 'work' }, { correlation: 'c' });
            const secret = await secrets.get('token', { host: 'example.com' });
            return {
              once,
              delivered,
              secret,
              text: new TextDecoder().decode(bytes),
              kept: (await artifacts.list()).length,
            };
          },
        },
      },
      onProgress: ({ message, details }) => void heard.push([message, details]),
    });
    await engine.secrets.set('token', 'a long secret', { hosts: ['example.com'] });
    for (const flow of [work, waiting]) await engine.register(flow);
    const listeners = await startInEach(engine, 'waiting', { k: 'c' });
    for (const run of listeners) await expect.poll(() => run.status()).toMatch(/waiting|suspended/);
    const run = await engine.start('work', { n: 1 });
    const [{ output }] = (await outputsOf([run])) as [{ output: { a: object } }];
    expect(output.a).toEqual({ once: 1, delivered: 3, secret: '[secret token]', text: 'bytes', kept: 1 });
    expect(await outputsOf(listeners)).toEqual(each.map(() => completed({ paid: { from: 'work' } })));
    expect(heard).toEqual([1, 2].map((attempt) => ['half', { attempt }]));
    const [reference] = await engine.artifacts.list(run.id);
    expect(new TextDecoder().decode((await engine.artifacts.get(reference!)).bytes)).toBe('bytes');
  });

  test('[SH15] what a task publishes is checked as it came; what is no data does not leave', async () => {
    const engine = await open({
      actions: { work: ({ publish }) => publish('paid', { run: () => 1 }) },
    });
    await engine.register(work);
    const [failed] = await outputsOf([await engine.start('work', { n: 1 })]);
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'PAYLOAD_INVALID' } });
  });

  test('[SH15] cancelling a run aborts the signal of its action, whose answer then changes nothing', async () => {
    const reasons: unknown[] = [];
    const engine = await open({
      actions: {
        work: ({ signal }) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () => resolve(void reasons.push((signal.reason as Error).name)));
          }),
      },
    });
    await engine.register(work);
    const runs = await startInEach(engine, 'work', { n: 1 });
    for (const run of runs) {
      await expect.poll(async () => (await run.tokens()).some(({ isExecuting }) => isExecuting)).toBe(true);
      await run.cancel('enough');
    }
    expect((await outputsOf(runs)).map((one) => (one as { status: string }).status)).toEqual(
      each.map(() => 'cancelled'),
    );
    expect(reasons).toEqual(each.map(() => 'AbortError'));
  });

  test('[SH15] an action that is loaded later counts in every shard; one that nobody has waits for a worker', async () => {
    const loadAction = (name: string) => (name === 'late' ? { run: () => ({ late: true }), version: 3 } : null);
    const engine = await open({ loadAction, workers: 'announced' });
    await engine.register({ ...work, id: 'late', nodes: [{ ...work.nodes[0]!, action: 'late' }] });
    await engine.register({ ...work, id: 'out', nodes: [{ ...work.nodes[0]!, action: 'out' }] });
    const late = await startInEach(engine, 'late', { n: 1 });
    expect(await outputsOf(late)).toEqual(each.map(() => completed({ a: { late: true } })));
    const runs = await startInEach(engine, 'out', { n: 1 });
    await expect.poll(async () => (await engine.overview()).backlog.missingActions).toEqual(['out']);
    await engine.tasks.announce('w', [{ name: 'out' }]);
    const tasks = new Map<string, string>();
    while (tasks.size < shards)
      for (const { runId, lease } of await engine.tasks.lease({ actions: ['out'], max: 9, waitMs: 1_000 }))
        tasks.set(runId, lease);
    const answers = await engine.tasks.finish([...tasks.values()].map((lease) => ({ lease, output: { by: 'w' } })));
    expect(answers.every(({ applied }) => applied)).toBe(true);
    expect(await outputsOf(runs)).toEqual(each.map(() => completed({ a: { by: 'w' } })));
    expect((await engine.overview()).backlog.missingActions).toEqual([]);
    // What is checked here knows what they say of actions, and what they say no more.
    const warned = () =>
      engine.validate({ ...work, nodes: [{ id: 'a', action: 'typed', inputMapping: { wrong: 'input.n' } }] });
    const before = warned().length;
    await engine.tasks.announce('w', [{ name: 'typed', input: { type: 'object', additionalProperties: false } }]);
    expect(warned().length).toBeGreaterThan(before);
    await engine.tasks.withdraw(['typed']);
    expect(warned().length).toBe(before);
  });
});

describe('all shards as one', () => {
  const actions = { work: { run: () => ({}), cost: 1 } };

  test('[SH15] credits, prompts, lists, figures, feed and audit are those of one engine', async () => {
    const engine = await open({ actions });
    await engine.register(work);
    await engine.register({
      id: 'ask',
      initialNode: 'a',
      nodes: [{ id: 'a', input: { title: 'Sure?' } }],
      transitions: [],
    });
    for (const organization of words.slice(0, 6)) await engine.credits.deposit(organization, 3);
    const runs = [];
    for (const organization of words.slice(0, 6))
      for (let n = 0; n < 3; n++) runs.push(await engine.start('work', { n }, { organization }));
    await outputsOf(runs);
    for (const organization of words.slice(0, 6)) await expect.poll(() => engine.credits.balance(organization)).toBe(0);
    const asking = await startInEach(engine, 'ask');
    await expect.poll(async () => (await engine.prompts()).length).toBe(shards);
    for (const { correlationId } of await engine.prompts())
      await engine.reply(await engine.promptSecret(correlationId), { ok: true });
    await outputsOf(asking);
    const all = (await engine.runs({ limit: 100 })).map(({ runId }) => runId);
    expect(new Set(all)).toEqual(new Set([...runs, ...asking].map(({ id }) => id)));
    expect((await engine.countRuns()).byStatus).toMatchObject({ completed: runs.length + shards });
    expect((await engine.audit()).problems).toEqual([]);
    await engine.whenIdle();
    expect(engine.isIdle).toBe(true);
    const events = [];
    for await (const event of engine.events({ follow: false })) events.push(event);
    const rest = [];
    for await (const { feedId } of engine.events({ follow: false, after: events[9]!.feedId })) rest.push(feedId);
    expect(rest).toEqual(events.slice(10).map(({ feedId }) => feedId));
  });

  test('[SH15] whoever follows a run or all of them hears what comes, however much, and stops when told', async () => {
    const engine = await open({ actions });
    await engine.register(work);
    await engine.register(waiting);
    const stop = new AbortController();
    const heard: string[] = [];
    const following = (async () => {
      for await (const { runId, type } of engine.events({ signal: stop.signal }))
        if (type === 'workflow.completed') heard.push(runId);
    })();
    const run = await engine.start('waiting', { k: 'x' });
    const types: string[] = [];
    const ofRun = (async () => {
      for await (const { type } of run.events()) types.push(type);
    })();
    const runs = [];
    for (let n = 0; n < 100; n++) runs.push(await engine.start('work', { n }));
    await outputsOf(runs);
    await engine.publish('paid', {}, { correlation: 'x' });
    await ofRun;
    expect(types.at(-1)).toBe('workflow.completed');
    await expect.poll(() => heard.length).toBe(101);
    stop.abort();
    await following;
    expect(new Set(heard)).toEqual(new Set([...runs, run].map(({ id }) => id)));
  });

  test('[SH15] webhooks are received; whoever waits no longer is told by its own reason', async () => {
    const engine = await open({ actions });
    for (const flow of [work, waiting]) await engine.register(flow);
    await engine.triggers.create({ id: 'hook', type: 'webhook', workflow: 'work', public: true });
    const rawBody = new TextEncoder().encode('{"n":1}');
    const call = { method: 'POST', headers: { 'content-type': 'application/json' }, rawBody };
    const taken = await engine.webhooks.receive('hook', call);
    expect(taken).toMatchObject({ status: 'accepted', runId: expect.any(String) });
    await expect(engine.webhooks.receive('none', call)).rejects.toMatchObject({ code: 'WEBHOOK_NOT_FOUND' });
    const stop = new AbortController();
    const reason = new Error('no more time');
    const result = (await engine.start('waiting', { k: 'x' })).result({ signal: stop.signal });
    stop.abort(reason);
    await expect(result).rejects.toBe(reason);
  });

  test('[SH15] who is told of events, commits and faults is told of those of all shards', async () => {
    const told = { events: new Set<number>(), done: new Set<string | null>(), errors: [] as string[] };
    const engine = await open({
      actions,
      onEvent: ({ runId }) => void told.events.add(shardOf(runId)),
      onCommit({ events, actionOf }) {
        for (const event of events) if (event.type === 'task.dispatched') told.done.add(actionOf(event.token));
        if (events.some(({ type }) => type === 'workflow.completed')) throw new Error('the observer failed');
      },
      onError: ({ message }) => void told.errors.push(message),
    });
    await engine.register(work);
    await outputsOf(await startInEach(engine, 'work', { n: 1 }));
    await expect.poll(() => told.errors.length).toBe(shards);
    expect([told.events, told.errors[0]]).toEqual([new Set(each), 'the observer failed']);
  });

  test('[SH15] errors come with their code, their name and what else programs read', async () => {
    const engine = await open();
    await expect(engine.run(`no-run~1`).status()).rejects.toMatchObject({ name: 'HeddleError', code: 'RUN_NOT_FOUND' });
    const refused = engine.register({ ...work, initialNode: 'none' });
    await expect(refused.then(({ problems }) => problems[0])).resolves.toMatchObject({ severity: 'error' });
    await expect(engine.backup('/dev/null/x')).rejects.toMatchObject({ name: 'StoreError' });
    expect(engine.validate({ ...work, initialNode: 'none' }).length).toBeGreaterThan(0);
  });
});

describe('a life with threads', () => {
  test('[SH15] a backup that is made meanwhile is a fleet; what was left is resumed by the next', async () => {
    const [folder, copy] = [newFolder(), newFolder()];
    const first = await open({}, folder);
    await first.register(waiting);
    const runs = [];
    for (const k of words.slice(0, 6)) runs.push(await first.start('waiting', { k }));
    await first.backup(copy);
    await first.close();
    await expect(first.run(runs[0]!.id).status()).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
    for (const place of [folder, copy]) {
      const next = await open({}, place);
      for (const k of words.slice(0, 6)) await next.publish('paid', {}, { correlation: k });
      const ended = runs.map(({ id }) => next.run(id));
      expect(await outputsOf(ended)).toEqual(runs.map(() => completed({ paid: {} })));
      expect((await next.audit()).problems).toEqual([]);
    }
  });

  test('[SH15] closing lets actions finish, and what they came to is kept', async () => {
    const folder = newFolder();
    const begun: (() => void)[] = [];
    const action = () => new Promise((resolve) => begun.push(() => resolve({ done: true })));
    const first = await open({ actions: { work: action } }, folder);
    await first.register(work);
    const runs = await startInEach(first, 'work', { n: 1 });
    await expect.poll(() => begun.length).toBe(shards);
    const closing = first.close({ graceMs: 60_000 });
    for (const finish of begun) finish();
    await closing;
    const next = await open({ actions: { work: () => ({ done: 'twice' }) } }, folder);
    expect(await outputsOf(runs.map(({ id }) => next.run(id)))).toEqual(
      each.map(() => completed({ a: { done: true } })),
    );
  });

  test('[SH14] a file that is missing is named; the others go on', async () => {
    const folder = newFolder();
    const first = await open({}, folder);
    await first.register(waiting);
    const runs = await startInEach(first, 'waiting', { k: wordIn(0, (word) => placement.ofEvent('paid', word)) });
    await first.close();
    const away = shardFile(folder, 2);
    for (const end of ['', '-wal', '-shm']) if (existsSync(away + end)) renameSync(away + end, `${away}.away${end}`);
    const errors: string[] = [];
    const next = await open({ onError: ({ message }) => void errors.push(message) }, folder);
    expect(errors).toEqual([expect.stringContaining('shard-02.db is not there')]);
    const missing = { name: 'StoreError', code: 'STORE_MISSING' };
    await expect(next.run(runs[2]!.id).status()).rejects.toMatchObject(missing);
    await expect(next.runs()).rejects.toMatchObject(missing);
    expect((await Promise.all([0, 1].map((n) => runs[n]!.id).map((id) => next.run(id).status()))).length).toBe(2);
    rmSync(shardFile(folder, 0));
    await next.close();
    await expect(open({}, folder)).rejects.toMatchObject({ code: 'STORE_MISSING' });
  });

  test('[SH15] code that a shard would call, and a clock, are refused with threads', async () => {
    const isLarge = defineCompiledType({ compile: () => ({ type: 'core.condition' }) });
    const transport = { resolve: async () => [], send: () => Promise.reject(new Error('no network')) };
    const options: readonly (readonly [EngineOptions, string])[] = [
      [{ clock: new VirtualClock() }, 'a clock'],
      [{ http: { transport } }, 'http.transport'],
      [{ traces: { endpoint: 'http://localhost:1', fetch } }, 'traces.fetch'],
      [{ nodeTypes: { isLarge } }, 'node type "isLarge"'],
    ];
    for (const [one, found] of options)
      await expect(open(one)).rejects.toMatchObject({
        code: 'OPTION_INVALID',
        message: expect.stringContaining(found),
      });
  });

  test('[SH16] a program with nothing to do leaves, and its files are left as they would be closed', async () => {
    const folder = newFolder();
    const door = pathToFileURL(path.resolve('packages/heddle/dist/index.js')).href;
    const program = path.join(newFolder(), 'program.mjs');
    writeFileSync(
      program,
      `import { createEngine } from '${door}';
      const store = { folder: process.argv[2], shards: 3, threads: true };
      const engine = await createEngine({ store, actions: { work: async () => ({}) } });
      await engine.register(${JSON.stringify(work)});
      await engine.register(${JSON.stringify(waiting)});
      await engine.start('waiting', { k: 'x' });
      for (let n = 0; n < 6; n++) await (await engine.start('work', { n })).result();
      process.stdout.write('done');`,
    );
    const { stdout } = await promisify(execFile)(process.execPath, [program, folder]);
    expect(stdout).toBe('done');
    const engine = await open({}, folder);
    expect((await engine.countRuns()).byStatus).toMatchObject({ completed: 6 });
  });

  test('[SH17] a thread that dies takes its shard with it, and nobody else; the next engine finds all', async () => {
    const folder = newFolder();
    const program = path.join(newFolder(), 'mortal.mjs');
    const real = pathToFileURL(path.resolve('packages/heddle/dist/fleet-shard.js')).href;
    writeFileSync(
      program,
      `import { parentPort } from 'node:worker_threads';
      await import('${real}');
      parentPort.on('message', (packet) => {
        if (JSON.stringify(packet).includes('the end of shard 1')) throw new Error('out of luck');
      });`,
    );
    const errors: string[] = [];
    const aborted: string[] = [];
    const action = ({ signal, runId }: { signal: AbortSignal; runId: string }) =>
      new Promise<object>((resolve) => {
        signal.addEventListener('abort', () => resolve({ n: aborted.push(runId) }));
      });
    const engine = await open(
      { actions: { work: action }, onError: ({ message }) => void errors.push(message) },
      folder,
      pathToFileURL(program),
    );
    for (const flow of [work, waiting]) await engine.register(flow);
    const runs = await startInEach(engine, 'work', { n: 1 });
    const listeners = await startInEach(engine, 'waiting', { k: wordIn(0, (word) => placement.ofEvent('paid', word)) });
    for (const run of listeners) await expect.poll(() => run.status()).toMatch(/waiting|suspended/);
    const pending = runs[1]!.result();
    const died = { name: 'StoreError', code: 'STORE_FAILED', message: expect.stringContaining('out of luck') };
    await Promise.all([
      expect(pending).rejects.toMatchObject(died),
      expect(runs[1]!.cancel('the end of shard 1')).rejects.toMatchObject(died),
    ]);
    await expect.poll(() => aborted).toEqual([runs[1]!.id]);
    expect(errors).toEqual([expect.stringContaining('thread of shard 1')]);
    await expect(runs[1]!.status()).rejects.toMatchObject(died);
    // The others go on.
    const { k } = { k: wordIn(0, (word) => placement.ofEvent('paid', word)) };
    await engine.publish('paid', { n: 1 }, { correlation: k });
    expect(await outputsOf([listeners[0]!, listeners[2]!])).toEqual(Array(2).fill(completed({ paid: { n: 1 } })));
    expect(shardOf((await engine.start('waiting', { k })).id)).not.toBe(1);
    await engine.close({ graceMs: 0 });
    const next = await open({ actions: { work: () => ({ again: true }) } }, folder);
    expect(await outputsOf(runs.map(({ id }) => next.run(id)))).toEqual(
      each.map(() => completed({ a: { again: true } })),
    );
    expect(await outputsOf([next.run(listeners[1]!.id)])).toEqual([completed({ paid: { n: 1 } })]);
    expect((await next.audit()).problems).toEqual([]);
  });
});
