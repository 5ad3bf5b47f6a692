import { expect, test } from 'vitest';
import type { Run } from '../../packages/heddle/src/api/run.ts';
import type { RunEvent } from '../../packages/heddle/src/core/run-event.ts';
import { onEveryHost } from './hosts.testsuite.ts';
import { asking, promptAt, say } from './prompts.testsuite.ts';
import {
  ask,
  batch,
  childOf,
  code,
  contextsAt,
  contextsOf,
  type DrawnNode,
  edit,
  end,
  fanIn,
  fanOut,
  gosub,
  meeting,
  standing,
  start,
  succeeded,
  thread,
  work,
  yields,
} from './thread.testsuite.ts';
import {
  answer,
  callsAt,
  ended,
  eventsOf,
  type Fields,
  fail,
  launch,
  register,
  scripted,
  visits,
} from './token-engine.testsuite.ts';

/** A run that only asks. */
const one = thread('w', [start(), ask('who'), end()], ['start->who->end']);

/** A fan-out and a fan-in around these nodes, and work afterwards. */
const beside = (...branches: readonly DrawnNode[]): Fields => meeting(branches, work('after'));

/** The nodes in the queue of the run's tree, the one that is asked first. */
async function queued(run: Run): Promise<unknown[]> {
  const { inputQueue, threads } = await run.threads();
  const nodes = new Map(threads.map(({ threadId, node }) => [threadId, node]));
  return inputQueue.map((waiting) => (waiting.runId === run.id ? nodes.get(waiting.thread) : waiting.runId));
}

onEveryHost('input nodes', (host) => {
  test('[T191] an input node has no settings', async () => {
    const t = await host.open();
    const run = await launch(t, one, { a: 1 });
    expect(await run.prompts()).toMatchObject([{ nodeId: 'who', title: null, deadline: null }]);
    await say(t, run, 'who', { b: 2 });
    expect(await ended(run)).toEqual(succeeded({ a: 1, b: 2 }));
  });

  test('[T192][T193][T194] who reaches one joins the queue; only its head asks and is told of', async () => {
    const events: RunEvent[] = [];
    const t = await host.open({ ...scripted, onEvent: (event) => events.push(event) });
    const definition = thread(
      'w',
      [start(), fanOut('fan'), ask('a'), work('slow'), ask('b'), ask('c'), fanIn('meet')],
      ['start->fan:1->a->meet', 'fan:2->slow->b->meet', 'fan:3->c->meet'],
    );
    const run = await launch(t, definition);
    expect([await queued(run), await asking(run)]).toEqual([['a', 'c'], ['a']]);
    await answer(t, 'slow');
    expect([await queued(run), await asking(run)]).toEqual([['a', 'c', 'b'], ['a']]);
    const { correlationId } = await promptAt(run, 'a');
    const requests = events.filter(({ type }) => type === 'input.requested');
    expect(requests).toMatchObject([{ runId: run.id, correlationId }]);
    expect((await eventsOf(run, 'input.queued')).length).toBe(3);
    expect((await contextsOf(run, 'suspension')).map(({ isActive }) => isActive)).toEqual([true, false, false]);
  });

  test('[T195][T196][T211] an answer resumes its thread, and the next one asks', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, beside(ask('a'), ask('b'), ask('c')));
    const seen: unknown[] = [];
    for (const node of ['a', 'b', 'c']) {
      await say(t, run, node, { output: { [node]: 1 } });
      seen.push([await asking(run), await queued(run), (await eventsOf(run, 'input.requested')).length]);
    }
    expect(seen).toEqual([
      [['b'], ['b', 'c'], 2],
      [['c'], ['c'], 3],
      [[], [], 3],
    ]);
    expect(await contextsAt(run, 'after')).toEqual([{ output: { a: 1, b: 1, c: 1 } }]);
  });

  test('[T197][T198][T219] a run is suspended when no thread can go on, and no sooner', async () => {
    const t = await host.open(scripted);
    const definition = thread(
      'w',
      [start(), fanOut('fan'), ask('who'), work('a'), work('b'), fanIn('meet'), work('after')],
      ['start->fan:1->who->meet', 'fan:2->a->b->meet', 'meet->after'],
    );
    const run = await launch(t, definition);
    const look = async () => [await standing(run), (await eventsOf(run, 'workflow.suspended')).length];
    expect(await look()).toEqual(['Running', 0]);
    await answer(t, 'a');
    expect(await look()).toEqual(['Running', 0]);
    await answer(t, 'b');
    expect(await look()).toEqual(['Suspended', 1]);
    await say(t, run, 'who', null);
    expect(await look()).toEqual(['Running', 1]);
    expect((await eventsOf(run, 'workflow.resumed')).length).toBe(1);
  });

  test('[T198] an answer that comes while others are at work suspends nothing', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, beside(ask('who'), yields('own')));
    await say(t, run, 'who', { output: 'answered' });
    expect(await standing(run)).toBe('Running');
    await answer(t, 'own', { value: 'done' });
    expect(await contextsAt(run, 'after')).toEqual([{ output: ['answered', 'done'] }]);
    expect(await eventsOf(run, 'workflow.suspended', 'workflow.resumed')).toEqual([]);
  });

  test('[T197] a run whose child still works is not suspended; when the child only waits for people it is', async () => {
    const t = await host.open(scripted);
    await register(t.engine, thread('child', [start(), work('toil'), ask('inner')], ['start->toil->inner']));
    const run = await launch(t, beside(gosub('call', 'child'), ask('outer')));
    expect(await standing(run)).toBe('Waiting');
    await answer(t, 'toil');
    expect([await standing(run), await standing(await childOf(t, run))]).toEqual(['Suspended', 'Suspended']);
  });

  test('[T199][T200][T201] running, waiting, suspended: by what the threads of a run do', async () => {
    const t = await host.open(scripted);
    await register(t.engine, thread('child', [start(), work('toil')], ['start->toil']));
    const definition = thread(
      'w',
      [start(), work('first'), gosub('call', 'child'), ask('who'), end()],
      ['start->first->call->who->end'],
    );
    const run = await launch(t, definition);
    const seen = [[await standing(run), await run.status()]];
    const look = async () => seen.push([await standing(run), await run.status()]);
    await answer(t, 'first');
    await look();
    await answer(t, 'toil');
    await look();
    await say(t, run, 'who', null);
    await look();
    expect(seen).toEqual([
      ['Running', 'running'],
      ['Waiting', 'waiting'],
      ['Suspended', 'suspended'],
      ['Success', 'completed'],
    ]);
  });

  test('[T146] one queue for the whole tree of runs: parent, children and children of those', async () => {
    const t = await host.open(scripted);
    await register(
      t.engine,
      thread('grand', [start(), ask('deep')], ['start->deep']),
      thread('child', [start(), ask('inner'), gosub('down', 'grand')], ['start->inner->down']),
    );
    const definition = thread(
      'w',
      [start(), fanOut('fan'), gosub('a', 'child'), gosub('b', 'child'), ask('outer'), fanIn('meet'), end()],
      ['start->fan:1->a->meet', 'fan:2->b->meet', 'fan:3->outer->meet', 'meet->end'],
    );
    const run = await launch(t, definition);
    const turns: string[] = [];
    for (let prompts = await run.prompts(); prompts.length > 0; prompts = await run.prompts()) {
      expect([prompts.length, (await t.engine.prompts()).length]).toEqual([1, 1]);
      turns.push(String(prompts[0]?.nodeId));
      await say(t, run, String(prompts[0]?.nodeId), null);
    }
    expect(turns).toEqual(['outer', 'inner', 'inner', 'deep', 'deep']);
    expect(await standing(run)).toBe('Success');
  });

  test('[T146] slices of a batch ask one after the other', async () => {
    const t = await host.open();
    const definition = thread(
      'w',
      [start(), batch('slices', 'names', 1, 2), ask('check'), end({ output: 'output' })],
      ['start->slices:process->check', 'slices:continue->end'],
    );
    const run = await launch(t, definition, { names: ['a', 'b', 'c'] });
    const queues: number[] = [];
    for (const answered of ['x', 'y', 'z']) {
      queues.push((await queued(run)).length);
      await say(t, run, 'check', { output: answered });
    }
    expect(queues).toEqual([2, 2, 1]);
    expect(await ended(run)).toEqual(succeeded({ output: ['x', 'y', 'z'] }));
  });

  test('[T146] other runs have queues of their own', async () => {
    const t = await host.open();
    const first = await launch(t, one);
    const second = await t.engine.start('w');
    await t.settle();
    expect([await asking(first), await asking(second)]).toEqual([['who'], ['who']]);
  });

  test('[T147] what comes while a run is paused counts when it resumes, all of it and once', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, beside(yields('a'), yields('b')));
    await run.pause();
    await answer(t, 'b', { value: 'b' });
    await answer(t, 'a', { value: 'a' });
    expect(await standing(run)).toBe('Paused');
    await run.resume();
    await t.settle();
    expect(await contextsAt(run, 'after')).toEqual([{ output: ['a', 'b'] }]);
    expect((await visits(run)).filter((visit) => visit === 'after:dispatched')).toHaveLength(1);
  });

  test('[T147] a paused run goes on exactly where it stopped, in a new process too', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, beside(ask('a'), yields('b'), yields('c')), { kept: 1 });
    await answer(t, 'b', { value: 'b' });
    await run.pause();
    await t.settle();
    const before = await run.threads();
    expect(before.status).toBe('Paused');
    const next = await host.restart(t, scripted);
    await next.settle();
    const again = next.engine.run(run.id);
    expect(await again.threads()).toEqual(before);
    await again.resume();
    await next.settle();
    expect((await again.threads()).threads).toEqual(before.threads);
    await answer(next, 'c', { value: 'c' });
    await say(next, again, 'a', { output: 'a' });
    expect(await contextsAt(again, 'after')).toEqual([{ kept: 1, output: ['a', 'b', 'c'] }]);
    expect((await visits(again)).toSorted()).toEqual([
      'a:completed',
      'after:dispatched',
      'b:completed',
      'c:completed',
      'fan:completed',
      ...Array.from({ length: 4 }, () => 'meet:completed'),
      'start:completed',
    ]);
  });
});

onEveryHost('replies', (host) => {
  test('[T208][T215] a reply names the run and the correlation id', async () => {
    const t = await host.open();
    const run = await launch(t, one);
    const other = await t.engine.start('w');
    await t.settle();
    const { correlationId } = await promptAt(run, 'who');
    await expect(other.reply(correlationId, null)).rejects.toMatchObject({ code: 'PROMPT_NOT_FOUND' });
    expect([await standing(run), await standing(other)]).toEqual(['Suspended', 'Suspended']);
    expect(await run.reply(correlationId, null)).toEqual({ applied: true });
    await t.settle();
    expect([await standing(run), await standing(other)]).toEqual(['Success', 'Suspended']);
  });

  test('[T208] a prompt of a child is answered under the root or the child', async () => {
    const t = await host.open();
    await register(t.engine, thread('child', [start(), ask('one'), ask('two')], ['start->one->two']));
    const run = await launch(t, thread('w', [start(), gosub('call', 'child')], ['start->call']));
    const sub = await childOf(t, run);
    await say(t, run, 'one', { one: 1 });
    await say(t, sub, 'two', { two: 2 });
    expect(await ended(run)).toEqual(succeeded({ one: 1, two: 2 }));
  });

  test('[T209] the payload goes into the context of the thread that waits, and nobody else sees it', async () => {
    const t = await host.open(scripted);
    const definition = thread(
      'w',
      [start(), fanOut('fan'), ask('who'), work('mine'), work('other'), fanIn('meet')],
      ['start->fan:1->who->mine->meet', 'fan:2->other->meet'],
    );
    const run = await launch(t, definition, { user: { id: 7 } });
    await say(t, run, 'who', { user: { name: 'Ada' }, extra: [1] });
    expect(await contextsAt(run, 'mine')).toEqual([{ user: { id: 7, name: 'Ada' }, extra: [1] }]);
    expect(callsAt(t, 'mine')[0]?.input).toEqual({ user: { id: 7, name: 'Ada' }, extra: [1] });
    expect(await contextsAt(run, 'other')).toEqual([{ user: { id: 7 } }]);
    expect((await run.state()).state).toEqual({ user: { id: 7 } });
  });

  test('[T209] a payload is laid over the context key by key, lists and scalars replaced', async () => {
    const t = await host.open();
    const run = await launch(t, one, { a: { b: { c: 1, d: 2 }, list: [1, 2] }, e: 1 });
    await say(t, run, 'who', { a: { b: { c: null }, list: [3] }, e: { f: 1 } });
    expect(await ended(run)).toEqual(succeeded({ a: { b: { c: null, d: 2 }, list: [3] }, e: { f: 1 } }));
  });

  test('[T209] keys are keys, whatever they look like', async () => {
    const t = await host.open();
    const run = await launch(t, one, { a: { b: 1, deep: { x: 1 } } });
    await say(t, run, 'who', { a: { 'b.c': 2, '': 3, deep: { 'y.z': { '': 4 } } }, 'p.q': 5, '': 6 });
    expect(await ended(run)).toEqual(
      succeeded({ a: { b: 1, 'b.c': 2, '': 3, deep: { x: 1, 'y.z': { '': 4 } } }, 'p.q': 5, '': 6 }),
    );
  });

  test.each(['{"__proto__":{"x":1}}', '{"a":{"__proto__":{"x":1}}}'])(
    '[T209] a payload cannot reach a prototype: %s is refused',
    async (text) => {
      const t = await host.open();
      const run = await launch(t, one, { a: { b: 1 } });
      const { correlationId } = await promptAt(run, 'who');
      await expect(run.reply(correlationId, JSON.parse(text))).rejects.toMatchObject({ code: 'PAYLOAD_INVALID' });
      await t.settle();
      expect(await standing(run)).toBe('Suspended');
    },
  );

  test('[T209] words of the language are just keys', async () => {
    const t = await host.open();
    const run = await launch(t, one, { a: { b: 1 } });
    await say(t, run, 'who', { a: { constructor: { prototype: 1 } }, constructor: 'Ferrari', prototype: 2 });
    expect(await ended(run)).toEqual(
      succeeded({ a: { b: 1, constructor: { prototype: 1 } }, constructor: 'Ferrari', prototype: 2 }),
    );
  });

  test('[T209][T210][T212] after the process has gone a reply finds its wait, and the run goes on', async () => {
    const t = await host.open(scripted);
    const { id } = await launch(t, beside(ask('a'), ask('b')), { kept: 1 });
    const { correlationId } = await promptAt(t.engine.run(id), 'a');
    const next = await host.restart(t, scripted);
    const run = next.engine.run(id);
    expect(await run.reply(correlationId, { output: 'A' })).toEqual({ applied: true });
    await next.settle();
    expect([await queued(run), await asking(run), await standing(run)]).toEqual([['b'], ['b'], 'Suspended']);
    expect((await contextsOf(run, 'suspension')).length).toBe(1);
    const last = await host.restart(next, scripted);
    await say(last, last.engine.run(id), 'b', { output: 'B' });
    expect(await contextsAt(last.engine.run(id), 'after')).toEqual([{ kept: 1, output: ['A', 'B'] }]);
  });

  test('[T213] only the wait that is named is affected; an unknown one is refused', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, beside(ask('a'), ask('b')));
    const before = await run.threads();
    await expect(run.reply('nobody', {})).rejects.toMatchObject({
      code: 'PROMPT_NOT_FOUND',
      message: expect.stringContaining('nobody'),
    });
    await t.settle();
    expect(await run.threads()).toEqual(before);
    await say(t, run, 'a', null);
    const after = await run.threads();
    const waitOf = ({ threads }: typeof before) => threads.filter(({ node }) => node === 'b');
    expect(waitOf(after)).toEqual(waitOf(before));
    expect(waitOf(after).length).toBe(1);
  });

  test('[T214] a wait that is not active yet takes no reply', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, beside(ask('a'), ask('b')));
    const [, second] = (await run.threads()).inputQueue;
    const before = await run.threads();
    await expect(run.reply(String(second?.correlationId), {})).rejects.toMatchObject({ code: 'PROMPT_NOT_ACTIVE' });
    await t.settle();
    expect(await run.threads()).toEqual(before);
    await say(t, run, 'a', null);
    expect(await run.reply(String(second?.correlationId), null)).toEqual({ applied: true });
  });

  test('[T216] active waits are listed, of a run and of all', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, beside(ask('a', { title: 'A?' }), ask('b')));
    const prompts = await run.prompts();
    expect(prompts).toEqual([
      {
        correlationId: (await run.threads()).inputQueue[0]?.correlationId,
        runId: run.id,
        rootRunId: run.id,
        workflow: 'w',
        nodeId: 'a',
        title: 'A?',
        description: null,
        path: 'root.fan.0',
        branch: { index: 0, total: 2 },
        schema: { type: ['object', 'null'] },
        requestedAt: t.clock.now(),
        deadline: null,
      },
    ]);
    expect(await t.engine.prompts()).toEqual(prompts);
    await say(t, run, 'a', null);
    await say(t, run, 'b', null);
    expect([await run.prompts(), await t.engine.prompts()]).toEqual([[], []]);
  });

  test('[T217][T218][T219] who listens is told of requests, replies, suspension and resumption, in order', async () => {
    const told: string[] = [];
    const wanted = /^(input\.(requested|resumed)|workflow\.(suspended|resumed|completed))$/;
    const onEvent = ({ type }: RunEvent) => wanted.test(type) && told.push(type);
    const t = await host.open({ onEvent });
    const run = await launch(t, thread('w', [start(), ask('a'), ask('b')], ['start->a->b']));
    expect(told.splice(0)).toEqual(['input.requested', 'workflow.suspended']);
    await say(t, run, 'a', null);
    expect(told.splice(0)).toEqual(['input.resumed', 'input.requested']);
    await say(t, run, 'b', null);
    expect(told.splice(0)).toEqual(['input.resumed', 'workflow.resumed', 'workflow.completed']);
  });

  test('[T218] the notification of a reply tells what was said, and to whom', async () => {
    const events: RunEvent[] = [];
    const t = await host.open({ onEvent: (event) => events.push(event) });
    const run = await launch(t, one);
    const { correlationId } = await promptAt(run, 'who');
    await say(t, run, 'who', { name: 'Ada' });
    expect(events.filter(({ type }) => type === 'input.resumed')).toMatchObject([
      { runId: run.id, correlationId, payload: { name: 'Ada' } },
    ]);
  });

  test('[T219] of a tree of runs each tells for itself', async () => {
    const told: [string, string][] = [];
    const t = await host.open({
      ...scripted,
      onEvent: ({ runId, type }) => /^workflow\.(suspended|resumed)$/.test(type) && told.push([runId, type.slice(9)]),
    });
    await register(t.engine, thread('child', [start(), ask('inner'), work('toil')], ['start->inner->toil']));
    const run = await launch(t, thread('w', [start(), gosub('call', 'child')], ['start->call']));
    const { id } = await childOf(t, run);
    expect(told.splice(0)).toEqual([
      [id, 'suspended'],
      [run.id, 'suspended'],
    ]);
    await say(t, run, 'inner', null);
    expect(told.splice(0)).toEqual([
      [id, 'resumed'],
      [run.id, 'resumed'],
    ]);
    expect(await standing(run)).toBe('Waiting');
  });

  test('[T222] the same reply twice has no second effect', async () => {
    const t = await host.open(scripted);
    const definition = thread(
      'w',
      [start(), ask('who'), code('count', 'context.n + 1', 'n'), work('after')],
      ['start->who->count->after'],
    );
    const run = await launch(t, definition, { n: 0 });
    const { correlationId } = await promptAt(run, 'who');
    const both = await Promise.all([run.reply(correlationId, { a: 1 }), run.reply(correlationId, { a: 1 })]);
    await t.settle();
    expect(both.filter(({ applied }) => applied).length).toBe(1);
    const before = await run.threads();
    const next = await host.restart(t, scripted);
    const again = next.engine.run(run.id);
    expect(await again.reply(correlationId, { a: 1 })).toEqual({ applied: false });
    await expect(again.reply(correlationId, { a: 2 })).rejects.toMatchObject({ code: 'ALREADY_ANSWERED' });
    await next.settle();
    expect(await again.threads()).toEqual(before);
    expect((await eventsOf(again, 'input.resumed')).length).toBe(1);
    expect(await contextsAt(again, 'after')).toEqual([{ n: 1, a: 1 }]);
  });

  test('[T222] a restart does not make the end of a child count twice', async () => {
    const t = await host.open(scripted);
    await register(t.engine, thread('child', [start(), work('toil')], ['start->toil']));
    const run = await launch(t, thread('w', [start(), gosub('call', 'child'), work('after')], ['start->call->after']));
    await answer(t, 'toil');
    const next = await host.restart(t, scripted);
    await next.settle();
    const again = next.engine.run(run.id);
    expect(await visits(again)).toEqual(['start:completed', 'call:completed', 'after:dispatched']);
    expect((await eventsOf(again, 'subworkflow.completed')).length).toBe(1);
  });

  test('a run that fails or is cancelled takes its waits with it', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, beside(ask('who'), work('toil')));
    const { correlationId } = await promptAt(run, 'who');
    await fail(t, 'toil');
    expect([await standing(run), await t.engine.prompts()]).toEqual(['Failed', []]);
    await expect(run.reply(correlationId, null)).rejects.toMatchObject({ code: 'PROMPT_CANCELLED' });
  });

  test.each([7, 'text', [1], true])('an answer that is no object is refused: %s', async (payload) => {
    const t = await host.open();
    const run = await launch(t, one, { a: 1 });
    const { correlationId } = await promptAt(run, 'who');
    await expect(run.reply(correlationId, payload)).rejects.toMatchObject({ code: 'PAYLOAD_INVALID' });
    expect(await standing(run)).toBe('Suspended');
  });

  test('a schema of its own says what an answer must look like', async () => {
    const t = await host.open();
    const schema = { type: 'object', required: ['ok'], properties: { ok: { type: 'boolean' } } };
    const run = await launch(t, thread('w', [start(), ask('who', { schema }), edit('e', {})], ['start->who->e']));
    const { correlationId } = await promptAt(run, 'who');
    await expect(run.reply(correlationId, { ok: 'yes' })).rejects.toMatchObject({ code: 'PAYLOAD_INVALID' });
    await say(t, run, 'who', { ok: true });
    expect(await ended(run)).toEqual(succeeded({ ok: true }));
  });
});
