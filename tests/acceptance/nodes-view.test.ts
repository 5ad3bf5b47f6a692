// The view of nodes is the same in every dialect: what an editor colours, from a run that is under way or over.

import { expect, test } from 'vitest';
import type { Run } from '../../packages/heddle/src/api/run.ts';
import { edge, node } from './dataflow.testsuite.ts';
import { answerNode, drawing } from './handle.testsuite.ts';
import { onEveryHost } from './hosts.testsuite.ts';
import { ask, end, fanIn, fanOut, start, thread, work as threadWork } from './thread.testsuite.ts';
import { answer, fail, go, join, launch, scripted, spawn, work, workflow } from './token-engine.testsuite.ts';

/** Each node as `id status visits`. */
const look = async (run: Run): Promise<string[]> =>
  (await run.nodes()).map(({ nodeId, status, visits }) => `${nodeId} ${status} ${visits}`);

onEveryHost('the nodes of a run', (host) => {
  test('[VW9][VW10][VW11] tokens: visits are counted, arrivals are not', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      [work('plan'), work('try', { retry: { maxAttempts: 2, initialDelayMs: 1_000 } }), work('done'), work('never')],
      [
        spawn('plan', 'try', 2, 'tries'),
        join('try', 'done', 'tries'),
        go('done', 'never', { condition: 'false', priority: 1 }),
        go('done', 'plan', { loop: { maxIterations: 1 }, condition: 'result.again == true', priority: 2 }),
        go('done', 'never', { condition: 'result.broken == true', priority: 3 }),
      ],
    );
    const run = await launch(t, definition);
    const startedAt = t.clock.now();
    await answer(t, 'plan', { n: 1 });
    await fail(t, 'try');
    expect(await look(run)).toEqual(['plan completed 1', 'try running 2', 'done idle 0', 'never idle 0']);
    await answer(t, 'try');
    expect(await look(run)).toEqual(['plan completed 1', 'try waiting 2', 'done idle 0', 'never idle 0']);
    await t.advance(1_000);
    await answer(t, 'try');
    const restarted = await host.restart(t, scripted);
    await restarted.settle();
    const again = restarted.engine.run(run.id);
    expect(await again.nodes()).toEqual([
      { nodeId: 'plan', status: 'completed', visits: 1, attempts: 1, startedAt, endedAt: startedAt, output: { n: 1 } },
      {
        nodeId: 'try',
        status: 'completed',
        visits: 2,
        attempts: 3,
        startedAt,
        endedAt: startedAt + 1_000,
        output: {},
      },
      { nodeId: 'done', status: 'running', visits: 1, attempts: 1, startedAt: startedAt + 1_000, endedAt: null },
      { nodeId: 'never', status: 'idle', visits: 0, attempts: 0, startedAt: null, endedAt: null },
    ]);
    await answer(restarted, 'done', { again: true });
    expect(await look(again)).toEqual(['plan running 2', 'try completed 2', 'done completed 1', 'never idle 0']);
    await again.cancel();
    expect(await look(again)).toEqual(['plan cancelled 2', 'try completed 2', 'done completed 1', 'never idle 0']);
  });

  test('[VW9][VW10][VW11] dataflow: in the order of the drawing, without the beginning that nobody drew', async () => {
    const t = await host.open(scripted);
    const drawn = ['sum', 'left', 'right', 'after'].map((id) => node(id, 'work'));
    const edges = ['left.n->sum.a', 'right.n->sum.b', 'sum.n->after.a'].map((text) => edge(text));
    const run = await launch(t, { dialect: 'dataflow', id: 'g', nodes: drawn, edges });
    await answer(t, 'left', { n: 1 });
    expect(await look(run)).toEqual(['sum idle 0', 'left completed 1', 'right running 1', 'after idle 0']);
    await answer(t, 'right', { n: 2 });
    await fail(t, 'sum', new Error('too large'));
    expect(await look(run)).toEqual(['sum failed 1', 'left completed 1', 'right completed 1', 'after idle 0']);
    const [sum, left] = await run.nodes();
    expect([sum?.error?.message, left?.output]).toEqual(['too large', { n: 1 }]);
  });

  test('[VW9][VW10][VW11] threads: a fan-in is visited once, a prompt waits', async () => {
    const t = await host.open(scripted);
    const run = await launch(
      t,
      thread(
        'w',
        [start(), fanOut('fan', 'l', 'r'), threadWork('a'), threadWork('b'), fanIn('meet'), ask('ok'), end()],
        ['start->fan', 'fan:l->a->meet', 'fan:r->b->meet', 'meet->ok->end'],
      ),
    );
    await answer(t, 'a');
    const before = ['start completed 1', 'fan completed 1', 'a completed 1'];
    expect(await look(run)).toEqual([...before, 'b running 1', 'meet idle 0', 'ok idle 0', 'end idle 0']);
    await answer(t, 'b');
    const met = [...before, 'b completed 1', 'meet completed 1'];
    expect(await look(run)).toEqual([...met, 'ok waiting 1', 'end idle 0']);
    const [prompt] = await run.prompts();
    await run.reply(prompt?.correlationId ?? '', { fine: true });
    await t.settle();
    expect(await look(run)).toEqual([...met, 'ok completed 1', 'end completed 1']);
  });

  test('[VW9][VW10][VW11] handles: the ways that were taken, waits, failures, and what no way leads to', async () => {
    const h = await host.open({ ...scripted, executors: { MANUAL_TRIGGER: ({ context }) => context } });
    const nodes = ['alone:work', 'a:MANUAL_TRIGGER', 'b:work', 'c:work', 'd:work', 'e:work'];
    const run = await launch(h, drawing(nodes, ['a->b', 'a->c', 'b->d', 'c->d', 'd/yes->e']));
    await answerNode(h, 'b', { _wait: { seconds: 60 } });
    expect(await look(run)).toEqual([
      'alone idle 0',
      'a completed 1',
      'b waiting 1',
      'c waiting 1',
      'd idle 0',
      'e idle 0',
    ]);
    await h.advance(60_000);
    await answerNode(h, 'c');
    await fail(h, 'd', new Error('no net'));
    expect(await look(run)).toEqual([
      'alone idle 0',
      'a completed 1',
      'b completed 1',
      'c completed 1',
      'd failed 1',
      'e idle 0',
    ]);
    expect((await run.nodes())[4]?.error).toMatchObject({ message: 'no net', nodeId: 'd' });
  });

  test('[VW9] live: read again at every event of the run', async () => {
    const t = await host.open({ executors: { STEP: ({ context }) => context } });
    await launch(t, drawing(['a', 'b'], ['a->b'], { id: 'w' }));
    const run = await t.engine.start('w');
    const seen: string[] = [];
    for await (const { type } of run.events())
      if (type === 'workflow.completed') seen.push((await look(run)).join(', '));
    expect(seen).toEqual(['a completed 1, b completed 1']);
  });
});
