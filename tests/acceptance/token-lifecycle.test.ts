import { expect, test } from 'vitest';
import type { Run } from '../../packages/heddle/src/api/run.ts';
import { classicTokenStatus } from '../../packages/heddle/src/core/views/projections.ts';
import { onEveryHost } from './hosts.testsuite.ts';
import {
  answer,
  answerBranches,
  branchWork,
  callsAt,
  ended,
  eventsOf,
  fail,
  go,
  join,
  launch,
  merge,
  scripted,
  spawn,
  tokensAt,
  visits,
  work,
  workflow,
} from './token-engine.testsuite.ts';

onEveryHost('token lifecycle', (host) => {
  const fan = (synchronization = {}, onFailure = {}) =>
    workflow(
      'w',
      ['start', branchWork('branch'), work('after')],
      [
        spawn('start', 'branch', 3, 'g', onFailure),
        join('branch', 'after', 'g', { ...merge('_branch.output.value', 'state.values'), ...synchronization }),
      ],
    );

  test('[T019] exactly one token is created when a run starts, at the initial node', async () => {
    const t = await host.open(scripted);
    const definition = {
      ...workflow('w', [work('other'), work('first')], [go('first', 'other')]),
      initialNode: 'first',
    };
    const run = await launch(t, definition);
    const created = await eventsOf(run, 'token.created');
    expect(created.map(({ token, node, count }) => ({ token, node, count }))).toEqual([
      { token: 1, node: 'first', count: undefined },
    ]);
    expect(await run.tokens()).toMatchObject([
      {
        id: 1,
        node: 'first',
        from: null,
        via: null,
        pathId: 'root',
        siblingGroup: null,
        branchIndex: 0,
        branchTotal: 1,
      },
    ]);
  });

  test('[T020][T028] a fan-out creates further tokens, as many as there are branches', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, fan());
    expect(await visits(run)).toEqual([
      'start:completed',
      'branch:dispatched',
      'branch:dispatched',
      'branch:dispatched',
    ]);
    expect((await tokensAt(run, 'branch')).map(({ from }) => from)).toEqual([1, 1, 1]);
  });

  test('[T021] a token is active from the time its node is entered until its transitions are decided', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, workflow('w', [work('a'), work('b')], [go('a', 'b')]));
    const active = async (): Promise<string[]> =>
      (await run.tokens()).filter(({ status }) => classicTokenStatus(status) === 'active').map(({ node }) => node);
    expect(await active()).toEqual(['a']);
    expect((await run.tokens()).map(({ isExecuting }) => isExecuting)).toEqual([true]);
    await answer(t, 'a');
    expect(await active()).toEqual(['b']);
    await answer(t, 'b');
    expect(await active()).toEqual([]);
    // The end of a token and the tokens that follow from it are one fact in the journal: nothing lies between.
    const [completed] = await eventsOf(run, 'token.completed');
    const [, created] = await eventsOf(run, 'token.created');
    expect(created!.seq).toBe(completed!.seq);
  });

  test('[T022][T037] a token that reached a fan-in and misses siblings waits there', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, fan());
    await answerBranches(t, 'branch', [1]);
    const [waiting] = await tokensAt(run, 'after');
    expect(waiting).toMatchObject({
      status: 'waiting_for_siblings',
      branchIndex: 1,
      branchTotal: 3,
      arrivedAt: t.clock.now(),
    });
    expect(classicTokenStatus(waiting!.status)).toBe('waiting_at_fan_in');
    expect(callsAt(t, 'after')).toEqual([]);
  });

  test('[T023] a token at a terminal node becomes completed', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, workflow('w', [work('a')]));
    await answer(t, 'a', { x: 1 });
    expect(await run.tokens()).toMatchObject([
      { node: 'a', status: 'completed', output: { x: 1 }, endedAt: t.clock.now() },
    ]);
  });

  test('[T024] tokens merged at a fan-in become completed', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, fan());
    await answerBranches(t, 'branch', [0, 1, 2]);
    expect((await tokensAt(run, 'after')).map(({ status }) => status)).toEqual([
      'completed',
      'completed',
      'completed',
      'dispatched',
    ]);
  });

  test('[T025][T043] early completion of mOfN turns what is left over into cancelled, and aborts its action', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, fan({ strategy: { mOfN: 2 } }));
    const [, , last] = callsAt(t, 'branch');
    await answerBranches(t, 'branch', [0, 1]);
    expect((await tokensAt(run, 'branch')).map(({ status }) => status)).toEqual([
      'completed',
      'completed',
      'cancelled',
    ]);
    expect(last!.signal.aborted).toBe(true);
    await answer(t, 'after');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect((await run.state()).state).toEqual({ values: ['v0', 'v1'] });
  });

  test('[T026] failure of the run turns its other tokens into cancelled: under way, waiting at a join, or for a time', async () => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['start', branchWork('branch'), 'after', { id: 'pause', wait: { seconds: 60 } }],
      [spawn('start', 'branch', 3, 'g'), go('start', 'pause'), join('branch', 'after', 'g')],
    );
    const run = await launch(t, definition);
    await answerBranches(t, 'branch', [0]);
    const [still] = callsAt(t, 'branch', { index: 1 });
    await fail(t, 'branch', new Error('broken'), { index: 2 });
    expect(await ended(run)).toMatchObject({ status: 'failed', error: { message: 'broken' } });
    expect(await visits(run)).toEqual([
      'start:completed',
      'branch:completed',
      'branch:cancelled',
      'branch:failed',
      'pause:cancelled',
      'after:cancelled',
    ]);
    expect(still!.signal.aborted).toBe(true);
    await t.advance(60_000);
    expect(await visits(run)).toContain('pause:cancelled');
  });

  test('[T027] states follow one another in order, and nothing leaves completed or cancelled', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, fan({ strategy: { mOfN: 2 } }));
    const late = callsAt(t, 'branch', { index: 2 })[0]!;
    await answerBranches(t, 'branch', [0, 1]);
    const before = await run.tokens();
    late.complete({ value: 'too late' });
    await t.settle();
    expect(await run.tokens()).toEqual(before);
    await answer(t, 'after');
    await run.cancel();
    const stages = await stagesOf(run);
    expect(stages).toEqual({
      'start 1': ['created', 'completed'],
      'branch 2': ['created', 'dispatched', 'completed'],
      'branch 3': ['created', 'dispatched', 'completed'],
      'branch 4': ['created', 'dispatched', 'cancelled'],
      'after 5': ['created', 'waiting', 'completed'],
      'after 6': ['created', 'waiting', 'completed'],
      'after 7': ['created', 'dispatched', 'completed'],
    });
    expect(await ended(run)).toMatchObject({ status: 'completed' });
  });
});

/** What the journal tells of each token, in order. */
async function stagesOf(run: Run): Promise<Record<string, string[]>> {
  const stages: Record<string, string[]> = {};
  const nodes = new Map((await run.tokens()).map(({ id, node }) => [id, `${node} ${id}`]));
  const add = (tokens: readonly number[], stage: string): void => {
    for (const token of tokens) (stages[nodes.get(token)!] ??= []).push(stage);
  };
  for (const event of await eventsOf(run)) {
    if (event.type === 'token.created')
      add(
        Array.from({ length: event.count ?? 1 }, (_, i) => event.token + i),
        'created',
      );
    else if (event.type === 'task.dispatched') add([event.token], 'dispatched');
    else if (event.type === 'token.waiting') add([event.token], 'waiting');
    else if (event.type === 'token.completed') add([event.token], 'completed');
    else if (event.type === 'tokens.completed') add(event.tokens, 'completed');
    else if (event.type === 'tokens.cancelled') add(event.tokens, 'cancelled');
  }
  return stages;
}
