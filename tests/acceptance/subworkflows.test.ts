import { expect, test } from 'vitest';
import type { Run } from '../../packages/heddle/src/api/run.ts';
import type { TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import { alarmsAreMeant, onEveryHost, problemsOf } from './hosts.testsuite.ts';
import {
  answer,
  answerBranches,
  branchWork,
  callAt,
  callsAt,
  ended,
  eventsOf,
  type Fields,
  fail,
  go,
  join,
  keep,
  launch,
  merge,
  register,
  scripted,
  spawn,
  stateOf,
  tokensAt,
  visits,
  work,
  workflow,
} from './token-engine.testsuite.ts';

const child = (more: Fields = {}): Fields =>
  workflow(
    'child',
    [work('inner', { inputMapping: { all: 'input', state: 'state' }, outputMapping: { 'output.y': 'result.y' } })],
    [],
    more,
  );

/** One node that calls the child, with a node after it. */
const parent = (call: Fields = {}, more: Fields = {}): Fields =>
  workflow(
    'parent',
    [
      keep('before', 'x'),
      {
        id: 'call',
        workflow: { id: 'child', ...call },
        inputMapping: { n: 'state.x' },
        outputMapping: { 'state.y': 'result.y', 'state.error': 'result.error' },
        ...more,
      },
      work('after'),
    ],
    [go('before', 'call'), go('call', 'after')],
  );

/** Starts parent and child and brings the parent to the call. */
async function callChild(
  t: TestEngine,
  definition: Fields,
  childDefinition: Fields = child(),
): Promise<{ run: Run; childRun: Run }> {
  await register(t.engine, childDefinition);
  const run = await launch(t, definition);
  await answer(t, 'before', { x: 7 });
  return { run, childRun: await childOf(t, run) };
}

async function childOf(t: TestEngine, run: Run, node = 'call'): Promise<Run> {
  const [token] = await tokensAt(run, node);
  return t.engine.run(token?.childRunId ?? 'none');
}

onEveryHost('sub-workflows', (host) => {
  test('[T056] a workflow_call starts a new run, which knows its parent', async () => {
    const t = await host.open(scripted);
    await register(t.engine, child());
    const seed = {
      id: 'parent',
      initial_node_id: 'call',
      nodes: [
        {
          id: 'call',
          workflow_call: 'child',
          input_mapping: { n: 'input.n' },
          output_mapping: { 'state.y': 'result.y' },
        },
      ],
      transitions: [],
    };
    const run = await launch(t, seed, { n: 1 });
    const runs = await t.engine.runs({ subRuns: true, parentRunId: run.id });
    expect(runs).toMatchObject([
      { workflow: 'child', version: 1, status: 'running', parentRunId: run.id, rootRunId: run.id },
    ]);
    expect(runs[0]!.runId).not.toBe(run.id);
    const [token] = await run.tokens();
    expect(token).toMatchObject({ status: 'waiting_for_subworkflow', childRunId: runs[0]!.runId, isExecuting: false });
    expect(await run.status()).toBe('waiting');
    await answer(t, 'inner', { y: 2 });
    expect(await stateOf(run)).toEqual({ y: 2 });
    expect(await ended(run)).toMatchObject({ status: 'completed' });
  });

  test('[T057][T058] the child sees a fresh context and the mapped input, nothing else of its parent', async () => {
    const t = await host.open(scripted);
    const { run, childRun } = await callChild(t, parent({ inheritArtifacts: false }));
    expect(callAt(t, 'inner').input).toEqual({ all: { n: 7 }, state: {} });
    expect(await childRun.state()).toMatchObject({ input: { n: 7 }, state: {}, output: {} });
    expect(await stateOf(run)).toEqual({ x: 7 });
  });

  test('[T062] inherit_artifacts is false unless it is said', async () => {
    const t = await host.open(scripted);
    await register(t.engine, child());
    const call = (more: Fields) => ({
      id: 'p',
      initial_node: 'c',
      nodes: [{ id: 'c', workflow_call: 'child', input_mapping: { n: 'input.n' }, ...more }],
      transitions: [],
    });
    const inherited = async (more: Fields): Promise<unknown> => {
      const run = await launch(t, call(more), { n: 1 });
      const [started] = await eventsOf(await childOf(t, run, 'c'), 'workflow.started');
      return started?.artifactRuns?.map((runId) => (runId === run.id ? 'its parent' : runId));
    };
    expect(await inherited({})).toBeUndefined();
    expect(await inherited({ inherit_artifacts: false })).toBeUndefined();
    expect(await inherited({ inherit_artifacts: true })).toEqual(['its parent']);
    expect((await problemsOf(t, call({ inherit_artifacts: 'yes' }))).map(({ pointer }) => pointer)).toEqual([
      '/nodes/0/inherit_artifacts',
    ]);
  });

  const strict = child({ inputSchema: { type: 'object', required: ['n'], properties: { n: { type: 'string' } } } });

  test('[T059] mapped input that does not fit the schema of the child is an error of the node, and no child runs', async () => {
    const t = await host.open(scripted);
    await register(t.engine, strict);
    const run = await launch(t, parent());
    await answer(t, 'before', { x: 7 });
    expect(await ended(run)).toMatchObject({ status: 'failed', error: { code: 'INPUT_INVALID', nodeId: 'call' } });
    expect(callsAt(t, 'inner')).toEqual([]);
    expect(await t.engine.runs({ subRuns: true, workflow: 'child' })).toEqual([]);
  });

  test('[T059] input that fits is accepted', async () => {
    const t = await host.open(scripted);
    await register(t.engine, strict);
    const run = await launch(t, parent());
    await answer(t, 'before', { x: 'seven' });
    await answer(t, 'inner', { y: 1 });
    await answer(t, 'after');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
  });

  test('[T060] the child runs on its own: its own tokens, journal, status and id, and other runs go on beside it', async () => {
    const t = await host.open(scripted);
    const { run, childRun } = await callChild(t, parent());
    expect([await run.status(), await childRun.status()]).toEqual(['waiting', 'running']);
    expect(await visits(childRun)).toEqual(['inner:dispatched']);
    expect((await eventsOf(childRun)).map(({ type }) => type)).toEqual([
      'workflow.started',
      'token.created',
      'task.dispatched',
    ]);
    const journal = (await eventsOf(run)).length;
    const other = await t.engine.start('child', { n: 0 });
    await t.settle();
    expect(await other.summary()).toMatchObject({ parentRunId: null, status: 'running' });
    callsAt(t, 'inner')
      .find(({ runId }) => runId === other.id)!
      .complete({ y: 0 });
    await t.settle();
    expect(await ended(other)).toMatchObject({ status: 'completed', output: { y: 0 } });
    expect((await eventsOf(run)).length).toBe(journal);
  });

  test('[T061] output_mapping writes the output of the child into the state of the parent', async () => {
    const t = await host.open(scripted);
    const { run, childRun } = await callChild(t, parent());
    await answer(t, 'inner', { y: 9 });
    expect(await ended(childRun)).toMatchObject({ status: 'completed', output: { y: 9 } });
    expect(await stateOf(run)).toEqual({ x: 7, y: 9 });
    await answer(t, 'after');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
  });

  test('[T063] a child error fails the parent node by default, and so the run', async () => {
    const t = await host.open(scripted);
    const { run, childRun } = await callChild(t, parent());
    await fail(t, 'inner', Object.assign(new Error('inside'), { code: 'INNER' }));
    expect(await ended(childRun)).toMatchObject({
      status: 'failed',
      error: { code: 'INNER', message: 'inside', nodeId: 'inner' },
    });
    const { status, error } = await ended(run);
    expect([status, error]).toMatchObject(['failed', { code: 'INNER', nodeId: 'call' }]);
    expect((error as { message: string }).message).toContain('inside');
    expect(await visits(run)).toEqual(['before:completed', 'call:failed']);
  });

  test('[T063] a propagated child error can be handled by a failure transition', async () => {
    const t = await host.open(scripted);
    const definition = parent();
    const handled = {
      ...definition,
      transitions: [...(definition['transitions'] as Fields[]), go('call', 'after', { on: 'failure' })],
    };
    const { run } = await callChild(t, handled);
    await fail(t, 'inner');
    await answer(t, 'after');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
  });

  test('catch: the error lands in the output of the node, which succeeds', async () => {
    const t = await host.open(scripted);
    const { run } = await callChild(t, parent({ onFailure: 'catch' }));
    await fail(t, 'inner', Object.assign(new Error('inside'), { code: 'INNER' }));
    expect(await stateOf(run)).toMatchObject({ x: 7, error: { code: 'INNER' } });
    await answer(t, 'after');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect(await visits(run)).toEqual(['before:completed', 'call:completed', 'after:completed']);
  });

  test('a child that nobody registered fails the node', async () => {
    const t = await host.open(scripted);
    const { problems } = await t.engine.register(parent());
    expect(problems.map(({ severity, code }) => [severity, code])).toEqual([['warning', 'WORKFLOW_NOT_REGISTERED']]);
    const run = await launch(t, parent());
    await answer(t, 'before', { x: 1 });
    expect(await ended(run)).toMatchObject({ status: 'failed', error: { code: 'WORKFLOW_NOT_FOUND', nodeId: 'call' } });
  });

  test('a workflow node without a version takes the latest when the child starts', async () => {
    const t = await host.open(scripted);
    await register(t.engine, child());
    const run = await launch(t, parent());
    await register(t.engine, child({ description: 'newer' }), {
      ...child(),
      initialNode: 'other',
      nodes: [work('other')],
    });
    await answer(t, 'before', { x: 1 });
    expect(await (await childOf(t, run)).summary()).toMatchObject({ workflow: 'child', version: 3 });
    expect(callsAt(t, 'other')).toHaveLength(1);
  });

  test('timeout: the child is cancelled, the token timed out, the node failed', async () => {
    const t = await host.open(scripted);
    const { run, childRun } = await callChild(t, parent({ timeoutMs: 1000 }));
    const call = callAt(t, 'inner');
    await t.advance(999);
    expect(await run.status()).toBe('waiting');
    await t.advance(1);
    expect(await ended(run)).toMatchObject({
      status: 'failed',
      error: { code: 'SUBWORKFLOW_TIMED_OUT', nodeId: 'call' },
    });
    expect((await tokensAt(run, 'call')).map(({ status }) => status)).toEqual(['timed_out']);
    expect(await childRun.status()).toBe('cancelled');
    expect(call.signal.aborted).toBe(true);
  });

  test('timeout: with catch the run goes on', async () => {
    const t = await host.open(scripted);
    const { run, childRun } = await callChild(t, parent({ timeoutMs: 1000, onFailure: 'catch' }));
    await t.advance(1000);
    expect(await stateOf(run)).toMatchObject({ error: { code: 'SUBWORKFLOW_TIMED_OUT' } });
    expect(await childRun.status()).toBe('cancelled');
    await answer(t, 'after');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
  });

  test('retry: each attempt is a new child', async () => {
    const t = await host.open(scripted);
    const { run, childRun } = await callChild(t, parent({}, { retry: { maxAttempts: 2, initialDelayMs: 500 } }));
    await fail(t, 'inner');
    expect(await run.status()).toBe('waiting');
    expect(callsAt(t, 'inner')).toEqual([]);
    await t.advance(500);
    const second = await childOf(t, run);
    expect(second.id).not.toBe(childRun.id);
    expect(callAt(t, 'inner')).toMatchObject({ runId: second.id, input: { all: { n: 7 } } });
    await answer(t, 'inner', { y: 2 });
    await answer(t, 'after');
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect(
      (await t.engine.runs({ subRuns: true, parentRunId: run.id })).map(({ status }) => status).toSorted(),
    ).toEqual(['completed', 'failed']);
    expect(await tokensAt(run, 'call')).toMatchObject([{ attempt: 2, status: 'completed' }]);
  });

  test('cancel cascades down to every descendant', async () => {
    const t = await host.open(scripted);
    const middle = workflow('middle', [{ id: 'call', workflow: 'child' }, 'z'], [go('call', 'z')]);
    await register(t.engine, child(), middle);
    const run = await launch(t, workflow('top', [{ id: 'call', workflow: 'middle' }]));
    const middleRun = await childOf(t, run);
    const leaf = await childOf(t, middleRun);
    expect(await leaf.status()).toBe('running');
    expect(await run.cancel('enough')).toEqual({ applied: true });
    await t.settle();
    for (const cancelled of [run, middleRun, leaf]) {
      expect(await ended(cancelled)).toMatchObject({
        status: 'cancelled',
        error: { code: 'CANCELLED', message: 'enough' },
      });
      expect((await cancelled.tokens()).map(({ status }) => status)).toEqual(['cancelled']);
    }
    expect(openCalls(t)).toEqual([]);
  });

  test('a child cancelled by itself counts as failed for its parent', async () => {
    const t = await host.open(scripted);
    const { run, childRun } = await callChild(t, parent());
    await childRun.cancel('by hand');
    await t.settle();
    expect(await ended(run)).toMatchObject({ status: 'failed', error: { code: 'CANCELLED', nodeId: 'call' } });
  });

  test('a join that completes early cancels the sub-runs of the branches it does not need', async () => {
    const t = await host.open(scripted);
    await register(t.engine, child());
    const definition = workflow(
      'w',
      ['start', branchWork('branch'), { id: 'call', workflow: 'child' }, 'after'],
      [
        spawn('start', 'branch', 2, 'g'),
        go('branch', 'call', { priority: 1, condition: '_branch.index == 0' }),
        join('branch', 'after', 'g', { strategy: 'any' }, { priority: 2 }),
        join('call', 'after', 'g', { strategy: 'any' }),
      ],
    );
    const run = await launch(t, definition);
    await answerBranches(t, 'branch', [0]);
    const childRun = await childOf(t, run);
    expect(await childRun.status()).toBe('running');
    await answerBranches(t, 'branch', [1]);
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect(await childRun.status()).toBe('cancelled');
  });

  test('children in branches: each gets its own run, their outputs are merged in branch order', async () => {
    const t = await host.open(scripted);
    await register(t.engine, child());
    const definition = workflow(
      'w',
      ['start', { id: 'call', workflow: 'child', inputMapping: { n: 'item' } }, 'after'],
      [
        go('start', 'call', { foreach: { collection: 'input.items', itemVar: 'item' }, siblingGroup: 'g' }),
        join('call', 'after', 'g', merge('_branch.output.y', 'state.all')),
      ],
      { outputMapping: { all: 'state.all' } },
    );
    const run = await launch(t, definition, { items: [1, 2, 3] });
    for (const n of [2, 3, 1]) await answer(t, 'inner', { y: n * 10 }, { all: { n } });
    expect(await ended(run)).toMatchObject({ status: 'completed', output: { all: [10, 20, 30] } });
    expect(new Set((await tokensAt(run, 'call')).map(({ childRunId }) => childRunId)).size).toBe(3);
  });

  test('nesting has its own limit, which names itself', async () => {
    const t = await host.open({ ...scripted, limits: { nestingMax: 3 } });
    const run = await launch(t, workflow('self', [{ id: 'call', workflow: 'self' }], [], alarmsAreMeant));
    await t.settle();
    const { status, error } = await ended(run);
    expect([status, error]).toMatchObject(['failed', { code: 'LIMIT_EXCEEDED' }]);
    expect((error as { message: string }).message).toContain('nestingMax');
    expect(await t.engine.runs({ subRuns: true })).toHaveLength(4);
  });

  test('[FL11] a failure deep below names the innermost error and its way up, and does not nest', async () => {
    const t = await host.open(scripted);
    const run = await launch(t, workflow('self', [{ id: 'call', workflow: 'self' }], [], alarmsAreMeant));
    await t.settle();
    const { error } = await run.summary();
    const [childRunId] = error?.runs ?? [];
    const innermost = { code: 'LIMIT_EXCEEDED', limit: 'nestingMax', nodeId: 'call' };
    expect(error).toMatchObject({ code: 'LIMIT_EXCEEDED', details: { childRunId, error: innermost } });
    expect(error?.runs).toHaveLength(32);
    expect(error?.message.match(/Expected/g)).toHaveLength(2);
    expect(error?.message).toContain(`(in run ${error?.runs?.at(-1)}, 32 levels below)`);
    expect(JSON.stringify(error).length).toBeLessThan(3_000);
    expect((await t.engine.run(error?.runs?.at(-1) ?? '').summary()).error).toMatchObject(innermost);
  });

  test('[FL11] [EX20] what an action threw in a sub-run is shown at the top, and not in a caught output', async () => {
    const t = await host.open(scripted);
    await t.engine.register(workflow('child', [work('inner')]));
    const caught = {
      id: 'call',
      workflow: { id: 'child', onFailure: 'catch' },
      outputMapping: { 'output.r': 'result' },
    };
    const propagating = await launch(t, workflow('propagates', [{ id: 'call', workflow: 'child' }]));
    await fail(t, 'inner', new RangeError('deep'));
    expect(await ended(propagating)).toMatchObject({
      status: 'failed',
      error: { thrown: { name: 'RangeError', stack: expect.stringContaining('RangeError: deep') } },
    });
    const catching = await launch(t, workflow('catches', [caught]));
    await fail(t, 'inner', new RangeError('deep'));
    const { status, output } = await ended(catching);
    expect(status).toBe('completed');
    expect(output).toMatchObject({ r: { status: 'failed', error: { details: { error: { message: 'deep' } } } } });
    expect(JSON.stringify(output)).not.toContain('RangeError');
  });
});

const openCalls = (t: TestEngine): string[] =>
  t.script.calls.filter(({ signal, isAnswered }) => !signal.aborted && !isAnswered).map(({ nodeId }) => nodeId);
