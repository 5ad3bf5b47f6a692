import { expect, test } from 'vitest';
import { attach } from '../../packages/heddle/src/testing/attach.ts';
import { begin, graph, options, work as port } from './dataflow.testsuite.ts';
import { onEveryHost } from './hosts.testsuite.ts';
import { asks, say } from './prompts.testsuite.ts';
import { answer, fail, go, launch, register, scripted, work, workflow } from './token-engine.testsuite.ts';

onEveryHost('attaching to runs', (host) => {
  const pair = workflow('w', [work('add'), work('mult')], [go('add', 'mult')]);

  test('[T473][TA1][TA2][TA3] before the run is created: its status, and the result of a step by its name', async () => {
    const t = await host.open(scripted);
    await register(t.engine, pair);
    await t.engine.start('w'); // an earlier one is not met
    await using instance = await attach(t.engine, { workflow: 'w', tags: { order: '7' } });
    const completed = instance.waitForStatus('completed');
    const step = instance.waitForStepResult({ name: 'run node add' });
    await t.engine.start('w', {}, { tags: { order: '6' } });
    const run = await t.engine.start('w', { n: 1 }, { tags: { order: '7' } });
    await t.settle();
    for (const value of [1, 2, 3]) await answer(t, 'add', { value });
    expect(await step).toMatchObject({ nodeId: 'add', status: 'completed', output: { value: 3 } });
    expect((await instance.run()).id).toBe(run.id);
    for (const value of [4, 5, 6]) await answer(t, 'mult', { value });
    expect(await completed).toMatchObject({ status: 'completed' });
    // What has happened already is answered too.
    expect(await instance.waitForStepResult({ name: 'run node mult' })).toMatchObject({ output: { value: 6 } });
    expect(await instance.waitForStatus('completed')).toMatchObject({ status: 'completed' });
  });

  test('[T473][TA1] a sub-run is not met', async () => {
    const t = await host.open(scripted);
    await register(t.engine, pair, workflow('outer', [{ id: 'call', workflow: 'w' }]));
    await using instance = await attach(t.engine, { workflow: 'w' });
    await t.engine.start('outer');
    const run = await t.engine.start('w');
    expect((await instance.run()).id).toBe(run.id);
  });

  test('[T473][TA2] a run that is there; a status on the way', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, workflow('w', [asks('ask'), work('a')], [go('ask', 'a')]));
    await using instance = await attach(t.engine, { runId: run.id });
    await instance.waitForStatus('suspended');
    const running = instance.waitForStatus('running');
    await say(t, run, 'ask', 1);
    expect(await running).toMatchObject({ status: 'running' });
  });

  test('[T473][TA3] a step of a dataflow graph', async () => {
    const t = await host.open(options);
    const run = await begin(t, graph([port('b'), port('a')], ['a.x->b.p']));
    await using instance = await attach(t.engine, { runId: run.id });
    const step = instance.waitForStepResult({ name: 'run node a' });
    await answer(t, 'a', { x: 1 });
    expect(await step).toMatchObject({ nodeId: 'a', status: 'completed', output: { x: 1 } });
  });

  test('[T473][TA2][TA3] what can no longer come is refused, with the reason', async () => {
    const t = await host.open(scripted);
    await register(t.engine, pair);
    await using instance = await attach(t.engine, { workflow: 'w' });
    await t.engine.start('w');
    await t.settle();
    await fail(t, 'add', 'BROKEN');
    expect(await instance.waitForStepResult({ name: 'run node add' })).toMatchObject({ status: 'failed' });
    const refused = { code: 'WAIT_REFUSED', message: expect.stringContaining('but it is failed: ') };
    await expect(instance.waitForStatus('completed')).rejects.toMatchObject(refused);
    await expect(instance.waitForStepResult({ name: 'run node mult' })).rejects.toMatchObject(refused);
    await expect(instance.waitForStepResult({ name: 'add' })).rejects.toMatchObject(refused);
  });

  test('[T473][TA4] released, it refuses what still waits', async () => {
    const t = await host.open(scripted);
    await register(t.engine, pair);
    const waits: Promise<unknown>[] = [];
    {
      await using instance = await attach(t.engine, { workflow: 'w' });
      waits.push(instance.waitForStatus('completed'), instance.waitForStepResult({ name: 'run node add' }));
    }
    const settled = await Promise.allSettled(waits);
    expect(settled).toMatchObject(waits.map(() => ({ status: 'rejected', reason: { code: 'WAIT_RELEASED' } })));
  });
});
