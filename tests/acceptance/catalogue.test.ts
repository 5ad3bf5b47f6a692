import { expect, test } from 'vitest';
import type { Problem } from '../../packages/heddle/src/base/problem.ts';
import { defineCompiledType } from '../../packages/heddle/src/dialects/catalogue/compiled-type.ts';
import { defineNodeType, type NodeTypes } from '../../packages/heddle/src/dialects/dataflow/nodes/node-type.ts';
import type { TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import { draw } from './drawn.testsuite.ts';
import { onEveryHost } from './hosts.testsuite.ts';
import { launch } from './token-engine.testsuite.ts';

/** `severity CODE pointer`, one a problem. */
const places = (problems: readonly Problem[]): string[] =>
  problems.map(({ severity, code, pointer }) => `${severity} ${code} ${pointer}`);

const register = async (t: TestEngine, graph: unknown) => t.engine.register(graph as never); // whatever a test draws

const validate = async (t: TestEngine, graph: unknown): Promise<readonly Problem[]> =>
  (await t.engine.call('validateDefinition', { definition: graph as never })).problems; // as above

/** A type that answers with what it was given. */
const mail = (more: object = {}) =>
  defineNodeType({
    title: 'Send mail',
    description: 'To one person.',
    category: 'Mail',
    icon: 'mail',
    inputs: {
      to: { type: 'string', required: true, title: 'To' },
      subject: { type: 'string', value: 'Hello' },
      copies: { schema: { type: 'integer', minimum: 0 } },
    },
    outputs: { sent: { type: 'boolean' } },
    handles: ['sent', 'bounced'],
    credentials: [{ name: 'SMTP_PASSWORD', description: 'Of the mail server.' }],
    ...more,
    run: ({ inputs }) => ({ ...inputs, _branch: 'sent' }),
  });

onEveryHost('the catalogue of node types', (host) => {
  test('[CT1] lists the types of the engine, of the program and of workers, and plain actions, with all that is known of them', async () => {
    const score = {
      input: {
        type: 'object',
        properties: { paper: { type: 'string', description: 'Its text.' }, depth: { type: 'integer', default: 3 } },
        required: ['paper'],
      },
      run: () => ({}),
    };
    const t = await host.open({ nodeTypes: { 'mail.send': mail() }, actions: { score } });
    const types = new Map((await t.engine.nodeTypes()).map((info) => [info.type, info]));
    expect([...types.keys()]).toEqual([...types.keys()].toSorted());
    expect(types.get('mail.send')).toEqual({
      type: 'mail.send',
      version: 1,
      title: 'Send mail',
      description: 'To one person.',
      category: 'Mail',
      icon: 'mail',
      source: expect.stringMatching(/^(program|workers)$/),
      sideEffects: true,
      inputs: [
        { name: 'to', type: 'string', required: true, title: 'To', schema: { type: 'string' } },
        { name: 'subject', type: 'string', value: 'Hello', schema: { type: 'string' } },
        { name: 'copies', type: 'any', schema: { type: 'integer', minimum: 0 } },
      ],
      outputs: [{ name: 'sent', type: 'boolean', schema: { type: 'boolean' } }],
      handles: ['sent', 'bounced'],
      credentials: [{ name: 'SMTP_PASSWORD', description: 'Of the mail server.' }],
    });
    expect(types.get('score')).toMatchObject({
      title: 'score',
      inputs: [
        { name: 'paper', description: 'Its text.', required: true },
        { name: 'depth', value: 3 },
      ],
    });
    expect(types.get('core.condition')).toMatchObject({
      title: 'Condition',
      source: 'core',
      sideEffects: false,
      inputs: [{ name: 'condition', required: true, isExpression: true, schema: { type: 'string' } }],
      handles: ['true', 'false'],
    });
    expect(types.get('core.switch')?.handles).toEqual({ from: 'cases', key: 'handle', also: ['default'] });
    expect(types.get('core.foreach')?.isContainer).toBe(true);
    expect(types.get('core.prompt')?.inputs?.map(({ title }) => title)).toContain('Deadline (ms)');
    expect(types.get('core.echo')).toMatchObject({ title: 'Echo', category: 'Trying out', source: 'core' });
    const [second] = await t.engine.nodeTypes({ limit: 1, after: [...types.keys()][0] ?? '' });
    expect(second?.type).toBe([...types.keys()][1]);
  });

  test('[DR34] what a type requires is there, what is written out fits, and what is absent has its default', async () => {
    const t = await host.open({ nodeTypes: { 'mail.send': mail() }, actions: { step: () => 'ada@example.org' } });
    const wrong = draw(
      {
        a: { type: 'mail.send', data: { label: 'Tell Ada', sbject: 'x' } },
        b: { type: 'mail.send', data: { to: 7, copies: -1 } },
        c: { type: 'mail.send', data: { to: '=input.to', copies: '=1 + 1' } },
        d: { type: 'step' },
      },
      ['d->a:tto'],
    );
    const { problems, version } = await register(t, wrong);
    expect(version).toBeNull();
    expect(places(problems).filter((place) => !place.includes('UNREACHABLE'))).toEqual([
      'warning FIELD_NOT_IN_SCHEMA /nodes/0/data/sbject',
      'error FIELD_NOT_IN_SCHEMA /edges/0/targetHandle',
      'error INPUT_MISSING /nodes/0/data',
      'error INPUT_WRONG_KIND /nodes/1/data/to',
      'error INPUT_WRONG_KIND /nodes/1/data/copies',
    ]);
    const right = draw({ d: {}, a: { type: 'mail.send', data: { label: 'Tell Ada' } } }, ['d->a:to']);
    const run = await launch(t, right);
    expect(await run.result()).toMatchObject({ output: { a: { to: 'ada@example.org', subject: 'Hello' } } });
    expect((await run.result()).output).not.toHaveProperty('a.label');
  });

  test('[DR35][CT4] edges leave handles that the type has, listed or made from a setting', async () => {
    const choose = defineNodeType({
      inputs: { options: {} },
      handles: { from: 'options', key: 'name', also: ['none'] },
      run: () => ({ _branch: 'b' }),
    });
    const t = await host.open({ nodeTypes: { choose, 'mail.send': mail() }, actions: { step: () => 1 } });
    const data = { options: [{ name: 'a' }, { name: 'b' }] };
    const nodes = { c: { type: 'choose', data }, m: { type: 'mail.send', data: { to: 'x' } }, x: {}, y: {} };
    const { problems } = await register(t, draw(nodes, ['c:a->x', 'c:c->y', 'm:sent->x', 'm:snt->y', 'm:error->y']));
    expect(problems.filter(({ severity }) => severity === 'error').map(({ message }) => message)).toEqual([
      'Expected edge "c->y" to leave a handle of node "c" ("a", "b", "none"), but found "c"',
      'Expected edge "m->y" to leave a handle of node "m" ("sent", "bounced"), but found "snt"',
    ]);
    const run = await launch(t, draw({ c: nodes.c, x: {}, y: {} }, ['c:a->x', 'c:b->y', 'c:none->x']));
    expect(Object.keys((await run.result()).output as object)).toEqual(['c', 'y']);
  });

  test('[DR38] a handle that no edge leaves, beside others that have one, is told', async () => {
    const t = await host.open({ nodeTypes: { 'mail.send': mail() }, actions: { step: () => 1 } });
    const told = async (edges: readonly string[]) => {
      const nodes = {
        m: { type: 'mail.send', data: { to: 'x' } },
        i: { type: 'core.condition', data: { condition: 'true' } },
        x: {},
      };
      const found = await validate(t, draw(nodes, edges));
      return found.flatMap(({ code, message }) => (code === 'HANDLE_NOT_CONNECTED' ? [message.split(',')[0]] : []));
    };
    expect(await told(['m:sent->x', 'i:true->x'])).toEqual([
      'Expected an edge from handle "bounced" of node "m"',
      'Expected an edge from handle "false" of node "i"',
    ]);
    expect(await told(['m:error->x'])).toEqual([]);
  });

  test('[DR32][DR33][CT5] settings of an older version become those of the newest; newer ones are refused; what is deprecated is told', async () => {
    const nodeTypes: NodeTypes = {
      'mail.send': mail({
        version: 3,
        deprecated: 'use mail.post',
        migrations: { 1: { to: 'settings.address', address: null }, 2: { subject: '"Re: " + settings.subject' } },
      }),
    };
    const t = await host.open({ nodeTypes });
    const old = { address: '=input.who', subject: 'tea' };
    const node = (typeVersion: number | undefined, data: object) => ({
      type: 'mail.send',
      data: data as never, // JSON
      ...(typeVersion === undefined ? {} : { typeVersion }),
    });
    const graph = draw({ a: node(1, old), b: node(2, { to: 'b', subject: 'b' }), c: node(3, { to: 'c' }) }, []);
    const { problems } = await register(t, graph);
    expect(places(problems)).toEqual([
      'warning NODE_TYPE_DEPRECATED /nodes/0/type',
      'warning NODE_TYPE_OUTDATED /nodes/0/typeVersion',
      'warning NODE_TYPE_DEPRECATED /nodes/1/type',
      'warning NODE_TYPE_OUTDATED /nodes/1/typeVersion',
      'warning NODE_TYPE_DEPRECATED /nodes/2/type',
    ]);
    const run = await launch(t, graph, { who: 'ada' });
    expect((await run.result()).output).toEqual({
      a: { to: 'ada', subject: 'Re: tea' },
      b: { to: 'b', subject: 'Re: b' },
      c: { to: 'c', subject: 'Hello' },
    });
    // What the editor saved comes back as it was, to be migrated there.
    expect((await t.engine.definition('drawn')).definition).toEqual(expect.objectContaining({ nodes: graph.nodes }));
    const newer = await register(t, draw({ a: node(4, { to: 'x' }) }, []));
    expect(places(newer.problems)).toContain('error NODE_TYPE_NEWER /nodes/0/typeVersion');
  });

  test('[DR37] a group runs what is drawn in it as one step, and takes one of its handles', async () => {
    const step = ({ input }: { readonly input: { readonly fail?: boolean; readonly n?: number } }) => {
      if (input.fail) throw new Error('no');
      return (input.n ?? 0) + 1;
    };
    const t = await host.open({ actions: { step } });
    const graph = draw(
      {
        each: { type: 'core.foreach', data: { items: '=input.list' } },
        g: {
          type: 'core.group',
          parentId: 'each',
          data: { handle: '=item > 2 ? "big" : "small"', handles: ['big', 'small'] },
        },
        a: { parentId: 'g', data: { n: '=item' } },
        b: { parentId: 'g', data: { n: '=nodes.a', fail: '=item == 9' } },
        small: { parentId: 'each', data: { n: '=nodes.g' } },
        big: { parentId: 'each', data: { n: '=nodes.g * 100' } },
        failed: { parentId: 'each', type: 'core.merge' },
      },
      ['a->b', 'g:small->small', 'g:big->big', 'g:error->failed'],
    );
    const run = await launch(t, graph, { list: [1, 5, 9] });
    expect((await run.result()).output).toEqual({
      each: [
        { small: 4, big: null, failed: null },
        { small: null, big: 701, failed: null },
        { small: null, big: null, failed: { g: null } },
      ],
    });
  });
});

onEveryHost('how a version is drawn', (host) => {
  test('[DV10][DV1] moving a node makes no new version, and is not lost, also after a restart', async () => {
    const t = await host.open({ actions: { step: () => 1 } });
    const graph = draw({ a: {}, b: {} }, ['a->b']);
    const moved = { ...graph, nodes: graph.nodes.map((node) => ({ ...node, position: { x: 7, y: 9 } })) };
    expect(await register(t, graph)).toMatchObject({ version: 1, isNew: true });
    expect(await register(t, moved)).toMatchObject({ version: 1, isNew: false });
    const again = await host.restart(t, { actions: { step: () => 1 } });
    const { definition, version } = await again.engine.definition('drawn');
    expect([version, definition]).toEqual([1, { ...moved, version: 1 }]);
    // It comes back as it was given out.
    expect(await register(again, definition)).toMatchObject({ version: 1, isNew: false });
    expect(await register(again, graph)).toMatchObject({ version: 1, isNew: false });
    expect((await again.engine.definition('drawn')).definition).toEqual({ ...graph, version: 1 });
  });

  test('[DV10][DF44] so is the meta of every other definition, of its nodes and of its transitions', async () => {
    const t = await host.open();
    const at = (x: number) => ({
      id: 'placed',
      meta: { zoom: x },
      initialNode: 'a',
      nodes: [{ id: 'a', meta: { position: { x, y: 0 } } }, { id: 'b' }],
      transitions: [{ id: 'ab', from: 'a', to: 'b', meta: { bend: x } }],
    });
    expect(await register(t, at(1))).toMatchObject({ version: 1, isNew: true });
    expect(await register(t, at(2))).toMatchObject({ version: 1, isNew: false });
    const again = await host.restart(t);
    const { definition, hash } = await again.engine.definition('placed');
    expect(definition).toMatchObject(at(2));
    expect(await register(again, definition)).toMatchObject({ version: 1, hash, isNew: false });
    expect((await again.engine.definition('placed', 1)).definition).toEqual(definition);
  });
});

onEveryHost('node types that compile', (host) => {
  const vip = defineCompiledType({
    title: 'Is a VIP',
    inputs: { spent: { required: true }, least: { type: 'number', value: 1000 } },
    handles: ['yes', 'no'],
    sideEffects: false,
    compile: ({ expressionOf }) => ({
      type: 'core.condition',
      data: { condition: `${expressionOf('spent')} >= ${expressionOf('least')}` },
      handles: { yes: 'true', no: 'false' },
    }),
  });
  const approve = defineCompiledType({
    title: 'Approval',
    inputs: { title: { type: 'string', required: true }, amount: {} },
    handles: ['approved', 'rejected'],
    compile: ({ settings: { title, amount }, outputOf }) => ({
      nodes: [
        { id: 'ask', type: 'core.prompt', data: { title: title ?? '' } },
        { id: 'note', type: 'step', data: { ok: `=${outputOf('ask')}.ok`, amount: amount ?? null } },
      ],
      edges: [{ source: 'ask', target: 'note' }],
      output: outputOf('note'),
      handle: `${outputOf('ask')}.ok ? "approved" : "rejected"`,
    }),
  });
  const actions = { step: ({ input }: { readonly input: unknown }) => input as never }; // JSON

  host.testHere(
    '[DR36] become one node of another type, which keeps the name and the handles that were drawn',
    async () => {
      const t = await host.open({ nodeTypes: { vip }, actions });
      const graph = draw({ load: { data: { sum: 2000 } }, v: { type: 'vip', data: { label: 'VIP?' } }, a: {}, b: {} }, [
        'load->v:spent',
        'v:yes->a',
        'v:no->b',
      ]);
      // The output of `load` is an object: the edge brings all of it.
      const wrong = await validate(t, draw({ v: { type: 'vip' } }, []));
      expect(places(wrong)).toEqual(['error INPUT_MISSING /nodes/0/data']);
      const right = draw(
        { load: { data: { sum: 2000 } }, v: { type: 'vip', data: { spent: '=nodes.load.sum' } }, a: {}, b: {} },
        ['load->v', 'v:yes->a', 'v:no->b'],
      );
      const run = await launch(t, right);
      expect((await run.result()).output).toMatchObject({ v: true, a: {} });
      const events = [];
      for await (const event of run.events()) events.push(event);
      const journal = JSON.stringify(events);
      expect(journal).toContain('"node":"v"');
      expect((await t.engine.definition('drawn')).definition).toEqual(expect.objectContaining({ nodes: right.nodes }));
      expect(places(await validate(t, graph))).toEqual([]);
      // Its handles are those that were drawn, not those of what it becomes.
      const loose = await validate(t, { ...right, edges: right.edges.slice(0, 2) });
      expect(loose.map(({ message }) => message.split(',')[0])).toContain(
        'Expected an edge from handle "no" of node "v"',
      );
      expect(loose.filter(({ code }) => code === 'HANDLE_NOT_CONNECTED')).toHaveLength(1);
    },
  );

  host.testHere(
    '[DR36][DR31] become a group, which users see as the one node that they drew, also after a restart',
    async () => {
      const t = await host.open({ nodeTypes: { approve }, actions });
      const graph = draw({ load: {}, ok: { type: 'approve', data: { title: 'Pay?' } }, pay: {}, tell: {} }, [
        'load->ok:amount',
        'ok:approved->pay',
        'ok:rejected->tell',
      ]);
      const run = await launch(t, graph);
      const { definition } = await t.engine.definition('drawn');
      expect(definition).toEqual(expect.objectContaining({ nodes: graph.nodes, edges: graph.edges }));
      const unknown = await validate(t, {
        ...graph,
        edges: [{ source: 'load', target: 'ok', targetHandle: 'amuont' }],
      });
      expect(places(unknown)).toContain('error FIELD_NOT_IN_SCHEMA /edges/0/targetHandle');
      const [prompt] = await run.prompts();
      expect(prompt).toMatchObject({ title: 'Pay?', nodeId: 'ok/ask' });
      // The next process does not have the compiler: what it said is stored.
      const again = await host.restart(t, { actions });
      await again.engine.run(run.id).reply(prompt?.correlationId ?? '', { ok: false });
      await again.settle();
      const after = again.engine.run(run.id);
      expect((await after.result()).output).toMatchObject({ ok: { ok: false, amount: {} }, tell: {} });
      expect((await after.nodes()).map(({ nodeId, status }) => [nodeId, status])).toEqual([
        ['load', 'completed'],
        ['ok', 'completed'],
        ['pay', 'idle'],
        ['tell', 'completed'],
      ]);
      expect((await after.edges()).map(({ edgeId, taken }) => [edgeId, taken])).toEqual([
        ['e0', 1],
        ['e1', 0],
        ['e2', 1],
      ]);
    },
  );

  host.testHere('[DR36] the version is of what a graph compiles to', async () => {
    const type = (least: number) =>
      defineCompiledType({ compile: () => ({ type: 'core.condition', data: { condition: `${least} > 1` } }) });
    const graph = draw({ v: { type: 'v' }, a: {} }, ['v:true->a']);
    const first = await host.open({ nodeTypes: { v: type(1) }, actions });
    expect(await register(first, graph)).toMatchObject({ version: 1, isNew: true });
    expect(await register(first, graph)).toMatchObject({ version: 1, isNew: false });
    const second = await host.restart(first, { nodeTypes: { v: type(2) }, actions });
    expect(await register(second, graph)).toMatchObject({ version: 2, isNew: true });
    const run = await second.engine.start('drawn', {}, { version: 1 });
    expect((await run.result()).output).toEqual({ v: false });
  });

  host.testHere('[DR36] what is wrong with what they compile to is told at the node that was drawn', async () => {
    const nodeTypes: NodeTypes = {
      throws: defineCompiledType({
        compile: () => {
          throw new Error('not today');
        },
      }),
      empty: defineCompiledType({ compile: () => ({ nodes: [] }) }),
      other: defineCompiledType({ compile: () => ({ typ: 'step' }) as never }), // a mistake
      circle: defineCompiledType({ compile: () => ({ type: 'circle' }) }),
      wrong: defineCompiledType({ compile: () => ({ type: 'core.timer', data: { secs: 1 } }) }),
      inside: defineCompiledType({
        compile: () => ({
          nodes: [{ id: 'x', type: 'step', data: { y: '=nodes.nobody' } }],
          edges: [{ source: 'x', target: 'z' }],
        }),
      }),
    };
    const t = await host.open({ nodeTypes, actions });
    const found = async (type: string) =>
      places(await validate(t, draw({ a: {}, n: { type } }, ['a->n']))).filter((place) => place.startsWith('error'));
    expect(await found('throws')).toEqual(['error COMPILE_FAILED /nodes/1']);
    expect(await found('empty')).toEqual([expect.stringMatching(/^error \w+ \/nodes\/1$/)]);
    expect(await found('other')).toEqual(['error UNKNOWN_FIELD /nodes/1', 'error MISSING_FIELD /nodes/1']);
    expect(await found('circle')).toEqual(['error COMPILE_FAILED /nodes/1']);
    expect(new Set(await found('wrong'))).toEqual(
      new Set(['error UNKNOWN_FIELD /nodes/1', 'error MISSING_FIELD /nodes/1']),
    );
    expect(await found('inside')).toEqual(['error UNKNOWN_NODE /nodes/1', 'error EXPRESSION_UNKNOWN_NAME /nodes/1']);
  });
});
