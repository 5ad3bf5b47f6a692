import { expect, test } from 'vitest';
import type { RunEvent } from '../../packages/heddle/src/core/run-event.ts';
import { onEveryHost } from './hosts.testsuite.ts';
import { asking, asks, promptAt, say } from './prompts.testsuite.ts';
import {
  answer,
  callsAt,
  each,
  ended,
  eventsOf,
  fail,
  go,
  join,
  launch,
  merge,
  scripted,
  spawn,
  stateOf,
  visits,
  work,
  workflow,
} from './token-engine.testsuite.ts';

const question = { title: 'Publish?', schema: { type: 'object', required: ['ok'] }, deadlineMs: 60_000 };

onEveryHost('prompts', (host) => {
  const approval = workflow('w', [asks('approve', question), work('publish')], [go('approve', 'publish')]);

  test('[IN5][PR1][T216][T217] a node that asks is listed with all that is known of it', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, approval);
    const prompt = {
      correlationId: expect.stringMatching(/^[a-z2-7]{26}(~[12])?$/),
      runId: run.id,
      rootRunId: run.id,
      workflow: 'w',
      nodeId: 'approve',
      title: 'Publish?',
      description: null,
      path: 'root',
      branch: null,
      schema: { type: 'object', required: ['ok'] },
      requestedAt: t.clock.now(),
      deadline: t.clock.now() + 60_000,
    };
    expect(await t.engine.prompts()).toEqual([prompt]);
    expect(await run.prompts()).toEqual([prompt]);
    expect(await visits(run)).toEqual(['approve:waiting_for_input']);
    const { correlationId } = await promptAt(run, 'approve');
    const at = { token: 1, correlationId, title: 'Publish?', deadline: t.clock.now() + 60_000 };
    expect(await eventsOf(run, 'input.requested')).toMatchObject([at]);
  });

  test('[IN10][IN11][PR1] an approval for each item says what it is about, in the order of asking', async () => {
    const t = await host.open(scripted);
    const run = await launch(
      t,
      workflow(
        'w',
        [
          'begin',
          work('price', { inputMapping: { of: 'item.name' } }),
          {
            id: 'approve',
            input: {
              title: { expression: "'Buy ' + item.name + '?'" },
              description: { expression: "'It costs ' + string(item.price) + '.'" },
            },
            outputMapping: { 'state.ok': 'result.ok' },
          },
          'end',
        ],
        [
          each('begin', 'price', 'input.list', 'g'),
          go('price', 'approve'),
          join('approve', 'end', 'g', merge('_branch.output.ok', 'state.all')),
        ],
        { outputMapping: { all: 'state.all' } },
      ),
      {
        list: [
          { name: 'a', price: 1 },
          { name: 'b', price: 2 },
          { name: 'c', price: 3 },
        ],
      },
    );
    for (const of of ['b', 'c', 'a']) {
      await answer(t, 'price', {}, { of });
      await t.advance(1);
    }
    const prompts = await run.prompts();
    expect(prompts).toMatchObject([
      { title: 'Buy b?', description: 'It costs 2.', item: { name: 'b' }, branch: { index: 1, total: 3 } },
      { title: 'Buy c?', path: 'root.begin.2', item: { name: 'c' } },
      { title: 'Buy a?', path: 'root.begin.0', item: { name: 'a' } },
    ]);
    const [first] = await run.prompts({ limit: 1 });
    await run.reply(first?.correlationId as string, { ok: 'b' });
    expect(await run.prompts({ after: first?.correlationId as string })).toEqual(prompts.slice(1));
    for (const { correlationId, item } of prompts.slice(1))
      await run.reply(correlationId, { ok: (item as { name: string }).name });
    await t.settle();
    expect(await ended(run)).toMatchObject({ output: { all: ['a', 'b', 'c'] } });
  });

  test('[IN6][PR2][T208][T209][T210][T218] the answer goes into the context of what waits, which goes on', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, approval);
    const { correlationId } = await promptAt(run, 'approve');
    expect(await run.reply(correlationId, { ok: true, by: 'Ada' })).toEqual({ applied: true });
    await t.settle();
    expect(await stateOf(run)).toEqual({ approve: { ok: true, by: 'Ada' } });
    expect(await visits(run)).toEqual(['approve:completed', 'publish:dispatched']);
    expect(await run.prompts()).toEqual([]);
    expect(await eventsOf(run, 'input.resumed')).toMatchObject([
      { token: 1, correlationId, payload: { ok: true, by: 'Ada' } },
    ]);
    await answer(t, 'publish');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
  });

  test.each([[null], [false], [0], ['yes'], [['a', 1]], [{ deep: { er: [1] } }]])(
    'without any settings any answer will do: %j',
    async (payload) => {
      const t = await host.open();
      const run = await launch(t, workflow('w', [asks('ask')]));
      expect(await run.prompts()).toMatchObject([{ title: null, schema: null, deadline: null }]);
      await say(t, run, 'ask', payload);
      expect([await stateOf(run), await run.status()]).toEqual([{ ask: payload }, 'completed']);
    },
  );

  test('[SP1][T219] whoever listens is told of asking, answering, suspending and resuming, in order', async () => {
    const heard: RunEvent[] = [];
    const t = await host.open({ ...scripted, onEvent: (event) => heard.push(event) });
    const run = await launch(t, workflow('w', [asks('ask'), work('after')], [go('ask', 'after')]));
    expect(await run.status()).toBe('suspended');
    await say(t, run, 'ask', { ok: 1 });
    expect(await run.status()).toBe('running');
    const notices = (events: readonly RunEvent[]) =>
      events.map(({ type }) => type).filter((type) => /^input\.|suspended|resumed/.test(type));
    const told = ['input.requested', 'workflow.suspended', 'input.resumed', 'workflow.resumed'];
    expect(notices(heard)).toEqual(told);
    expect(notices(await eventsOf(run))).toEqual(told);
  });

  test('[SP1] one that has a deadline wakes by itself, and so the run waits', async () => {
    const t = await host.open(scripted);
    expect(await (await launch(t, approval)).status()).toBe('waiting');
  });

  test('[SP1] a run is suspended only when nothing else can go on or wake by itself', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['start', asks('ask'), work('toil'), { id: 'nap', wait: { seconds: 60 } }],
      [go('start', 'ask'), go('start', 'toil'), go('start', 'nap')],
    );
    const run = await launch(t, definition);
    expect(await run.status()).toBe('running');
    await answer(t, 'toil');
    expect(await run.status()).toBe('waiting');
    expect(await eventsOf(run, 'workflow.suspended')).toEqual([]);
    await t.advance(60_000);
    expect(await run.status()).toBe('suspended');
    await say(t, run, 'ask', 1);
    expect(await run.status()).toBe('completed');
  });

  test('[IN2][PR1] open: any number ask at once, answered in any order, each alone', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['start', asks('ask', { title: 'You?' }), work('after')],
      [
        each('start', 'ask', 'input.people', 'people'),
        join('ask', 'after', 'people', merge('_branch.output.ask', 'state.answers')),
      ],
    );
    const run = await launch(t, definition, { people: ['a', 'b', 'c'] });
    const prompts = (await run.prompts()).toSorted((a, b) => (a.correlationId < b.correlationId ? -1 : 1));
    const tokens = new Map((await eventsOf(run, 'input.requested')).map((e) => [e.correlationId, e.token]));
    expect([prompts.length, tokens.size]).toEqual([3, 3]);
    for (const [index, { correlationId }] of prompts.toReversed().entries()) {
      expect(await run.reply(correlationId, tokens.get(correlationId))).toEqual({ applied: true });
      await t.settle();
      expect((await run.prompts()).length).toBe(2 - index);
    }
    expect(await stateOf(run)).toEqual({ answers: [2, 3, 4] });
  });

  test('[IN3][IN4][T211][T213][T214] serial: one at a time, in the order of asking; the others wait for their turn', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['start', asks('first'), asks('second'), asks('third')],
      [go('start', 'first'), go('start', 'second'), go('start', 'third')],
      { inputPolicy: 'serial' },
    );
    const run = await launch(t, definition);
    const queued = await eventsOf(run, 'input.queued');
    expect([await asking(run), queued.length]).toEqual([['first'], 3]);
    const [, second] = queued;
    await expect(run.reply(String(second?.correlationId), 1)).rejects.toMatchObject({ code: 'PROMPT_NOT_ACTIVE' });
    const asked: string[][] = [];
    for (const node of ['first', 'second', 'third']) {
      await say(t, run, node, `to ${node}`);
      asked.push(await asking(run));
    }
    expect(asked).toEqual([['second'], ['third'], []]);
    expect(await stateOf(run)).toEqual({ first: 'to first', second: 'to second', third: 'to third' });
    const order = (await eventsOf(run, 'input.requested', 'input.resumed')).map(
      ({ type, token }) => `${type} ${token}`,
    );
    expect(order).toEqual([2, 3, 4].flatMap((token) => [`input.requested ${token}`, `input.resumed ${token}`]));
  });

  test('[IN4] serial: one that is called off makes way for the next, asked or not', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['start', asks('a'), asks('b'), asks('c'), work('fast'), 'joined', asks('last')],
      [
        go('start', 'a', { siblingGroup: 'g' }),
        go('start', 'b', { siblingGroup: 'g' }),
        go('start', 'fast', { siblingGroup: 'g' }),
        go('start', 'c', { siblingGroup: 'other' }),
        ...['a', 'b', 'fast'].map((from) => join(from, 'joined', 'g', { strategy: 'any' })),
        go('joined', 'last'),
      ],
      { inputPolicy: 'serial' },
    );
    const run = await launch(t, definition);
    expect(await asking(run)).toEqual(['a']);
    await answer(t, 'fast');
    expect(await asking(run)).toEqual(['c']);
    await say(t, run, 'c', 1);
    expect(await asking(run)).toEqual(['last']);
    await say(t, run, 'last', 2);
    expect(await run.status()).toBe('completed');
  });

  test('[IN1] a visit asks for itself: in a loop every round has its own prompt', async () => {
    const t = await host.open();
    const definition = workflow(
      'w',
      [asks('ask'), 'done'],
      [
        go('ask', 'ask', { condition: 'state.ask != "enough"', loop: { maxIterations: 5 }, priority: 1 }),
        go('ask', 'done', { priority: 2 }),
      ],
    );
    const run = await launch(t, definition);
    const seen = new Set<string>();
    for (const payload of ['more', 'more', 'enough']) {
      seen.add((await promptAt(run, 'ask')).correlationId);
      await say(t, run, 'ask', payload);
    }
    expect([seen.size, await run.status()]).toEqual([3, 'completed']);
  });

  test('[IN8] a deadline is durable and has its own way to fail', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      [asks('approve', question), work('publish'), work('escalate', { inputMapping: { error: 'state._last_error' } })],
      [go('approve', 'publish'), go('approve', 'escalate', { on: 'failure' })],
    );
    const asked = await promptAt(await launch(t, definition), 'approve');
    await t.advance(20_000);
    const next = await host.restart(t, scripted);
    const run = next.engine.run(asked.runId);
    const { correlationId } = await promptAt(run, 'approve');
    expect(await run.prompts()).toEqual([asked]);
    await next.advance(39_999);
    expect(await asking(run)).toEqual(['approve']);
    await next.advance(1);
    expect(await visits(run)).toEqual(['approve:failed', 'escalate:dispatched']);
    const message = 'Expected an answer to the prompt of node approve within 60000 ms, but none came';
    const [call] = callsAt(next, 'escalate');
    expect(call?.input).toEqual({ error: { code: 'INPUT_EXPIRED', message, nodeId: 'approve', attempts: 1 } });
    expect(await eventsOf(run, 'input.expired')).toMatchObject([{ token: 1, correlationId }]);
    await expect(run.reply(correlationId, { ok: 1 })).rejects.toMatchObject({ code: 'PROMPT_EXPIRED' });
  });

  test('[IN8] a deadline that nothing handles fails the run', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, approval);
    await t.advance(60_000);
    expect(await ended(run)).toMatchObject({ status: 'failed', error: { code: 'INPUT_EXPIRED', nodeId: 'approve' } });
    expect(await t.engine.prompts()).toEqual([]);
  });

  test('[IN6] an answer that comes while the run is paused is kept, and counts when it goes on', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, approval);
    const { correlationId } = await promptAt(run, 'approve');
    await run.pause();
    expect(await run.reply(correlationId, { ok: 1 })).toEqual({ applied: true });
    expect(await run.reply(correlationId, { ok: 1 })).toEqual({ applied: false });
    await expect(run.reply(correlationId, { ok: 2 })).rejects.toMatchObject({ code: 'ALREADY_ANSWERED' });
    expect(await visits(run)).toEqual(['approve:waiting_for_input']);
    const next = await host.restart(t, scripted);
    const again = next.engine.run(run.id);
    await again.resume();
    await next.settle();
    expect(await visits(again)).toEqual(['approve:completed', 'publish:dispatched']);
    expect(await stateOf(again)).toEqual({ approve: { ok: 1 } });
    expect(await again.reply(correlationId, { ok: 1 })).toEqual({ applied: false });
  });

  test('[T212] a restart at every wait changes nothing', async () => {
    const definition = workflow(
      'w',
      ['start', asks('a'), asks('b'), 'joined', asks('c')],
      [
        go('start', 'a', { siblingGroup: 'g' }),
        go('start', 'b', { siblingGroup: 'g' }),
        join('a', 'joined', 'g', merge('_branch.output', 'state.both', 'merge_object')),
        join('b', 'joined', 'g', merge('_branch.output', 'state.both', 'merge_object')),
        go('joined', 'c'),
      ],
      { inputPolicy: 'serial' },
    );
    let t = await host.open();
    const { id } = await launch(t, definition);
    for (const node of ['a', 'b', 'c']) {
      t = await host.restart(t);
      await t.settle();
      const run = t.engine.run(id);
      expect([await run.status(), await asking(run)]).toEqual(['suspended', [node]]);
      await say(t, run, node, node.toUpperCase());
    }
    const run = t.engine.run(id);
    expect([await run.status(), await stateOf(run)]).toEqual(['completed', { both: { a: 'A', b: 'B' }, c: 'C' }]);
    expect((await t.engine.audit()).problems).toEqual([]);
  });

  test('[PR1] pages: each prompt once, also if the last of a page was answered meanwhile', async () => {
    const t = await host.open();
    const definition = workflow('w', ['start', asks('ask')], [spawn('start', 'ask', 5, 'g')]);
    const one = await launch(t, definition);
    const two = await t.engine.start('w');
    await t.settle();
    const all = (await t.engine.prompts()).map(({ correlationId }) => correlationId);
    expect(all.length).toBe(10);
    const seen: string[] = [];
    for (;;) {
      const after = seen.at(-1);
      const page = await t.engine.prompts({ limit: 3, ...(after === undefined ? {} : { after }) });
      for (const { correlationId } of page) seen.push(correlationId);
      const last = page.at(-1);
      if (!last) break;
      await t.engine.run(last.runId).reply(last.correlationId, 1);
    }
    expect(seen).toEqual(all);
    const left = await Promise.all([one.prompts(), two.prompts(), one.prompts({ limit: 1 })]);
    expect(left.map((prompts) => new Set(prompts.map(({ runId }) => runId)))).toEqual([
      new Set([one.id]),
      new Set([two.id]),
      new Set([one.id]),
    ]);
    await expect(t.engine.prompts({ runId: 'nobody' })).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  });

  test('[IN5] a run that ends takes its prompts with it', async () => {
    const t = await host.open(scripted);
    const definition = workflow('w', ['start', asks('ask'), work('toil')], [go('start', 'ask'), go('start', 'toil')]);
    const run = await launch(t, definition);
    const { correlationId } = await promptAt(run, 'ask');
    await fail(t, 'toil');
    expect([await run.status(), await t.engine.prompts()]).toEqual(['failed', []]);
    await expect(run.reply(correlationId, 1)).rejects.toMatchObject({ code: 'PROMPT_CANCELLED' });
  });
});
