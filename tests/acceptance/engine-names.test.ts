import { expect, test } from 'vitest';
import { onEveryHost, problemsOf } from './hosts.testsuite.ts';
import {
  callsAt,
  ended,
  fail,
  go,
  join,
  launch,
  merge,
  register,
  scripted,
  spawn,
  work,
  workflow,
} from './token-engine.testsuite.ts';

onEveryHost('members of the engine’s own names', (host) => {
  test('[T481][CX9] snake_case spellings read the same members', async () => {
    const t = await host.open(scripted);
    const inputMapping = {
      plain: '_branch.fan_out_node_id',
      computed: '_branch.fan_out_node_id + "!"',
      optional: '_branch.?fan_out_node_id.orValue("none")',
      key: '_branch["fan_out_node_id"] + ""',
      asked: 'has(_branch.fan_out_node_id)',
      outer: '_branch.?parent.fan_out_node_id.orValue("none")',
      bound: '[{"fan_out_node_id": 1}].map(_branch, _branch.fan_out_node_id)',
    };
    await launch(t, workflow('w', ['start', work('b', { inputMapping })], [spawn('start', 'b', 1, 'g')]));
    const [call] = callsAt(t, 'b');
    expect(call?.input).toEqual({
      plain: 'start',
      computed: 'start!',
      optional: 'start',
      key: 'start',
      asked: true,
      outer: 'none',
      bound: [1],
    });
  });

  test('[T481][CX9] slices, failures and triggers too', async () => {
    const t = await host.open(scripted);
    const slice = work('slice', { inputMapping: { of: '_batch.total_items' } });
    await launch(
      t,
      workflow(
        'slices',
        [{ id: 'batch', batch: { items: 'input.xs', batchSize: 2, parallelBatches: 2 } }, slice],
        [go('batch', 'slice', { on: 'slice' })],
      ),
      { xs: [1, 2, 3] },
    );
    expect(callsAt(t, 'slice').map(({ input }) => input)).toEqual([{ of: 3 }, { of: 3 }]);
    const outputMapping = { 'output.last': 'state._last_error.node_id', 'output.kept': 'state._failure.node_id' };
    const failing = await launch(
      t,
      workflow('fails', [work('a'), { id: 'after', outputMapping }], [go('a', 'after', { on: 'failure' })]),
    );
    await fail(t, 'a', 'BROKEN');
    expect((await ended(failing)).output).toEqual({ last: 'a', kept: 'a' });
    await register(t.engine, workflow('fired', ['a'], [], { outputMapping: { at: '_trigger.fired_at' } }));
    await t.engine.triggers.create({ id: 'paid', type: 'event', event: 'paid', workflow: 'fired' });
    const { fired } = await t.engine.publish('paid', {});
    await t.settle();
    const [runId = ''] = fired.map((one) => one.runId);
    expect(await t.engine.run(runId).result()).toMatchObject({ output: { at: '2030-01-01T00:00:00.000Z' } });
  });

  test.each([
    ['_branch.fan_out_node', 'fanOutNodeId'],
    ['_branch.parent.totl', 'total'],
    ['has(_branch.idx)', 'index'],
    ['_branch.?indx.orValue(0)', 'index'],
    ['_batch["totalItem"]', 'totalItems'],
    ['_trigger.payload', 'eventId'],
    ['state._last_error.msg', 'message'],
    ['state._failure.node', 'nodeId'],
  ])('[T481][DF110] %s is refused at register', async (source, known) => {
    const t = await host.open(scripted);
    const definition = workflow(
      'w',
      ['start', work('b', { inputMapping: { x: source } }), 'after'],
      [spawn('start', 'b', 2, 'g'), join('b', 'after', 'g', merge('_branch.output', 'state.all'))],
    );
    const problems = await problemsOf(t, definition);
    expect(problems).toContainEqual(
      expect.objectContaining({
        severity: 'error',
        code: 'EXPRESSION_UNKNOWN_NAME',
        pointer: '/nodes/1/inputMapping/x',
        message: expect.stringContaining(known),
      }),
    );
    expect(await t.engine.register(definition)).toMatchObject({ id: null });
  });

  test('[T481][DF110] what users write below them is open', async () => {
    const t = await host.open(scripted);
    const inputMapping = { a: '_branch.output.any.thing', b: 'state._failure.details.any', c: 'input._branch.any' };
    const definition = workflow(
      'w',
      ['start', work('b', { inputMapping }), 'after'],
      [spawn('start', 'b', 2, 'g'), join('b', 'after', 'g', merge('_branch.error.details.x', 'state.all'))],
    );
    const problems = await problemsOf(t, definition);
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  });
});
