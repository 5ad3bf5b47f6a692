import { expect, test } from 'vitest';
import type { Run } from '../../packages/heddle/src/api/run.ts';
import { runStatuses } from '../../packages/heddle/src/core/views/status.ts';
import { threadStatus } from '../../packages/heddle/src/dialects.ts';
import type { TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import { onEveryHost } from './hosts.testsuite.ts';
import { promptAt, say } from './prompts.testsuite.ts';
import {
  ask,
  batch,
  childOf,
  choose,
  contextOf,
  contextsOf,
  edit,
  end,
  fanIn,
  fanOut,
  gosub,
  mappingsOf,
  standing,
  start,
  thread,
  work,
  yields,
} from './thread.testsuite.ts';
import {
  answer,
  callsAt,
  ended,
  fail,
  launch,
  register,
  scripted,
  tokensAt,
  visits,
} from './token-engine.testsuite.ts';

const child = thread('child', [start(), ask('inner'), end()], ['start->inner->end']);

/** A thread of every kind at once: at work, at a fan-in, asking, calling, and with slices. */
const everything = thread(
  'w',
  [
    start(),
    fanOut('fan', 'a', 'b', 'c', 'd', 'e'),
    work('works'),
    edit('arrives', { output: 'came' }),
    ask('asks'),
    gosub('calls', 'child', { inputs: mappingsOf({ who: 'name' }), outputs: mappingsOf({ 'output.said': 'said' }) }),
    batch('slices', 'list', 1, 1),
    work('process'),
    fanIn('meet'),
    end(),
  ],
  [
    'start->fan:a->works->meet',
    'fan:b->arrives->meet',
    'fan:c->asks->meet',
    'fan:d->calls->meet',
    'fan:e->slices:process->process',
    'slices:continue->meet',
    'meet->end',
  ],
);

async function launchEverything(t: TestEngine): Promise<Run> {
  await register(t.engine, child);
  return launch(t, everything, { name: 'Ada', list: [1, 2] });
}

onEveryHost('the tree of contexts', (host) => {
  test('[T148][T151][T152][T153][T154] every context says what it is, where, what is outstanding, and how it stands', async () => {
    const t = await host.open(scripted);
    const run = await launchEverything(t);
    const thread1 = async (node: string) => (await tokensAt(run, node))[0]?.id;
    const [fan, slices] = await contextsOf(run, 'group');
    const sub = await childOf(t, run);
    const { correlationId } = await promptAt(run, 'asks');
    const { inputQueue, contexts } = await run.threads();
    const [root, ...inside] = contexts;
    expect(root).toMatchObject({
      kind: 'workflow',
      contextId: run.id,
      parentId: null,
      pendingCount: 1,
      status: 'running',
      mergeStrategy: 'last_wins',
      inputQueue,
    });
    expect(inside).toEqual([
      {
        kind: 'group',
        contextId: fan?.contextId,
        parentId: run.id,
        pendingCount: 4,
        status: 'running',
        mergeStrategy: 'output_merge',
        node: 'fan',
        ownerThread: await thread1('fan'),
        expectedCount: 5,
        arrivedCount: 1,
        mergedContext: { output: 'came' },
      },
      {
        kind: 'group',
        contextId: slices?.contextId,
        parentId: fan?.contextId,
        pendingCount: 2,
        status: 'running',
        mergeStrategy: 'output_merge',
        node: 'slices',
        ownerThread: await thread1('slices'),
        expectedCount: 2,
        arrivedCount: 0,
        mergedContext: {},
        processNode: 'process',
        continueNode: 'meet',
        pendingSlices: [{ index: 1, start: 1, end: 2 }],
      },
      {
        kind: 'subworkflow',
        contextId: expect.any(String),
        parentId: fan?.contextId,
        pendingCount: 1,
        status: 'suspended',
        mergeStrategy: 'mapping',
        childRunId: sub.id,
        parentThread: await thread1('calls'),
        mappings: { inputs: ['who'], outputs: ['output.said'] },
        continuation: 'meet',
      },
      {
        kind: 'suspension',
        contextId: expect.any(String),
        parentId: fan?.contextId,
        pendingCount: 1,
        status: 'suspended',
        mergeStrategy: 'merge',
        awaits: 'input',
        correlationId,
        thread: await thread1('asks'),
        isActive: true,
      },
    ]);
    expect(new Set(contexts.map(({ contextId }) => contextId)).size).toBe(contexts.length);
  });

  test('[T151] the workflow is the root, and owns connectors, limits and the input queue of the whole tree', async () => {
    const t = await host.open({ ...scripted, limits: { nodesPerRunMax: 500 } });
    const run = await launchEverything(t);
    const sub = await childOf(t, run);
    const root = await contextOf(run, 'workflow');
    expect(root.connectors.toSorted(byEnds)).toEqual(connectorsOf(everything).toSorted(byEnds));
    expect(root.limits).toMatchObject({ nodesPerRunMax: 500 });
    expect(root.inputQueue.map(({ runId }) => runId)).toEqual([run.id, sub.id]);
    const [below] = (await sub.threads()).contexts;
    const call = await contextOf(run, 'subworkflow');
    expect(below).toMatchObject({ kind: 'workflow', contextId: sub.id, parentId: call.contextId, inputQueue: [] });
  });

  test('[T151] connectors are those of the definition, whatever becomes of them', async () => {
    const t = await host.open(scripted);
    const definition = thread(
      'w',
      [start(), choose('if', 'no: context.n > 9', 'blank: ', 'default'), batch('slices', 'list'), work('a')],
      ['start->if:default->slices:continue->a'],
    );
    const run = await launch(t, definition, { n: 1, list: [1] });
    expect((await contextOf(run, 'workflow')).connectors.toSorted(byEnds)).toEqual(
      connectorsOf(definition).toSorted(byEnds),
    );
  });

  interface Ends {
    readonly from: string;
    readonly to: string;
  }
  const byEnds = (a: Ends, b: Ends) => JSON.stringify(a).localeCompare(JSON.stringify(b));
  const connectorsOf = (definition: Readonly<Record<string, unknown>>): Ends[] =>
    (definition['connectors'] as Ends[]).map(({ from, to }) => ({ from, to }));

  test('[T155] every thread is in a context of the tree', async () => {
    const t = await host.open(scripted);
    const run = await launchEverything(t);
    const [fan, slices] = await contextsOf(run, 'group');
    const { threads } = await run.threads();
    expect(Object.fromEntries(threads.map(({ node, contextId }) => [node, contextId]))).toEqual({
      works: fan?.contextId,
      meet: fan?.contextId,
      asks: fan?.contextId,
      calls: fan?.contextId,
      slices: fan?.contextId,
      process: slices?.contextId,
    });
  });

  test('[T158] after a node a thread goes on, is complete, is suspended, or waits', async () => {
    const t = await host.open(scripted);
    const run = await launchEverything(t);
    const { threads } = await run.threads();
    expect(Object.fromEntries(threads.map(({ node, status }) => [node, status]))).toEqual({
      works: 'continued',
      meet: 'complete',
      asks: 'suspended',
      calls: 'waiting',
      slices: 'waiting',
      process: 'continued',
    });
  });

  test('[T149] what is outstanding rises and falls with the work', async () => {
    const t = await host.open(scripted);
    const definition = thread(
      'w',
      [
        start(),
        fanOut('fan', 'x', 'y'),
        yields('a'),
        batch('slices', 'list', 1, 1),
        yields('b'),
        fanIn('meet'),
        yields('last'),
      ],
      ['start->fan:x->a->meet', 'fan:y->slices:process->b', 'slices:continue->meet', 'meet->last'],
    );
    const run = await launch(t, definition, { list: [1, 2] });
    const counts = async () => {
      const { contexts } = await run.threads();
      return Object.fromEntries(
        contexts.map((found) => ['node' in found ? found.node : found.kind, found.pendingCount]),
      );
    };
    const seen = [await counts()];
    for (const node of ['b', 'a', 'b', 'last']) {
      await answer(t, node, { value: node });
      seen.push(await counts());
    }
    expect(seen).toEqual([
      { workflow: 1, fan: 2, slices: 2 },
      { workflow: 1, fan: 2, slices: 1 },
      { workflow: 1, fan: 1, slices: 1 },
      { workflow: 1 },
      { workflow: 0 },
    ]);
  });

  test('[T148] a context stands as the liveliest of its threads does', async () => {
    const t = await host.open(scripted);
    const run = await launchEverything(t);
    const statuses = async () => {
      const { contexts } = await run.threads();
      return Object.fromEntries(contexts.map((found) => ['node' in found ? found.node : found.kind, found.status]));
    };
    const rest = { subworkflow: 'suspended', suspension: 'suspended' };
    expect(await statuses()).toEqual({ workflow: 'running', fan: 'running', slices: 'running', ...rest });
    for (const node of ['process', 'process']) await answer(t, node);
    expect(await statuses()).toEqual({ workflow: 'running', fan: 'running', ...rest });
    await answer(t, 'works');
    expect(await statuses()).toEqual({ workflow: 'suspended', fan: 'suspended', ...rest });
    await say(t, run, 'asks', null);
    await say(t, run, 'inner', { said: 'yes' });
    expect(await statuses()).toEqual({ workflow: 'complete' });
    expect((await ended(run)).output).toEqual({ name: 'Ada', list: [1, 2], output: ['came', { said: 'yes' }] });
  });

  test('[T150] what follows the same node is decided by the context that its thread is in', async () => {
    const definition = thread(
      'w',
      [
        start(),
        choose('if', "slices: context.way == 'batch'", "branches: context.way == 'fan'", 'alone'),
        work('leaf'),
        batch('slices', 'list', 1, 1),
        fanOut('fan', 'x', 'y'),
        edit('after', { after: true }),
      ],
      [
        'start->if:alone->leaf',
        'if:slices->slices:process->leaf',
        'slices:continue->after',
        'if:branches->fan:x->leaf',
        'fan:y->leaf',
      ],
    );
    const follow = async (way: string): Promise<unknown[]> => {
      const t = await host.open(scripted);
      const run = await launch(t, definition, { way, list: [1, 2] });
      const seen: unknown[] = [];
      for (let round = 0; round < 2 && callsAt(t, 'leaf').length > 0; round++) {
        await answer(t, 'leaf');
        seen.push((await visits(run)).slice(2).join(' '));
      }
      return [...seen, await standing(run)];
    };
    expect(await follow('alone')).toEqual(['leaf:completed', 'Success']);
    expect(await follow('batch')).toEqual([
      'slices:waiting_for_batch leaf:completed leaf:dispatched',
      'slices:completed leaf:completed leaf:completed after:completed',
      'Success',
    ]);
    expect(await follow('fan')).toEqual([
      'fan:completed leaf:completed leaf:dispatched',
      'fan:completed leaf:completed leaf:completed',
      'Success',
    ]);
  });

  test('[T159] a run with anything pending or suspended is not complete', async () => {
    const t = await host.open(scripted);
    await register(t.engine, child);
    const definition = thread(
      'w',
      [
        start(),
        fanOut('fan', 'x', 'y', 'z'),
        ask('asks'),
        gosub('calls', 'child'),
        batch('slices', 'list', 1, 1),
        ask('checks'),
      ],
      ['start->fan:x->asks', 'fan:y->calls', 'fan:z->slices:process->checks'],
    );
    const run = await launch(t, definition, { list: [1, 2] });
    const seen = [await standing(run)];
    for (let prompts = await run.prompts(); prompts.length > 0; prompts = await run.prompts()) {
      await say(t, run, String(prompts[0]?.nodeId), null);
      seen.push(await standing(run));
    }
    expect(seen).toEqual(['Suspended', 'Suspended', 'Suspended', 'Suspended', 'Success']);
  });

  test('[T153] when the child is done its parent thread goes on at the continuation, and the context is gone', async () => {
    const t = await host.open(scripted);
    await register(t.engine, child);
    const nodes = [start(), gosub('calls', 'child', { outputs: mappingsOf({ said: 'said' }) }), work('next')];
    const run = await launch(t, thread('w', nodes, ['start->calls->next']));
    expect(await contextOf(run, 'subworkflow')).toMatchObject({
      parentId: run.id,
      continuation: 'next',
      mappings: { inputs: ['*'], outputs: ['said'] },
    });
    await say(t, run, 'inner', { said: 1 });
    expect(await contextsOf(run, 'subworkflow')).toEqual([]);
    expect((await run.threads()).threads).toMatchObject([{ node: 'next', contextId: run.id, context: { said: 1 } }]);
  });

  test('[T154] when the answer has come the suspension is gone', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, thread('w', [start(), ask('asks'), work('next')], ['start->asks->next']));
    expect((await contextOf(run, 'suspension')).correlationId).toBe((await promptAt(run, 'asks')).correlationId);
    await say(t, run, 'asks', null);
    expect(await contextsOf(run, 'suspension')).toEqual([]);
  });

  test('[T156] looking at a context changes nothing in it', async () => {
    const t = await host.open(scripted);
    const run = await launchEverything(t);
    const view = await run.threads();
    const before = JSON.stringify(view);
    for (const { context } of view.threads) Object.assign(context, { name: 'somebody else' });
    expect(JSON.stringify(await run.threads())).toBe(before);
  });
});

onEveryHost('statuses of threads', (host) => {
  test('[T220][TH31] runs that are Created, Running, Success and Failed are loaded as they were, and go on', async () => {
    const t = await host.open(scripted);
    const definition = thread('w', [start(), work('a'), end()], ['start->a->end']);
    const success = await launch(t, definition, { n: 1 });
    await answer(t, 'a');
    const failure = await launch(t, definition, { n: 2 });
    await fail(t, 'a');
    const running = await launch(t, definition, { n: 3 });
    const created = await t.engine.start('w', { n: 4 }, { delayMs: 60_000 });
    await t.settle();
    const ids = [created, running, success, failure].map(({ id }) => id);
    const words = ['Created', 'Running', 'Success', 'Failed'];
    const standings = async ({ engine }: TestEngine) => Promise.all(ids.map((id) => standing(engine.run(id))));
    const looks = async ({ engine }: TestEngine) => Promise.all(ids.map((id) => engine.run(id).state()));
    expect(await standings(t)).toEqual(words);
    const before = await looks(t);
    expect(before.map(({ input }) => input)).toEqual([{ n: 4 }, { n: 3 }, { n: 1 }, { n: 2 }]);

    const next = await host.restart(t, scripted);
    await next.settle();
    expect(await standings(next)).toEqual(words);
    expect(await looks(next)).toEqual(before);
    expect((await next.engine.run(created.id).threads()).threads).toEqual([]);
    expect(await ended(next.engine.run(failure.id))).toMatchObject({ status: 'failed', error: { nodeId: 'a' } });

    // Those that had not ended go on from where they stood.
    await answer(next, 'a');
    expect(await standings(next)).toEqual(['Created', 'Success', 'Success', 'Failed']);
    await next.advance(60_000);
    expect(await standings(next)).toEqual(['Running', 'Success', 'Success', 'Failed']);
    await answer(next, 'a');
    expect(await standings(next)).toEqual(['Success', 'Success', 'Success', 'Failed']);
  });

  test('[T220] every status has a word', () => {
    expect(Object.fromEntries(runStatuses.map((status) => [status, threadStatus(status)]))).toEqual({
      submitted: 'Created',
      running: 'Running',
      waiting: 'Waiting',
      suspended: 'Suspended',
      paused: 'Paused',
      completed: 'Success',
      failed: 'Failed',
      cancelled: 'Cancelled',
      timed_out: 'Failed',
      exhausted: 'Failed',
    });
  });
});
