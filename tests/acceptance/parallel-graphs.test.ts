import { expect, test } from 'vitest';
import type { JsonObject } from '../../packages/heddle/src/base/json.ts';
import { draw } from './drawn.testsuite.ts';
import { onEveryHost } from './hosts.testsuite.ts';
import { launch } from './token-engine.testsuite.ts';

/** What ran, in order, each with its input. */
function recorder() {
  const ran: string[] = [];
  const step = async ({ nodeId, input }: { readonly nodeId: string; readonly input: unknown }) => {
    ran.push(nodeId);
    return { from: nodeId, ...(input as object) };
  };
  return { ran, step };
}

onEveryHost('drawn graphs, parallel', (host) => {
  test('[DR2][LC3] a run begins at all nodes that no edge leads to, and its journal names no node that nobody drew', async () => {
    const { ran, step } = recorder();
    const t = await host.open({ actions: { step } });
    const run = await launch(t, draw({ a: {}, b: {}, c: {}, d: {} }, ['a->c', 'b->c']));
    await run.result();
    expect(ran.toSorted()).toEqual(['a', 'b', 'c', 'd']);
    const named = new Set<string>();
    for await (const event of run.events()) if (event.type === 'token.created') named.add(event.node);
    expect([...named].toSorted()).toEqual(['a', 'b', 'c', 'd']);
  });

  test('[DR1][DR2][DR9][DR20] what React Flow saved, without a dialect, runs all that can run, and joins where edges meet', async () => {
    const under: string[] = [];
    let most = 0;
    const step = async ({ nodeId }: { readonly nodeId: string }) => {
      under.push(nodeId);
      most = Math.max(most, under.length);
      await new Promise((resolve) => setImmediate(resolve));
      under.splice(under.indexOf(nodeId), 1);
      return nodeId;
    };
    const t = await host.open({ actions: { step } });
    const nodes = { a: {}, b1: {}, b2: {}, b3: {}, c: { data: { all: '=[nodes.b1, nodes.b2, nodes.b3]' } } };
    const run = await launch(t, draw(nodes, ['a->b1', 'a->b2', 'a->b3', 'b1->c', 'b2->c', 'b3->c']));
    expect(await run.result()).toMatchObject({ status: 'completed', output: { a: 'a', b2: 'b2', c: 'c' } });
    expect(most).toBe(3);
  });

  test('[DR5][DR6][DR7] settings are given with the values of their expressions, and edges into named inputs', async () => {
    const { step } = recorder();
    const t = await host.open({ actions: { step } });
    const nodes = {
      'step 1': { data: { n: 1 } },
      b: { data: { text: 'plain', sum: '=nodes["step 1"].n + input.k', deep: { list: [1, '=input.k'] } } },
    };
    const run = await launch(t, draw(nodes, ['step 1->b:whole']), { k: 2 });
    const { output } = (await run.result()) as { output: JsonObject };
    expect(output['b']).toEqual({
      from: 'b',
      text: 'plain',
      sum: 3,
      deep: { list: [1, 2] },
      whole: { from: 'step 1', n: 1 },
    });
  });

  test('[DR8] a result names the handles that are taken, one or several; the others are not followed', async () => {
    const { ran, step } = recorder();
    const choose = async ({ input }: { readonly input: unknown }) => ({
      _branch: (input as { take: string }).take,
      ok: true,
    });
    const t = await host.open({ actions: { step, choose } });
    const nodes = { pick: { type: 'choose', data: { take: '=input.take' } }, x: {}, y: {}, z: {}, end: {} };
    const graph = draw(nodes, ['pick:x->x', 'pick:y->y', 'pick:z->z', 'x->end', 'y->end', 'z->end']);
    const both = await launch(t, graph, { take: ['x', 'z'] });
    expect(await both.result()).toMatchObject({ status: 'completed', output: { pick: { ok: true } } });
    expect(ran.toSorted()).toEqual(['end', 'x', 'z']);
    expect((await both.result()).output).not.toHaveProperty('pick._branch');
    ran.length = 0;
    await (await launch(t, graph, { take: 'y' })).result();
    expect(ran).toEqual(['y', 'end']);
  });

  test('[DR8] the error handle is the way after a failure; without one the run fails', async () => {
    const { ran, step } = recorder();
    const t = await host.open({ actions: { step } });
    const nodes = { bad: { type: 'core.fail' }, next: {}, mend: { data: { why: '=state._failure.code' } } };
    const run = await launch(t, draw(nodes, ['bad->next', 'bad:error->mend']));
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(ran).toEqual(['mend']);
    const failed = await launch(t, draw(nodes, ['bad->next'], { id: 'other' }));
    expect(await failed.result()).toMatchObject({ status: 'failed' });
  });

  test('[DR3][EJ13][RT9] an edge that leads back is a loop, with the joins in it, up to its limit', async () => {
    let rounds = 0;
    const { ran, step } = recorder();
    const more = async () => ({ _branch: ++rounds < 3 ? 'again' : 'done' });
    const t = await host.open({ actions: { step, more } });
    const nodes = { a: {}, l: {}, r: {}, m: { type: 'more' }, z: {} };
    const edges = [
      'a->l',
      'a->r',
      'l->m',
      'r->m',
      ['m:again->a', { data: { maxIterations: 5 } }],
      'm:done->z',
    ] as const;
    const run = await launch(t, draw(nodes, edges as never));
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(ran.filter((id) => id === 'a')).toHaveLength(3);
    expect(ran.filter((id) => id === 'z')).toHaveLength(1);
    rounds = -10;
    const long = await launch(t, draw(nodes, edges as never));
    expect(await long.result()).toMatchObject({ status: 'failed', error: { code: 'LOOP_EXHAUSTED', nodeId: 'm' } });
  });

  test('[DR10][DR11][DR18][DR19] conditions, switches, merges and ends', async () => {
    const { step } = recorder();
    const t = await host.open({ actions: { step } });
    const nodes = {
      big: { type: 'core.condition', data: { condition: 'input.n > 10' } },
      yes: {},
      no: {},
      kind: {
        type: 'core.switch',
        data: {
          value: '=input.kind',
          cases: [
            { equals: 'a', handle: 'first' },
            { when: 'input.n == 7', handle: 'seven' },
          ],
        },
      },
      f: {},
      s: {},
      d: {},
      both: { type: 'core.merge' },
      end: { type: 'core.end', data: { output: { ways: '=nodes.both', fixed: 1 } } },
    };
    const edges = [
      'big:true->yes',
      'big:false->no',
      'kind:first->f',
      'kind:seven->s',
      'kind:default->d',
      'yes->both',
      'no->both',
      'f->both',
      's->both',
      'd->both',
      'both->end',
    ];
    const graph = draw(nodes, edges);
    const taken = async (input: JsonObject) => {
      const { output } = (await (await launch(t, graph, input)).result()) as { output: { ways: JsonObject } };
      return Object.entries(output.ways).flatMap(([id, value]) => (value === null ? [] : [id]));
    };
    expect(await taken({ n: 11, kind: 'a' })).toEqual(['yes', 'f']);
    expect(await taken({ n: 7, kind: 'b' })).toEqual(['no', 's']);
    expect(await taken({ n: 1, kind: null })).toEqual(['no', 'd']);
  });

  test('[DR12][DR13][DR14] people, events and timers, with a way when the time is up', async () => {
    const { ran, step } = recorder();
    const t = await host.open({ actions: { step } });
    const nodes = {
      ask: {
        type: 'core.prompt',
        data: { title: '="Pay " + string(input.sum) + "?"', schema: { type: 'object' }, deadlineMs: 60_000 },
      },
      paid: { data: { answer: '=nodes.ask.ok' } },
      late: {},
      nap: { type: 'core.timer', data: { seconds: '=input.sum' } },
      slept: {},
    };
    const graph = draw(nodes, ['ask->paid', 'ask:timeout->late', 'nap->slept']);
    const run = await launch(t, graph, { sum: 5 });
    await t.advance(5_000);
    expect(ran).toEqual(['slept']);
    const [prompt] = await run.prompts();
    expect(prompt).toMatchObject({ title: 'Pay 5?' });
    await t.advance(60_000);
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(ran).toEqual(['slept', 'late']);
  });

  test('[DR4][DR16][BA11] a foreach runs the nodes that are drawn in it for each item, nested too', async () => {
    const { ran, step } = recorder();
    const t = await host.open({ actions: { step } });
    const nodes = {
      rows: { type: 'core.foreach', data: { items: '=input.rows', parallel: 2 } },
      l: { parentId: 'rows', data: { row: '=item.id' } },
      r: { parentId: 'frame' },
      frame: { type: 'group', parentId: 'rows' },
      cells: { type: 'core.foreach', parentId: 'rows', data: { items: '=item.cells', output: '=nodes.cell.v * 10' } },
      cell: { parentId: 'cells', data: { v: '=item' } },
      sum: { data: { of: '=nodes.rows' } },
    };
    const run = await launch(t, draw(nodes, ['l->cells', 'r->cells', 'rows->sum']), {
      rows: [
        { id: 1, cells: [1, 2] },
        { id: 2, cells: [] },
        { id: 3, cells: [3] },
      ],
    });
    const result = (await run.result()) as { output: JsonObject };
    expect(result.output['rows']).toEqual([[10, 20], [], [30]]);
    expect(result.output['sum']).toMatchObject({ of: [[10, 20], [], [30]] });
    expect(ran.filter((id) => id === 'l')).toHaveLength(3);
  });

  test('[DR16] failures of items can be tolerated, and the output tells of each', async () => {
    const t = await host.open({
      actions: {
        odd: async ({ input }: { readonly input: unknown }) => {
          const { n } = input as { n: number };
          if (n % 2 === 1) throw new Error('odd');
          return n;
        },
      },
    });
    const nodes = {
      each: { type: 'core.foreach', data: { items: '=input', tolerateFailures: true } },
      odd: { type: 'odd', parentId: 'each', data: { n: '=item' } },
    };
    const run = await launch(t, draw(nodes, []), [1, 2] as never);
    expect(await run.result()).toMatchObject({
      status: 'completed',
      output: {
        each: [
          { index: 0, status: 'failed', error: { message: 'odd' } },
          { index: 1, status: 'completed', output: 2 },
        ],
      },
    });
  });

  test('[DR15] a sub-workflow is given its input, and its output is that of the node', async () => {
    const { step } = recorder();
    const t = await host.open({ actions: { step } });
    const child = {
      id: 'child',
      initialNode: 'n',
      nodes: [{ id: 'n', outputMapping: { 'output.twice': 'input.n * 2' } }],
    };
    await t.engine.register(child);
    const nodes = {
      sub: { type: 'core.workflow', data: { workflow: 'child', input: { n: '=input.n' } } },
      after: { data: { got: '=nodes.sub.twice' } },
    };
    const other = draw({ ...nodes, sub: { type: 'core.workflow', data: { workflow: 'nobody' } } }, [], { id: 'other' });
    expect((await t.engine.register(other)).problems).toMatchObject([
      { severity: 'warning', code: 'WORKFLOW_NOT_REGISTERED', pointer: '/nodes/0/data/workflow' },
    ]);
    const run = await launch(t, draw(nodes, ['sub->after']), { n: 21 });
    expect(await run.result()).toMatchObject({ status: 'completed', output: { after: { got: 42 } } });
  });

  test('[DR17] a batch runs what is drawn in it for each slice', async () => {
    const { step } = recorder();
    const t = await host.open({ actions: { step } });
    const nodes = {
      slices: { type: 'core.batch', data: { items: '=input.list', size: 2, output: '=size(nodes.slices)' } },
      work: { parentId: 'slices', data: { part: '=nodes.slices' } },
    };
    const run = await launch(t, draw(nodes, []), { list: [1, 2, 3] });
    expect(await run.result()).toMatchObject({ status: 'completed', output: { slices: [2, 1] } });
  });

  test('[DR30][DF1][DF44] a graph comes back as its editor saved it, and moving a node makes no new version', async () => {
    const t = await host.open({ actions: { step: async () => null } });
    const note = { id: 'note', type: 'stickyNote', position: { x: 5, y: 5 }, data: { text: 'Hi' } };
    const graph = draw({ a: { colour: 'red', selected: true }, b: {} }, [['a->b', { curve: 2 }]], { theme: 'dark' });
    const saved = { ...graph, nodes: [...graph.nodes, note] };
    expect(await t.engine.register(saved)).toMatchObject({ version: 1, problems: [] });
    expect((await t.engine.definition('drawn'))?.definition).toEqual({ ...saved, version: 1 });
    const moved = { ...saved, nodes: saved.nodes.map((node) => ({ ...node, position: { x: 9, y: 9 } })) };
    expect(await t.engine.register(moved)).toMatchObject({ version: 1, isNew: false });
    const misspelt = { ...graph, nodes: graph.nodes.map((node) => ({ ...node, retyr: 1 })) };
    expect((await t.engine.register(misspelt)).problems[0]).toMatchObject({
      severity: 'warning',
      code: 'UNKNOWN_FIELD',
      pointer: '/nodes/0/retyr',
      hint: 'Did you mean "retry"?',
    });
  });

  test('[DR31][VW13] nodes and edges have their status and visits: rounds of loops, items of lists', async () => {
    let rounds = 0;
    const { step } = recorder();
    const t = await host.open({ actions: { step, more: async () => ({ _branch: ++rounds < 3 ? 'again' : 'done' }) } });
    const nodes = {
      each: { type: 'core.foreach', data: { items: '=[1, 2]' } },
      item: { parentId: 'each' },
      more: { type: 'more' },
      never: {},
      z: {},
    };
    const edges = [
      'each->more',
      ['more:again->each', { maxIterations: 5 }],
      'more:done->z',
      'more:error->never',
    ] as const;
    const run = await launch(t, draw(nodes, edges as never));
    await run.result();
    const views = (await run.nodes()).map(({ nodeId, status, visits }) => `${nodeId} ${status} ${visits}`);
    const ways = (await run.edges()).map(({ edgeId, taken }) => `${edgeId} ${taken}`);
    expect(ways.toSorted()).toEqual(['e0 3', 'e1 2', 'e2 1', 'e3 0', 'each->item 6']);
    expect(views).toEqual([
      'each completed 3',
      'item completed 6',
      'more completed 3',
      'never idle 0',
      'z completed 1',
    ]);
  });
});
