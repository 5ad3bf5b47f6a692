import { expect, test } from 'vitest';
import type { Definition } from '../../packages/heddle/src/definition/definition.ts';
import { ActionError, type Decision, explainEvents, type Run, type RunEvent } from '../../packages/heddle/src/index.ts';
import type { TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import { work as dataflowWork, graph, nodeTypes, num } from './dataflow.testsuite.ts';
import { drawing, walking } from './handle.testsuite.ts';
import { onEveryHost } from './hosts.testsuite.ts';
import { end, start } from './thread.testsuite.ts';
import { register } from './token-engine.testsuite.ts';

const scripted = ['score', 'work', 'publish'];
const text = 'A heddle parts the threads.';

/** Scores a text, publishes what is good, and has the rest looked at by three. */
function review(threshold = 50): Definition {
  return {
    id: 'review',
    initialNode: 'score',
    nodes: [
      {
        id: 'score',
        action: 'score',
        inputMapping: { text: 'input.text' },
        outputMapping: { 'state.score': 'result.score', 'state.note': 'result.note' },
      },
      { id: 'publish', action: 'publish', inputMapping: { score: 'state.score' } },
      { id: 'work', action: 'work', outputMapping: { 'state.vote': 'result.vote' } },
      { id: 'tally', outputMapping: { 'output.votes': 'state.votes' } },
    ],
    transitions: [
      { from: 'score', to: 'publish', priority: 0, condition: `state.score > ${threshold}` },
      { from: 'score', to: 'work', priority: 1, spawnCount: 3, siblingGroup: 'readers' },
      {
        from: 'work',
        to: 'tally',
        synchronization: {
          strategy: 'all',
          siblingGroup: 'readers',
          merge: { source: 'state.vote', target: 'state.votes', strategy: 'append' },
        },
      },
    ],
  };
}

async function answer(t: TestEngine, action: string, output: object): Promise<void> {
  const call = t.script.open(action)[0];
  if (!call) throw new Error(`Expected a task of ${action}, but there is none`);
  call.complete(output);
  await t.settle();
}

const journalOf = async (run: Pick<Run, 'events'>): Promise<RunEvent[]> => {
  const events: RunEvent[] = [];
  for await (const event of run.events({ follow: false })) events.push(event);
  return events;
};

const typesOf = (events: readonly { readonly type: string }[]): string[] => events.map(({ type }) => type);

const decided = <T extends Decision['type']>(decisions: readonly Decision[], type: T) =>
  decisions.filter((one): one is Extract<Decision, { type: T }> => one.type === type);

onEveryHost('decisions, made again', (host) => {
  /** A review whose text was scored, and one of whose readers has voted. */
  async function reviewed() {
    const t = await host.open({ scripted });
    await t.engine.register(review());
    const run = await t.engine.start('review', { text });
    await t.settle();
    await answer(t, 'score', { score: 40 });
    await answer(t, 'work', { vote: 1 });
    return { t, run, events: await journalOf(run) };
  }

  const eventOf = (events: readonly RunEvent[], type: RunEvent['type'], nth = 0): RunEvent =>
    events.filter((event) => event.type === type)[nth] as RunEvent;

  test('[T479][RD4][RD12] routing of a running run: every way out, what its condition came to, what was taken', async () => {
    const { run, events } = await reviewed();
    const scored = eventOf(events, 'task.completed');
    const explanation = await run.explain(scored.id);
    expect(explanation).toMatchObject({
      runId: run.id,
      eventId: scored.id,
      commit: scored.seq,
      at: scored.at,
      before: { status: 'running', state: {}, tokens: [{ id: 1, node: 'score', status: 'dispatched' }] },
      command: { type: 'task.result', token: 1, outcome: { type: 'completed', output: { score: 40 } } },
      difference: null,
    });
    expect(explanation.replayed).toEqual(explanation.recorded);
    expect(explanation.recorded).toEqual(events.filter(({ seq }) => seq === scored.seq));
    expect(decided(explanation.decisions, 'routing')).toEqual([
      {
        type: 'routing',
        place: 3,
        token: 1,
        node: 'score',
        outcome: 'success',
        result: 'taken',
        ways: [
          {
            transition: 'score->publish',
            to: 'publish',
            priority: 0,
            condition: 'state.score > 50',
            verdict: 'refused',
            value: false,
            reads: [{ name: 'state.score', value: 40 }],
          },
          { transition: 'score->work', to: 'work', priority: 1, condition: null, verdict: 'taken' },
        ],
      },
    ]);
  });

  test('[T479][RD12] mapping: what was read, where it went, and what was missing', async () => {
    const { run, events } = await reviewed();
    const begun = await run.explain(events[0]?.id ?? '');
    const values = [{ target: 'text', expression: 'input.text', value: text }];
    expect(decided(begun.decisions, 'mapping')).toMatchObject([{ of: 'input', node: 'score', values }]);
    const scored = await run.explain(eventOf(events, 'context.updated').id);
    expect(decided(scored.decisions, 'mapping')[0]).toEqual({
      type: 'mapping',
      place: 0,
      of: 'output',
      token: 1,
      node: 'score',
      values: [
        { target: 'state.score', expression: 'result.score', value: 40 },
        { target: 'state.note', expression: 'result.note' },
      ],
    });
  });

  test('[T479][RD12] synchronization: who has arrived, how many are needed, why it waits and when it fires', async () => {
    const { t, run, events } = await reviewed();
    const waiting = await run.explain(eventOf(events, 'token.waiting').id);
    expect(decided(waiting.decisions, 'join').at(-1)).toMatchObject({
      group: 'readers',
      join: 'tally/readers',
      required: 'all',
      arrived: 1,
      ended: 0,
      total: 3,
      verdict: 'waits',
    });
    await answer(t, 'work', { vote: 2 });
    await answer(t, 'work', { vote: 3 });
    const ended = await journalOf(run);
    const fired = await run.explain(eventOf(ended, 'fan_in.completed').id);
    expect(decided(fired.decisions, 'join').at(-1)).toMatchObject({ arrived: 3, total: 3, verdict: 'fires' });
    expect(decided(fired.decisions, 'mapping').find(({ of }) => of === 'merge')).toMatchObject({
      node: 'tally',
      values: [{ target: 'state.votes', expression: 'state.vote', value: [1, 2, 3] }],
    });
    expect(fired.difference).toBeNull();
    expect((await run.summary()).status).toBe('completed');
  });

  test('[T479][RD4][RD10] every event of a running run, and of one that has ended, is decided again as it was recorded', async () => {
    const { t, run, events } = await reviewed();
    for (const { id } of events) expect((await run.explain(id)).difference).toBeNull();
    const before = events.at(-1)?.seq ?? 0;
    expect(await run.replay()).toEqual({ runId: run.id, commits: before, differences: [], next: null });
    await answer(t, 'work', { vote: 2 });
    t.script.open('work')[0]?.fail('BROKEN');
    await t.settle();
    expect((await run.summary()).status).toBe('failed');
    for (const { id } of await journalOf(run)) expect((await run.explain(id)).difference).toBeNull();
    expect(await run.replay({ after: `${before}.0` })).toMatchObject({ commits: 2, differences: [], next: null });
    expect(typesOf(await journalOf(run)).length).toBeGreaterThan(events.length);
  });

  test('[T479][RD5][RD8] what if: a mended definition is told apart at the event that it decides otherwise', async () => {
    const { run, events } = await reviewed();
    const scored = eventOf(events, 'task.completed');
    const { difference, replayed } = await run.explain(scored.id, { definition: review(30) });
    expect(difference).toMatchObject({
      eventId: eventOf(events, 'fan_out.started').id,
      pointer: '',
      recorded: { type: 'fan_out.started', total: 3 },
      replayed: { type: 'token.created', node: 'publish', via: 'score->publish' },
    });
    expect(replayed.at(-1)).toMatchObject({ type: 'task.dispatched', input: { score: 40 } });
    const { differences, commits } = await run.replay({ definition: review(30) });
    expect(commits).toBe(events.at(-1)?.seq);
    expect(differences).toMatchObject([{ eventId: difference?.eventId, command: 'task.result', pointer: '' }]);
    expect((await run.replay({ definition: review(45) })).differences).toEqual([]);
    expect(await run.explain(events[0]?.id ?? '', { definition: review(30) })).toMatchObject({ difference: null });
    expect((await run.summary()).version).toBe(1);
    await expect(run.explain(scored.id, { definition: { ...review(), initialNode: 'nowhere' } })).rejects.toMatchObject(
      {
        code: 'DEFINITION_INVALID',
        problems: [expect.objectContaining({ pointer: '/initialNode' })],
      },
    );
  });

  test('[T479][RD7][RD9] what if: another result, a failure, another state, another input', async () => {
    const { run, events } = await reviewed();
    const scored = eventOf(events, 'task.completed').id;
    const better = await run.explain(scored, { instead: { output: { score: 90, note: 'good' } } });
    expect(better.command).toMatchObject({ outcome: { output: { score: 90, note: 'good' } } });
    expect(better.difference).toMatchObject({ eventId: scored, pointer: '/output/score' });
    expect(typesOf(better.replayed)).toContain('task.dispatched');
    const failed = await run.explain(scored, { instead: { error: { code: 'NO', message: 'no' } } });
    expect(failed.replayed.at(-1)).toMatchObject({ type: 'workflow.failed', error: { code: 'NO', nodeId: 'score' } });
    const voted = eventOf(events, 'token.waiting').id;
    expect((await run.explain(voted, { state: { score: 99 } })).difference).toBeNull();
    const input = await run.explain('1.0', { instead: { input: { text: 'B' } } });
    expect(input.difference).toMatchObject({ eventId: '1.0', pointer: '/input/text' });
    await expect(run.explain('1.0', { instead: { output: 1 } })).rejects.toMatchObject({
      code: 'FACT_NOT_REPLACEABLE',
    });
    await expect(run.explain(scored, { instead: { input: 1 } })).rejects.toMatchObject({
      code: 'FACT_NOT_REPLACEABLE',
    });
    for (const instead of [{}, { output: 1, input: 1 }, { error: { code: 'A' } }, { outptu: 1 }])
      await expect(run.explain(scored, { instead: instead as never })).rejects.toMatchObject({
        code: 'OPTION_INVALID',
      });
    await expect(run.explain(scored, { state: [] as never })).rejects.toThrow(/state/);
  });

  test('[T479][RD6] a definition in which the run cannot be where it is is refused, with what is missing', async () => {
    const { run, events } = await reviewed();
    const { nodes, transitions = [], ...rest } = review();
    const definition = {
      ...rest,
      nodes: nodes.filter(({ id }) => id !== 'work'),
      transitions: [transitions[0], { from: 'score', to: 'tally', priority: 1 }],
    };
    const voted = eventOf(events, 'token.waiting');
    await expect(run.explain(voted.id, { definition })).rejects.toMatchObject({
      code: 'DEFINITION_MISFIT',
      message: expect.stringMatching(/it lacks node work, .*join tally\/readers/),
    });
    const { differences } = await run.replay({ definition });
    expect(differences.map(({ error, command }) => [command, error?.code])).toEqual([
      ['task.result', undefined],
      ['task.result', 'DEFINITION_MISFIT'],
    ]);
  });

  test('[T479][RD9] an event that is not there, is none, or is of another run', async () => {
    const { t, run } = await reviewed();
    const other = await t.engine.start('review', { text: 'another' });
    await t.settle();
    await expect(run.explain('99.0')).rejects.toMatchObject({ code: 'EVENT_NOT_FOUND' });
    await expect(run.explain('1.99')).rejects.toMatchObject({ code: 'EVENT_NOT_FOUND' });
    await expect(other.explain('3.0')).rejects.toMatchObject({ code: 'EVENT_NOT_FOUND' });
    await expect(run.explain('x')).rejects.toMatchObject({ code: 'EVENT_ID_INVALID' });
    await expect(t.engine.run('nobody').explain('1.0')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    await expect(t.engine.run('nobody').replay()).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    await expect(run.explain('1.0', { definitoin: {} } as never)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });

  test('[T479][RD11] without an engine, from the events and the definition as they are read', async () => {
    const { t, run, events } = await reviewed();
    const { definition } = await t.engine.definition('review', 1);
    for (const { id } of events) {
      const here = explainEvents({ events, definition }, id);
      expect(here).toEqual(await run.explain(id));
    }
    const scored = eventOf(events, 'task.completed').id;
    const whatIf = { definition: review(30) };
    expect(explainEvents({ events, definition }, scored, whatIf)).toEqual(await run.explain(scored, whatIf));
    expect(() => explainEvents({ events: events.slice(1), definition }, scored)).toThrow(/from its first on/);
    const gap = events.filter(({ seq }) => seq !== 2);
    expect(() => explainEvents({ events: gap, definition }, '3.0')).toThrow(/Expected the events of commit 2/);
    expect(() => explainEvents({ events, definition }, '99.0')).toThrow(/but there is none/);
  });

  test('[T479][RD3] a mapping that failed is decided again, and a mended one would have passed', async () => {
    const t = await host.open({ scripted });
    const broken = (expression: string): Definition => ({
      id: 'broken',
      initialNode: 'work',
      nodes: [{ id: 'work', action: 'work', outputMapping: { 'output.half': expression } }],
      transitions: [],
    });
    await t.engine.register(broken('size(result.n)'));
    const run = await t.engine.start('broken');
    await t.settle();
    await answer(t, 'work', { n: 4, text: 'x' });
    expect((await run.summary()).error).toMatchObject({ code: 'MAPPING_FAILED' });
    const failed = eventOf(await journalOf(run), 'task.failed');
    expect(failed).toMatchObject({ output: { n: 4, text: 'x' } });
    expect((await run.explain(failed.id)).difference).toBeNull();
    const mended = await run.explain(failed.id, { definition: broken('result.n / 2') });
    expect(mended.replayed.at(-1)).toMatchObject({ type: 'workflow.completed', output: { half: 2 } });
  });

  test('[T479][RD2] retries: the policy of the node, and what the action asked for', async () => {
    const t = await host.open({ scripted });
    const retrying = (maxAttempts: number): Definition => ({
      id: 'retrying',
      initialNode: 'work',
      nodes: [
        {
          id: 'work',
          action: 'work',
          retry: { maxAttempts, backoff: 'exponential', initialDelayMs: 1_000, jitter: 0.5 },
        },
      ],
      transitions: [],
    });
    await t.engine.register(retrying(2));
    const run = await t.engine.start('retrying');
    await t.settle();
    t.script.open('work')[0]?.fail(new ActionError('later', { code: 'BUSY', retryAfterMs: 7_000 }));
    await t.settle();
    await t.advance(7_000);
    t.script.open('work')[0]?.fail('BUSY');
    await t.settle();
    expect((await run.summary()).status).toBe('failed');
    expect(await run.replay()).toMatchObject({ differences: [] });
    const last = eventOf(await journalOf(run), 'task.failed');
    const third = await run.explain(last.id, { definition: retrying(3) });
    expect(typesOf(third.replayed)).toEqual(['task.attempt_failed']);
  });

  test('[T479][RD1] pauses, held results, timers, prompts, events and sub-runs are facts; what follows is decided again', async () => {
    const t = await host.open({ scripted });
    const definition: Definition = {
      id: 'all',
      initialNode: 'wait',
      inputPolicy: 'serial',
      nodes: [
        { id: 'wait', wait: { seconds: 10 } },
        { id: 'work', action: 'work', outputMapping: { 'state.n': 'result.n' } },
        { id: 'ask', input: { title: 'Go?' }, outputMapping: { 'state.yes': 'result.yes' } },
        { id: 'hear', wait: { event: 'paid', correlation: 'state.n' } },
        { id: 'call', workflow: 'below' },
      ],
      transitions: [
        { from: 'wait', to: 'work' },
        { from: 'work', to: 'ask' },
        { from: 'ask', to: 'hear' },
        { from: 'hear', to: 'call' },
      ],
    };
    await t.engine.register({
      id: 'below',
      initialNode: 'work',
      nodes: [{ id: 'work', action: 'work' }],
      transitions: [],
    });
    await t.engine.register(definition);
    const run = await t.engine.start('all');
    await t.advance(10_000);
    await run.pause();
    await answer(t, 'work', { n: 7 });
    await run.resume();
    await t.settle();
    const [prompt] = await run.prompts();
    await run.reply(prompt?.correlationId ?? '', { yes: true });
    await t.engine.publish('paid', { cents: 5 }, { correlation: '7' });
    await t.settle();
    await answer(t, 'work', {});
    expect((await run.summary()).status).toBe('completed');
    const events = await journalOf(run);
    const commands = new Set<string>();
    for (const { id } of events) {
      const { command, difference } = await run.explain(id);
      expect(difference).toBeNull();
      commands.add(command.type);
    }
    expect([...commands]).toEqual([
      'start',
      'alarm',
      'pause',
      'task.result',
      'resume',
      'reply',
      'event',
      'child.ended',
    ]);
    const heard = eventOf(events, 'event.received');
    const other = await run.explain(heard.id, { instead: { output: { cents: 6 } } });
    expect(other.difference).toMatchObject({ pointer: '/payload/cents' });
  });

  test('[T479][RD3][RD4] a handle graph: the handle that was named, the connections, the join over edges', async () => {
    const t = await host.open({
      executors: walking({
        a: ({ context }) => ({ ...context, _branch: 'yes', _wait: { seconds: 30, label: 'a while' } }),
        c: ({ context }) => ({ ...context, _branch: 'other' }),
      }).executors,
    });
    await t.engine.register(drawing(['a', 'b', 'c', 'd'], ['a/yes->b', 'a/yes->c', 'a/no->d', 'b->d', 'c/other->d']));
    const run = await t.engine.start('w', {});
    await t.settle();
    await t.advance(30_000);
    expect((await run.summary()).status).toBe('completed');
    const events = await journalOf(run);
    expect(await run.replay()).toMatchObject({ differences: [], next: null });
    const fired = await run.explain(eventOf(events, 'timer.fired').id);
    const [routing] = decided(fired.decisions, 'routing');
    expect(routing).toMatchObject({ node: 'a', handle: 'yes' });
    expect(routing?.ways.map(({ to, verdict }) => [to, verdict])).toEqual([
      ['b', 'taken'],
      ['c', 'taken'],
      ['d', 'refused'],
    ]);
    const named = events.filter((event) => event.type === 'task.completed').map(({ handle }) => handle);
    expect(named).toEqual(['yes', undefined, 'other', undefined]);
    const met = await run.explain(eventOf(events, 'edge_join.completed').id);
    expect(decided(met.decisions, 'edge_join').at(-1)).toMatchObject({ node: 'd', open: 0, dead: 1, verdict: 'runs' });
  });

  test('[T479][RD4] a dataflow graph and a thread graph', async () => {
    const t = await host.open({ scripted, nodeTypes });
    await t.engine.register(graph([num('one', 1), dataflowWork('two')], ['one.value->two.value']));
    await register(t.engine, {
      dialect: 'thread',
      id: 't',
      nodes: [start(), { id: 'do', type: 'action', action: 'work' }, end()],
      connectors: [
        { from: 'start', to: 'do' },
        { from: 'do', to: 'end' },
      ],
    });
    const runs = [await t.engine.start('g'), await t.engine.start('t', { topic: 'looms' })];
    await t.settle();
    while (t.script.open('work').length > 0) await answer(t, 'work', { value: 2 });
    for (const run of runs) {
      expect(await run.replay()).toMatchObject({ differences: [], next: null });
      const [, ...later] = await journalOf(run);
      const explained = await Promise.all(later.map(({ id }) => run.explain(id)));
      expect(explained.flatMap(({ decisions }) => decisions).length).toBeGreaterThan(3);
    }
  });

  test('[T479][RD4] nothing of it changes the run, and it is the same after a restart', async () => {
    const { t, run, events } = await reviewed();
    const scored = eventOf(events, 'task.completed').id;
    const explained = await run.explain(scored);
    await run.replay({ definition: review(30) });
    await run.explain(scored, { instead: { output: { score: 90 } } });
    expect(await journalOf(run)).toEqual(events);
    const again = await host.restart(t, { scripted });
    expect(await again.engine.run(run.id).explain(scored)).toEqual(explained);
  });
});
