import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { echo, folderWith, heddle, root } from './command.testsuite.ts';

const library = pathToFileURL(path.join(root, 'packages/heddle/dist/index.js')).href;

/** A graph as React Flow saves it: no name, no dialect, and how it is drawn. */
const drawing = {
  nodes: [
    { id: 'a', type: 'number', position: { x: 0, y: 0 }, data: { inputs: { value: 3 } } },
    { id: 'b', type: 'number', position: { x: 0, y: 90 }, data: { inputs: { value: 4 } } },
    { id: 'both', type: 'sum', position: { x: 200, y: 40 }, data: {} },
  ],
  edges: [
    { id: 'e1', source: 'a', target: 'both', sourceHandle: null, targetHandle: null },
    { id: 'e2', source: 'b', target: 'both', sourceHandle: null, targetHandle: null },
  ],
  viewport: { x: 0, y: 0, zoom: 1 },
};

const walk = {
  dialect: 'handle',
  id: 'walk',
  nodes: [
    { id: 'in', type: 'MANUAL_TRIGGER' },
    { id: 'old', type: 'IF_ELSE', data: { condition: { field: 'age', operator: 'greater_than', value: 17 } } },
    { id: 'mark', type: 'SET_FIELDS', data: { fields: { adult: true } } },
  ],
  connections: [
    { fromNodeId: 'in', toNodeId: 'old' },
    { fromNodeId: 'old', fromOutput: 'true', toNodeId: 'mark' },
  ],
};

const thread = {
  dialect: 'thread',
  id: 'caller',
  nodes: [
    { id: 'start', type: 'start' },
    { id: 'call', type: 'gosub', workflow: 'echo' },
    { id: 'score', type: 'action', action: { name: 'score' } },
    { id: 'end', type: 'end', mappings: [{ to: 'score', from: 'output.score' }] },
  ],
  connectors: [
    { from: 'start', to: 'call' },
    { from: 'call', to: 'score' },
    { from: 'score', to: 'end' },
  ],
};

describe('heddle convert', () => {
  test('shows what a dialect compiles to, with its policy; --json on one line', async () => {
    const cwd = folderWith({ 'walk.json': walk });
    const { exitCode, stdout, stderr } = await heddle(['convert', 'walk.json', '--to', 'token'], { cwd });
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout.split('\n').slice(0, 3)).toEqual(['{', '  "id": "walk",', '  "initialNode": "(start)",']);
    expect(JSON.parse(stdout)).toMatchObject({
      policy: { dialect: 'handle', oneAtATime: true },
      nodes: [{ id: '(start)' }, { id: 'in', action: 'MANUAL_TRIGGER' }, { id: 'old' }, { id: 'mark' }],
      transitions: [
        { from: '(start)', to: 'in' },
        { from: 'in', to: 'old' },
        { from: 'old', to: 'mark' },
      ],
    });
    const onOneLine = await heddle(['convert', 'walk.json', '--json'], { cwd });
    expect([onOneLine.stdout.split('\n').length, onOneLine.json]).toEqual([2, JSON.parse(stdout)]);
  });

  test('a token definition is shown in its normal form, which is a definition too', async () => {
    const old = {
      id: 'old',
      initial_node: 'a',
      nodes: [{ id: 'a', fan_out: 'first_match' }, { id: 'b' }, { id: 'c' }],
    };
    const transitions = ['b', 'c'].map((to) => ({ from: 'a', to }));
    const cwd = folderWith({ 'old.json': { ...old, transitions } });
    const { exitCode, json, stdout } = await heddle(['convert', 'old.json', '--json'], { cwd });
    expect(exitCode).toBe(0);
    expect(Object.keys(json as object).toSorted()).toEqual(['id', 'initialNode', 'nodes', 'transitions']);
    const again = folderWith({ 'new.json': stdout });
    expect((await heddle(['validate', 'new.json'], { cwd: again })).stdout).toBe('new.json: valid\n');
    expect((await heddle(['convert', 'new.json', '--json'], { cwd: again })).json).toEqual(json);
  });

  test('the ports of node types count, and those that come with Heddle are known', async () => {
    const cwd = folderWith({ 'drawing.json': drawing });
    const { json } = await heddle(['convert', 'drawing.json', '--dialect', 'dataflow', '--json'], { cwd });
    const list = [{ path: ['nodes', 'a', 'value'] }, { path: ['nodes', 'b', 'value'] }];
    expect(json).toMatchObject({
      id: 'drawing',
      nodes: [{}, {}, {}, { id: 'both', action: 'sum', inputEdits: [{ set: ['values'], to: { list } }] }],
    });
  });

  test('what is wrong is said as validate does, into the file itself, and nothing is shown', async () => {
    const connections = [{ fromNodeId: 'in', toNodeId: 'nowhere' }];
    const cwd = folderWith({ 'wrong.json': { ...walk, connections } });
    const { exitCode, stdout, stderr } = await heddle(['convert', 'wrong.json'], { cwd });
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^wrong\.json:\d+:\/connections\/0\/toNodeId {2}UNKNOWN_NODE {2}Expected /);
    expect(stderr).toContain('\nExpected a valid definition, but found 1 error; nothing was converted.\n');
    const { json } = await heddle(['convert', 'wrong.json', '--json'], { cwd });
    expect(json).toMatchObject({ error: { code: 'DEFINITION_INVALID', details: [{ code: 'UNKNOWN_NODE' }] } });
  });

  test('there is no other target', async () => {
    const { exitCode, stderr } = await heddle(['convert', 'x.json', '--to', 'handle']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('Allowed choices are token.')]);
  });
});

describe('graphs as editors save them', () => {
  test('--dialect says how to read one; its name is that of its file', async () => {
    const cwd = folderWith({ 'My sums (1).json': drawing });
    const args = ['My sums (1).json', '--dialect', 'dataflow'];
    expect((await heddle(['validate', ...args], { cwd })).stdout).toBe('My sums (1).json: valid\n');
    const { exitCode, json, stderr } = await heddle(['run', ...args, '--json'], { cwd });
    const output = { a: { value: 3 }, b: { value: 4 }, both: { result: 7 } };
    expect([exitCode, json]).toMatchObject([0, { status: 'completed', output }]);
    expect(stderr).toMatch(/My-sums-1 +started, version 1/);
  });

  test('without it React Flow is a drawn graph, of others both ways are named; what says itself how to read it stays so', async () => {
    const plain = { nodes: [{ id: 'a', type: 'number' }], edges: [] };
    const cwd = folderWith({ 'drawing.json': drawing, 'plain.json': plain, 'walk.json': walk, 'echo.json': echo });
    const drawn = await heddle(['validate', 'drawing.json'], { cwd });
    // Its values stand where a dataflow has them: as a drawn graph it lacks them.
    expect(drawn.exitCode).toBe(2);
    expect(drawn.stdout).toContain(
      'INPUT_MISSING  Expected "value" in the settings of node "a", since the input schema of',
    );
    const asked = await heddle(['validate', 'plain.json'], { cwd });
    expect(asked.exitCode).toBe(2);
    expect(asked.stdout).toContain('plain.json:1  DIALECT_MISSING  Expected "dialect" beside "edges", but');
    expect(asked.stdout).toContain('Or pass --dialect.)');
    const told = await heddle(['validate', 'walk.json', 'echo.json', '--dialect', 'dataflow'], { cwd });
    expect([told.exitCode, told.stdout]).toEqual([0, 'walk.json: valid\necho.json: valid\n']);
    const wrong = await heddle(['run', 'drawing.json', '--dialect', 'thread'], { cwd });
    expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining('choices are dataflow, handle.')]);
  });
});

describe('what runs the nodes', () => {
  test('the example executors are there, and make way for those of the module', async () => {
    const actions = `
      export const executors = {
        SET_FIELDS: ({ data, context }) => ({ ...context, mine: Object.keys(data.fields) }),
      };`;
    const cwd = folderWith({ 'walk.json': walk, 'actions.mjs': actions });
    const args = ['run', 'walk.json', '--input', '{"age": 20}', '--json'];
    expect((await heddle(args, { cwd })).json).toMatchObject({ output: { age: 20, adult: true } });
    const own = await heddle([...args, '--actions', 'actions.mjs'], { cwd });
    expect(own.json).toMatchObject({ output: { age: 20, mine: ['adult'] } });
    const child = await heddle(['run', 'walk.json', '--input', '{"age": 2}'], { cwd });
    expect([child.exitCode, child.stdout]).toEqual([0, '{"age":2}\n']);
    expect(child.stderr).toMatch(/old +took the handle "false", which leads nowhere/);
  });

  test('node types come by name, as a set or as a list; their ports are checked', async () => {
    const nodeType = `defineNodeType({ name: 'third', inputs: { x: { type: 'number' } }, outputs: { y: { type: 'number' } },
      run: ({ inputs }) => ({ y: inputs.x + 1 }) })`;
    const actions = `
      import { defineNodeType } from ${JSON.stringify(library)};
      export const first = ${nodeType};
      export const nodeTypes = { second: ${nodeType} };
      export default [${nodeType}];`;
    const types = ['first', 'second', 'third'];
    const graph = {
      dialect: 'dataflow',
      id: 'chain',
      nodes: types.map((type, index) => ({ id: type, type, ...(index === 0 ? { inputs: { x: 1 } } : {}) })),
      edges: [
        { source: 'first', target: 'second' },
        { source: 'second', target: 'third' },
      ],
    };
    const wrong = { ...graph, edges: [{ source: 'first', sourceOutput: 'z', target: 'second' }] };
    const cwd = folderWith({ 'chain.json': graph, 'wrong.json': wrong, 'actions.mjs': actions });
    const { exitCode, json } = await heddle(['run', 'chain.json', '--actions', 'actions.mjs', '--json'], { cwd });
    expect([exitCode, json]).toMatchObject([0, { output: { first: { y: 2 }, second: { y: 3 }, third: { y: 4 } } }]);
    const checked = await heddle(['validate', 'wrong.json', '--actions', 'actions.mjs'], { cwd });
    expect(checked.stdout).toMatch(/^wrong\.json:\d+:\/edges\/0\/sourceOutput {2}UNKNOWN_PORT {2}Expected /);
  });

  test('a name that is given in two forms, and an executor that is none, are refused', async () => {
    const cwd = folderWith({
      'walk.json': walk,
      'twice.mjs': 'export function SEND() {} export const executors = { SEND: () => ({}) };',
      'wrong.mjs': 'export const executors = { SEND: 5 };',
    });
    for (const module of ['twice.mjs', 'wrong.mjs']) {
      const { exitCode, stderr } = await heddle(['run', 'walk.json', '--actions', module], { cwd });
      expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/^heddle: INVALID_ACTIONS: \/SEND: Expected /)]);
    }
  });

  test('threads: actions and the workflows of gosub nodes are looked for before anything is started', async () => {
    const actions = 'export const score = ({ input }) => ({ score: input.n * 10 });';
    const cwd = folderWith({ 'caller.json': thread, 'echo.json': echo, 'actions.mjs': actions });
    const refused = async (...args: string[]) => {
      const { exitCode, stderr, json } = await heddle(['run', 'caller.json', ...args, '--json'], { cwd });
      expect([exitCode, json]).toMatchObject([2, { runId: null, status: null }]);
      return stderr;
    };
    expect(await refused()).toBe(
      'heddle: ACTION_NOT_FOUND: Expected an action named "score" for caller.json, but there is none; pass the module that has it with --actions MODULE.\n',
    );
    expect(await refused('--actions', 'actions.mjs')).toBe(
      'heddle: WORKFLOW_NOT_FOUND: Expected a workflow named "echo" for caller.json, but there is none; pass its definition with --register FILE.\n',
    );
    const args = ['--actions', 'actions.mjs', '--register', 'echo.json', '--input', '{"n": 4}', '--quiet'];
    const { exitCode, stdout } = await heddle(['run', 'caller.json', ...args], { cwd });
    expect([exitCode, stdout]).toEqual([0, '{"score":40}\n']);
  });

  test('an executor that nobody has stops the command; a name that is nearly right is guessed', async () => {
    const nodes = [{ id: 'in', type: 'MANUAL_TRIGER' }];
    const cwd = folderWith({ 'walk.json': { ...walk, nodes, connections: [] } });
    const { exitCode, stderr } = await heddle(['run', 'walk.json', '--store', 'x.db'], { cwd });
    expect([exitCode, stderr]).toEqual([
      2,
      'heddle: ACTION_NOT_FOUND: Expected an action named "MANUAL_TRIGER" for walk.json, but there is none; did you mean "MANUAL_TRIGGER"? If not, pass the module that has it with --actions MODULE.\n',
    ]);
    expect((await heddle(['runs', '--store', 'x.db'], { cwd })).stderr).toContain('STORE_MISSING');
  });

  test('a node type that nobody has fails its node, and the rest of the dataflow goes on', async () => {
    const nodes = [...drawing.nodes, { id: 'odd', type: 'mystery' }];
    const cwd = folderWith({ 'drawing.json': { ...drawing, nodes, dialect: 'dataflow' } });
    const { exitCode, stderr, json } = await heddle(['run', 'drawing.json', '--json'], { cwd });
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      'Expected a node type named "mystery" for drawing.json, but there is none: its nodes will fail; pass the module that has it with --actions MODULE.\n',
    );
    expect(stderr).toMatch(/both +done in/);
    expect(stderr).toMatch(/odd +failed: ACTION_NOT_FOUND: Expected a node type named "mystery", but there is none\n/);
    expect(json).toMatchObject({ status: 'failed', error: { code: 'NODES_FAILED' } });
    const quiet = await heddle(['run', 'drawing.json', '--quiet'], { cwd });
    expect(quiet.stderr.split('\n')).toHaveLength(2);
  });
});
