import { expect, test } from 'vitest';
import { onEveryHost } from './hosts.testsuite.ts';
import { asking, asks, promptAt, say } from './prompts.testsuite.ts';
import {
  answer,
  callAt,
  eventsOf,
  fail,
  go,
  join,
  launch,
  register,
  scripted,
  visits,
  work,
  workflow,
} from './token-engine.testsuite.ts';

onEveryHost('prompts of a tree of runs', (host) => {
  const child = workflow('child', [asks('inner', { title: 'Child?' })], [], { inputPolicy: 'serial' });
  const parent = workflow(
    'parent',
    ['start', asks('outer'), { id: 'sub', workflow: 'child' }, { id: 'other', workflow: 'child' }],
    [go('start', 'outer'), go('start', 'sub'), go('start', 'other')],
    { inputPolicy: 'serial' },
  );

  test('[IN3][IN4][T211] the root keeps one queue for all of them, and answers for them', async () => {
    let t = await host.open();
    await register(t.engine, child);
    const { id } = await launch(t, parent);
    const turns: string[] = [];
    for (let turn = 0; turn < 3; turn++) {
      t = await host.restart(t);
      await t.settle();
      const run = t.engine.run(id);
      const [prompt, ...others] = await run.prompts();
      expect([others, await run.status()]).toEqual([[], 'suspended']);
      turns.push(String(prompt?.nodeId));
      expect(await run.reply(String(prompt?.correlationId), turn)).toEqual({ applied: true });
      await t.settle();
    }
    expect(turns).toEqual(['outer', 'inner', 'inner']);
    const run = t.engine.run(id);
    expect([await run.status(), await run.prompts()]).toEqual(['completed', []]);
    const children = await t.engine.runs({ subRuns: true, parentRunId: id });
    expect(children.map(({ status }) => status)).toEqual(['completed', 'completed']);
  });

  test('[PR2] a prompt of a child is listed and answered under the child and the root, and nowhere else', async () => {
    const t = await host.open();
    await register(t.engine, { ...child, inputPolicy: 'open' });
    const nodes = ['start', { id: 'sub', workflow: 'child' }, asks('own')];
    const run = await launch(t, workflow('parent', nodes, [go('start', 'sub'), go('start', 'own')]));
    const stranger = await t.engine.start('child');
    await t.settle();
    const [sub] = await t.engine.runs({ subRuns: true, parentRunId: run.id });
    const childRun = t.engine.run(String(sub?.runId));
    const prompt = await promptAt(run, 'inner');
    expect(prompt).toMatchObject({ runId: childRun.id, rootRunId: run.id, workflow: 'child', nodeId: 'inner' });
    expect([await childRun.prompts(), await asking(run)]).toEqual([[prompt], ['inner', 'own']]);
    expect((await t.engine.prompts()).length).toBe(3);
    const id = prompt.correlationId;
    await expect(stranger.reply(id, 1)).rejects.toMatchObject({ code: 'PROMPT_NOT_FOUND' });
    expect(await childRun.reply(id, 1)).toEqual({ applied: true });
    await t.settle();
    expect([await childRun.status(), await asking(run), await asking(stranger)]).toEqual([
      'completed',
      ['own'],
      ['inner'],
    ]);
  });

  test('[SP2][T219] a parent whose only work is a suspended child is suspended too, and resumes with it', async () => {
    const t = await host.open(scripted);
    await register(t.engine, workflow('child', [asks('inner'), work('toil')], [go('inner', 'toil')]));
    const definition = workflow('parent', [{ id: 'sub', workflow: 'child' }, asks('after')], [go('sub', 'after')]);
    const run = await launch(t, definition);
    const seen = async () => {
      const events = await eventsOf(run, 'workflow.suspended', 'workflow.resumed');
      return [await run.status(), ...events.map(({ type }) => type.replace('workflow.', ''))];
    };
    expect(await seen()).toEqual(['suspended', 'suspended']);
    await say(t, run, 'inner', 1);
    expect(await seen()).toEqual(['waiting', 'suspended', 'resumed']);
    await answer(t, 'toil');
    expect(await seen()).toEqual(['suspended', 'suspended', 'resumed', 'suspended']);
    expect(await asking(run)).toEqual(['after']);
  });

  test('[IN4] a child that is cancelled gives its turn back', async () => {
    const t = await host.open();
    await register(t.engine, child);
    const run = await launch(t, parent);
    await say(t, run, 'outer', 1);
    const [prompt] = await run.prompts();
    await t.engine.run(String(prompt?.runId)).cancel();
    await t.settle();
    const [next] = await run.prompts();
    expect(next?.runId).not.toBe(prompt?.runId);
    await expect(run.reply(String(prompt?.correlationId), 1)).rejects.toMatchObject({ code: 'PROMPT_CANCELLED' });
  });
});

onEveryHost('corners of prompts in trees of runs', (host) => {
  const child = workflow('child', [asks('inner')], [], { inputPolicy: 'serial' });
  const subs = [
    { id: 'one', workflow: { id: 'child', onFailure: 'catch' } },
    { id: 'two', workflow: { id: 'child', onFailure: 'catch' } },
  ];
  const branches = [go('start', 'one'), go('start', 'two')];

  test('[IN3] serial children of an open parent take turns all the same', async () => {
    const t = await host.open();
    await register(t.engine, child);
    const run = await launch(t, workflow('parent', ['start', asks('own'), ...subs], [...branches, go('start', 'own')]));
    expect(await asking(run)).toEqual(['inner', 'own']);
    await say(t, run, 'inner', 1);
    expect(await asking(run)).toEqual(['inner', 'own']);
    await say(t, run, 'own', 1);
    await say(t, run, 'inner', 1);
    expect(await run.status()).toBe('completed');
  });

  test('a child that is cancelled while it waits for its turn is passed over', async () => {
    const t = await host.open();
    await register(t.engine, child);
    const parent = workflow('parent', ['start', asks('own'), ...subs], [go('start', 'own'), ...branches], {
      inputPolicy: 'serial',
    });
    const run = await launch(t, parent);
    const [first] = await eventsOf(run, 'subworkflow.dispatched');
    const queued = t.engine.run(String(first?.childRunId));
    const [waiting] = await eventsOf(queued, 'input.queued');
    await queued.cancel();
    await t.settle();
    expect(await queued.status()).toBe('cancelled');
    await say(t, run, 'own', 1);
    const [prompt] = await run.prompts();
    expect([prompt?.nodeId, prompt?.runId === queued.id]).toEqual(['inner', false]);
    await say(t, run, 'inner', 2);
    expect(await run.status()).toBe('completed');
    await expect(run.reply(String(waiting?.correlationId), 1)).rejects.toMatchObject({ code: 'PROMPT_CANCELLED' });
  });

  host.testHere('[IN9] a turn that comes when its prompt has just been called off goes to the next', async () => {
    const t = await host.open(scripted);
    const race = ['s', asks('inner'), work('fast'), 'j', work('rest')];
    const anyOf = ['inner', 'fast'].map((from) => join(from, 'j', 'g', { strategy: 'any' }));
    const ways = [go('s', 'inner', { siblingGroup: 'g' }), go('s', 'fast', { siblingGroup: 'g' }), ...anyOf];
    await register(t.engine, workflow('race', race, [...ways, go('j', 'rest')], { inputPolicy: 'serial' }), child);
    // While another task is under way a turn waits for company: both of these are decided in one.
    const nodes = [
      'start',
      asks('own'),
      { id: 'one', workflow: 'race' },
      { id: 'two', workflow: 'child' },
      work('busy'),
    ];
    const turns = [go('start', 'own'), ...branches, go('start', 'busy')];
    const run = await launch(t, workflow('parent', nodes, turns, { inputPolicy: 'serial' }));
    const { correlationId } = await promptAt(run, 'own');
    const replying = run.reply(correlationId, 1);
    callAt(t, 'fast').complete({});
    await replying;
    await t.settle();
    const [prompt] = await run.prompts();
    expect(prompt).toMatchObject({ workflow: 'child', nodeId: 'inner' });
    const [racing] = await t.engine.runs({ subRuns: true, workflow: 'race' });
    expect(racing).toMatchObject({ status: 'running', quarantine: null });
    expect(await eventsOf(t.engine.run(String(racing?.runId)), 'input.requested')).toEqual([]);
  });

  test('a parent that ends calls off what its children ask', async () => {
    const t = await host.open(scripted);
    await register(t.engine, child);
    const run = await launch(
      t,
      workflow('parent', ['start', ...subs, work('toil')], [...branches, go('start', 'toil')]),
    );
    const { correlationId } = await promptAt(run, 'inner');
    await fail(t, 'toil');
    expect([await run.status(), await t.engine.prompts()]).toEqual(['failed', []]);
    await expect(run.reply(correlationId, 1)).rejects.toMatchObject({ code: 'PROMPT_CANCELLED' });
  });

  test('three levels: the root lists and answers what is asked at the bottom, across restarts', async () => {
    let t = await host.open();
    await register(t.engine, child, workflow('middle', [{ id: 'down', workflow: 'child' }]));
    const { id } = await launch(t, workflow('top', [{ id: 'down', workflow: 'middle' }]));
    t = await host.restart(t);
    const run = t.engine.run(id);
    const [prompt] = await run.prompts();
    expect(prompt).toMatchObject({ rootRunId: id, workflow: 'child', nodeId: 'inner' });
    expect((await t.engine.runs({ subRuns: true })).map(({ status }) => status)).toEqual([
      'suspended',
      'suspended',
      'suspended',
    ]);
    expect(await run.reply(String(prompt?.correlationId), 'up')).toEqual({ applied: true });
    await t.settle();
    expect((await t.engine.runs({ subRuns: true })).map(({ status }) => status)).toEqual([
      'completed',
      'completed',
      'completed',
    ]);
    expect(await visits(run)).toEqual(['down:completed']);
  });
});
