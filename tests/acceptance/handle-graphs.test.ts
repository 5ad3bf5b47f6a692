import { expect, test } from 'vitest';
import { flowNodes } from '../../packages/heddle/src/dialects/handle/nodes/flow-nodes.ts';
import { InvalidActionsError } from '../../packages/heddle/src/executor/registry.ts';
import { adding, drawing, type Fields, walking } from './handle.testsuite.ts';
import { onEveryHost } from './hosts.testsuite.ts';
import { launch, register } from './token-engine.testsuite.ts';

onEveryHost('handles: graphs', (host) => {
  test('[HN17][T255] a graph as React Flow saves it runs as it is', async () => {
    const t = await host.open({ executors: flowNodes });
    const saved = {
      nodes: [
        { id: '1', type: 'MANUAL_TRIGGER', position: { x: 0, y: 0 }, data: { label: 'Go' }, measured: { width: 1 } },
        {
          id: '2',
          type: 'IF_ELSE',
          position: { x: 9, y: 0 },
          data: { condition: { field: 'n', operator: 'greater_than', value: 1 } },
          selected: true,
        },
        { id: '3', type: 'SET_FIELDS', position: { x: 9, y: 9 }, data: { fields: { size: 'large' } } },
        { id: '4', type: 'SET_FIELDS', position: { x: 9, y: 9 }, data: { fields: { size: 'small' } } },
      ],
      edges: [
        { id: 'e1', source: '1', target: '2', sourceHandle: null, targetHandle: null, animated: true },
        { id: 'e2', source: '2', target: '3', sourceHandle: 'true', targetHandle: 'in', type: 'smoothstep' },
        { id: 'e3', source: '2', target: '4', sourceHandle: 'false', targetHandle: 'in' },
      ],
      viewport: { x: 0, y: 0, zoom: 1 },
    };
    const definition = { dialect: 'handle', id: 'w', ...saved };
    const large = await launch(t, definition, { n: 2 });
    expect(await large.result()).toMatchObject({ status: 'completed', output: { n: 2, size: 'large' } });
    const small = await launch(t, definition, { n: 1 });
    expect(await small.result()).toMatchObject({ status: 'completed', output: { n: 1, size: 'small' } });
    const taken = (await small.tokens()).map(({ via }) => via).filter((via) => via?.startsWith('e'));
    expect(taken).toEqual(['e1', 'e3']);
  });

  test('[DL3][T264] notes and frames are no steps: a run begins where the graph does', async () => {
    const walked = walking();
    const t = await host.open({ executors: walked.executors });
    const steps = [
      { id: 'a', type: 'STEP', parentId: 'g', position: { x: 1, y: 0 }, data: {} },
      { id: 'b', type: 'STEP', parentId: 'g', position: { x: 2, y: 0 }, data: {} },
    ];
    const decoration = [
      { id: 'n', type: 'annotation', position: { x: 0, y: 0 }, data: { label: 'Read me' } },
      { id: 'g', type: 'group', position: { x: 0, y: 0 }, data: {}, style: { width: 300 } },
      { id: 'l', type: 'legend', position: { x: 0, y: 0 }, data: {} },
    ];
    const graph = { dialect: 'handle', id: 'w', edges: [{ id: 'e', source: 'a', target: 'b' }] };
    const decorated = { ...graph, nodes: [...decoration, ...steps], decorative: ['legend'] };
    expect(await t.engine.register(decorated)).toMatchObject({ version: 1, problems: [] });
    const run = await launch(t, decorated);
    expect(await run.status()).toBe('completed');
    expect(walked.visited).toEqual(['a', 'b']);
    expect(await t.engine.register({ ...graph, nodes: steps })).toMatchObject({ version: 1, isNew: false });
  });

  test('how it is drawn makes no other version', async () => {
    const t = await host.open();
    const at = (x: number, note: string) =>
      drawing([{ id: 'a', type: 'STEP', position: { x }, meta: { note } }], [], { viewport: { x } });
    const first = await t.engine.register(at(1, 'left'));
    const second = await t.engine.register(at(2, 'right'));
    expect([first.version, second.version]).toEqual([1, 1]);
  });

  test('[HN18] what is wrong is told all at once, with pointers into the graph as it was saved, and nothing is stored', async () => {
    const t = await host.open();
    const saved: unknown = {
      dialect: 'handle',
      id: 'w',
      nodes: [
        { id: 'a', type: 'X' },
        { id: 'a', type: 'X' },
        { id: 'b', type: 'X', datta: 1 },
      ],
      edges: [{ source: 'a', target: 'c' }],
    };
    const { problems, version } = await t.engine.register(saved);
    expect(version).toBeNull();
    expect(problems.map(({ code, pointer }) => [code, pointer])).toEqual([
      ['UNKNOWN_FIELD', '/nodes/2/datta'],
      ['DUPLICATE_ID', '/nodes/1/id'],
      ['UNKNOWN_NODE', '/edges/0/target'],
    ]);
    await expect(t.engine.start('w')).rejects.toMatchObject({ code: 'WORKFLOW_NOT_FOUND' });
  });

  test('ids and handles of any printable kind work', async () => {
    const odd = 'say "hi" \\ → ✓';
    const walked = walking({ [odd]: adding({ _branch: odd }) });
    const t = await host.open({ executors: walked.executors });
    const way = { fromNodeId: odd, fromOutput: odd, toNodeId: '1' };
    await launch(t, drawing([{ id: odd, type: 'STEP' }, '1'], [way]));
    expect(walked.visited).toEqual([odd, '1']);
  });

  test('a failed run is tried again from the node that failed, with the context before it', async () => {
    let isDown = true;
    const walked = walking({
      a: adding({ a: 1 }),
      b: (params) => {
        if (isDown) throw new Error('down');
        return adding({ b: 1 })(params);
      },
    });
    const t = await host.open({ executors: walked.executors });
    const run = await launch(t, drawing(['a', 'b', 'c'], ['a->b', 'b->c']));
    expect(await run.execution()).toMatchObject({ status: 'FAILED', error: 'down' });
    isDown = false;
    const again = await run.retry();
    expect(await again.result()).toMatchObject({ status: 'completed', output: { a: 1, b: 1 } });
    expect(walked.visited).toEqual(['a', 'b', 'b', 'c']);
  });

  test('a workflow of another dialect may call one, and gets its final context', async () => {
    const t = await host.open({ executors: walking({ a: adding({ a: 1 }) }).executors });
    await register(t.engine, drawing(['a'], [], { id: 'child' }));
    const run = await launch(
      t,
      {
        id: 'parent',
        initialNode: 'call',
        nodes: [
          {
            id: 'call',
            workflow: 'child',
            inputMapping: { n: 'input.n' },
            outputMapping: { 'output.from': 'result' },
          },
        ],
      },
      { n: 7 },
    );
    expect(await run.result()).toMatchObject({ status: 'completed', output: { from: { n: 7, a: 1 } } });
  });

  test('[HN30] an action serves too; a name that is both is refused', async () => {
    const t = await host.open({
      actions: { STEP: ({ input }) => ({ ...(input['context'] as Fields), by: input['nodeId'], data: input['data'] }) },
    });
    const run = await launch(t, drawing([{ id: 'a', type: 'STEP', data: { x: 1 } }]), { n: 1 });
    expect(await run.result()).toMatchObject({ output: { n: 1, by: 'a', data: { x: 1 } } });
    const both = { actions: { IF_ELSE: () => ({}) }, executors: flowNodes };
    await expect(host.open(both)).rejects.toThrow(InvalidActionsError);
  });

  test('[HN31] an executor that returns no context fails its node, and the run', async () => {
    const t = await host.open({ executors: { STEP: () => undefined as never } });
    const run = await launch(t, drawing(['a', 'b'], ['a->b']));
    expect(await run.result()).toMatchObject({ status: 'failed', error: { code: 'CONTEXT_INVALID', nodeId: 'a' } });
  });

  test.each([null, 'x', [1]])('[HN1] so does an action that returns none: %j', async (returned) => {
    const t = await host.open({ actions: { STEP: () => returned } });
    const run = await launch(t, drawing(['a', 'b'], ['a->b']));
    expect(await run.result()).toMatchObject({ status: 'failed', error: { code: 'CONTEXT_INVALID', nodeId: 'a' } });
  });
});

onEveryHost('handles: flow nodes', (host) => {
  const branchFor = async (type: string, data: Fields, context: Fields) => {
    const t = await host.open({ executors: flowNodes });
    const handles = ['true', 'false', 'stop', 'default'];
    const nodes = handles.map((handle) => ({ id: handle, type: 'SET_FIELDS', data: { fields: { took: handle } } }));
    const ways = handles.map((handle) => `a/${handle}->${handle}`);
    const run = await launch(t, drawing([{ id: 'a', type, data }, ...nodes], ways), context);
    const { output } = await run.result<{ took: string }>();
    return output?.took;
  };

  test.each<[string, Fields, Fields, string]>([
    ['without a condition takes true', {}, {}, 'true'],
    ['text comparison ignores case', { field: 'name', operator: 'equals', value: 'ADA' }, { name: 'ada' }, 'true'],
    ['text that differs', { field: 'name', operator: 'equals', value: 'ADA' }, { name: 'bob' }, 'false'],
    ['numeric operators coerce', { field: 'n', operator: 'greater_than', value: '9' }, { n: '10' }, 'true'],
    ['null never equals', { field: 'n', operator: 'equals', value: null }, { n: null }, 'false'],
  ])('[X28] if/else %s', async (_, condition, context, expected) => {
    const data = Object.keys(condition).length === 0 ? {} : { condition };
    expect(await branchFor('IF_ELSE', data, context)).toBe(expected);
  });

  test('a switch takes the first case that equals, else default', async () => {
    const data = { field: 'light', cases: [{ value: 'red', handle: 'stop' }] };
    expect(await branchFor('SWITCH', data, { light: 'Red' })).toBe('stop');
    expect(await branchFor('SWITCH', data, { light: 'green' })).toBe('default');
  });

  test('a wait holds the run for its seconds', async () => {
    const t = await host.open({ executors: flowNodes });
    const run = await launch(t, drawing([{ id: 'a', type: 'WAIT', data: { seconds: 5, label: 'nap' } }]), { n: 1 });
    expect(await run.execution()).toMatchObject({ status: 'WAITING', waitingAtNodeId: 'a' });
    await t.advance(5_000);
    expect(await run.result()).toMatchObject({ status: 'completed', output: { n: 1 } });
  });
});
