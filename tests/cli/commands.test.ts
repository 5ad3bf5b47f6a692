import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { echo, failing, folderWith, heddle } from './command.testsuite.ts';

const broken = {
  id: 'broken',
  initialNode: 'nowhere',
  nodes: [{ id: 'a', acton: 'core.echo' }],
  transitions: [{ from: 'a', to: 'a', condition: '1 +' }],
};

describe('heddle validate', () => {
  test('a valid definition ends with 0', async () => {
    const { exitCode, stdout } = await heddle(['validate', 'echo.json'], { cwd: folderWith({ 'echo.json': echo }) });
    expect([exitCode, stdout]).toEqual([0, 'echo.json: valid\n']);
  });

  test('all problems come at once, each with line, pointer, code and sentence', async () => {
    const cwd = folderWith({ 'broken.json': broken, 'echo.json': echo });
    const { exitCode, stdout } = await heddle(['validate', 'broken.json', 'echo.json'], { cwd });
    expect(exitCode).toBe(2);
    expect(stdout.split('\n').map((line) => line.split('  ').slice(0, 2).join(' '))).toEqual([
      'broken.json:7:/nodes/0/acton UNKNOWN_FIELD',
      'broken.json:3:/initialNode UNKNOWN_NODE',
      'broken.json:14:/transitions/0/condition EXPRESSION_SYNTAX',
      'broken.json:11:/transitions/0 warning UNBOUNDED_LOOP',
      'broken.json: 3 errors (1 warning)',
      'echo.json: valid',
      '',
    ]);
    expect(stdout).toContain('(Did you mean "action"?)');
  });

  test('--json gives the same to programs', async () => {
    const cwd = folderWith({ 'broken.json': broken, 'echo.json': echo });
    const { exitCode, json } = await heddle(['validate', 'echo.json', 'broken.json', '--json'], { cwd });
    expect(exitCode).toBe(2);
    expect(json).toMatchObject({
      valid: false,
      files: [
        { file: 'echo.json', valid: true, problems: [] },
        {
          file: 'broken.json',
          valid: false,
          problems: [{ code: 'UNKNOWN_FIELD', line: 7 }, {}, {}, { severity: 'warning' }],
        },
      ],
    });
  });

  test('what is no JSON is refused with its line, and a key twice with its pointer', async () => {
    const cwd = folderWith({ 'cut.json': '{\n  "id": "x",\n  oops\n}', 'twice.json': '{ "id": "x", "id": "y" }' });
    const { exitCode, stdout } = await heddle(['validate', 'cut.json', 'twice.json'], { cwd });
    expect(exitCode).toBe(2);
    expect(stdout).toContain(
      'cut.json:3  INVALID_JSON  Expected JSON text, but found "oops" at line 3, column 3  (Write it in double quotes.)',
    );
    expect(stdout).toContain('twice.json:/id  DUPLICATE_KEY');
  });

  test('a file that is not there, and no file at all', async () => {
    const cwd = folderWith({ 'broken.json': broken, 'echo.json': echo });
    const { exitCode, stdout, stderr } = await heddle(['validate', 'broken.json', 'nope.json', 'echo.json'], { cwd });
    expect([exitCode, stderr]).toEqual([2, '']);
    expect(stdout.split('\n').slice(4)).toEqual([
      'broken.json: 3 errors (1 warning)',
      'nope.json  FILE_UNREADABLE  Expected to read nope.json, but there is no such file; check the path.',
      'nope.json: 1 error',
      'echo.json: valid',
      '',
    ]);
    expect((await heddle(['validate'])).exitCode).toBe(2);
  });

  test('a module may hold the definition, built or plain', async () => {
    const cwd = folderWith({
      'plain.mjs': `export default ${JSON.stringify(echo)}`,
      'built.mjs': `export const only = { build: () => (${JSON.stringify(broken)}) }`,
      'empty.mjs': 'export const x = 1;',
    });
    expect((await heddle(['validate', 'plain.mjs'], { cwd })).exitCode).toBe(0);
    const built = await heddle(['validate', 'built.mjs'], { cwd });
    expect([built.exitCode, built.stdout.split('\n')[0]]).toEqual([
      2,
      expect.stringContaining('built.mjs:/nodes/0/acton  UNKNOWN_FIELD') as string,
    ]);
    expect((await heddle(['validate', 'empty.mjs'], { cwd })).stdout).toContain(
      'MODULE_FAILED  Expected empty.mjs to export',
    );
  });
});

describe('heddle run', () => {
  test('the output goes to standard output, the progress beside it', async () => {
    const cwd = folderWith({ 'echo.json': echo });
    const { exitCode, stdout, stderr } = await heddle(['run', 'echo.json', '--input', '{"n": 4}'], { cwd });
    expect([exitCode, stdout]).toEqual([0, '{"n":4}\n']);
    expect(stderr).toMatch(/ s {2}echo +started, version 1, run [0-9A-Z]{26}\n.* s {2}say +starts\n/);
    expect(stderr).toMatch(/echo +completed in \d+ ms\n$/);
  });

  test('--json: the last line is run id, status, output and error; nothing else is printed with --quiet', async () => {
    const cwd = folderWith({ 'echo.json': echo });
    const { stdout, stderr, json } = await heddle(['run', 'echo.json', '--input', '{"n": 4}', '--json', '--quiet'], {
      cwd,
    });
    expect(json).toEqual({
      runId: expect.stringMatching(/^[0-9A-Z]{26}$/) as string,
      status: 'completed',
      output: { n: 4 },
      error: null,
    });
    expect(Object.keys(json as object)).toEqual(['runId', 'status', 'output', 'error']);
    expect([stdout.split('\n').length, stderr]).toEqual([2, '']);
  });

  test('a run that fails ends with 1 and says why', async () => {
    const cwd = folderWith({ 'failing.json': failing });
    const { exitCode, stdout, stderr } = await heddle(['run', 'failing.json', '--quiet'], { cwd });
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^failed: run [0-9A-Z]{26} did not complete: BROKEN: It broke\n$/);
    const { exitCode: again, json } = await heddle(['run', 'failing.json', '--json'], { cwd });
    expect(again).toBe(1);
    expect(json).toMatchObject({
      status: 'failed',
      output: null,
      error: { code: 'BROKEN', message: 'It broke', nodeId: 'break' },
    });
  });

  test('the input comes from a file or a pipe too', async () => {
    const cwd = folderWith({ 'echo.json': echo, 'in.json': { n: 7 } });
    const fromFile = await heddle(['run', 'echo.json', '--input', '@in.json', '--json'], { cwd });
    expect(fromFile.json).toMatchObject({ output: { n: 7 } });
    const piped = await heddle(['run', 'echo.json', '--input', '@-', '--json'], { cwd, stdin: '{"n": 8}' });
    expect(piped.json).toMatchObject({ output: { n: 8 } });
  });

  test('actions come from a module, as functions or objects, by name or as the default', async () => {
    const definition = {
      id: 'mine',
      initialNode: 'a',
      nodes: ['one', 'two', 'three'].map((action, index) => ({
        id: 'abc'[index],
        action,
        outputMapping: { [`output.${action}`]: 'result.is' },
      })),
      transitions: [
        { from: 'a', to: 'b' },
        { from: 'b', to: 'c' },
      ],
    };
    const actions = `
      export const one = () => ({ is: 1 });
      export const two = { timeoutMs: 1000, run: async () => ({ is: 2 }) };
      export default { three: ({ nodeId }) => ({ is: nodeId }) };
      export const notAnAction = 5;`;
    const cwd = folderWith({ 'mine.json': definition, 'actions.mjs': actions });
    const { exitCode, json } = await heddle(['run', 'mine.json', '--actions', 'actions.mjs', '--json'], { cwd });
    expect([exitCode, json]).toMatchObject([0, { output: { one: 1, two: 2, three: 'c' } }]);
  });

  test('sub-workflows are registered first', async () => {
    const caller = {
      id: 'caller',
      initialNode: 'call',
      nodes: [
        { id: 'call', workflow: 'echo', inputMapping: { n: 'input.n' }, outputMapping: { 'output.n': 'result.n' } },
      ],
    };
    const cwd = folderWith({ 'caller.json': caller, 'echo.json': echo });
    const args = ['run', 'caller.json', '--register', 'echo.json', '--input', '{"n": 3}', '--json'];
    const { json, stderr } = await heddle(args, { cwd });
    expect(json).toMatchObject({ status: 'completed', output: { n: 3 } });
    expect(stderr).toMatch(/call +calls echo, run /);
    expect(stderr).toMatch(/say +starts/);
  });
});

describe('what heddle run refuses, with 2 and one sentence', () => {
  test.each([
    [
      'a file that is not there',
      ['nope.json'],
      'FILE_UNREADABLE: Expected to read nope.json, but there is no such file',
    ],
    ['an input that is no JSON', ['echo.json', '--input', '{n: 4}'], 'INPUT_INVALID: In --input: Expected JSON text'],
    ['an input that does not fit', ['echo.json', '--input', '{"n": "x"}'], 'INPUT_INVALID: '],
    [
      'an action that nobody has',
      ['needy.json'],
      'ACTION_NOT_FOUND: Expected an action named "score" for needy.json, but there is none; pass the module that has it with --actions MODULE.',
    ],
    [
      'a workflow that nobody has',
      ['caller.json'],
      'WORKFLOW_NOT_FOUND: Expected a workflow named "other" for caller.json, but there is none; pass its definition with --register FILE.',
    ],
    [
      'a module that is not there',
      ['echo.json', '--actions', 'nope.mjs'],
      'MODULE_FAILED: Expected a module with actions in nope.mjs, but',
    ],
    [
      'a module without actions',
      ['echo.json', '--actions', 'empty.mjs'],
      'NO_ACTIONS: Expected empty.mjs to export actions',
    ],
    ['an action that is none', ['echo.json', '--actions', 'wrong.mjs'], 'INVALID_ACTIONS: '],
  ])('%s', async (_, args, sentence) => {
    const needy = { id: 'needy', initialNode: 'a', nodes: [{ id: 'a', action: 'score' }] };
    const cwd = folderWith({
      'echo.json': echo,
      'needy.json': needy,
      'caller.json': { id: 'caller', initialNode: 'a', nodes: [{ id: 'a', workflow: 'other' }] },
      'empty.mjs': 'export const x = 1;',
      'wrong.mjs': 'export const x = { run: () => 1, timeoutMs: "soon" };',
    });
    const { exitCode, stdout, stderr, json } = await heddle(['run', ...args, '--json'], { cwd });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`heddle: ${sentence}`);
    expect(stdout.split('\n')).toHaveLength(2);
    expect(json).toMatchObject({ runId: null, status: null, output: null, error: { code: sentence.split(':')[0] } });
  });

  test('an invalid definition: all problems, nothing stored', async () => {
    const cwd = folderWith({ 'broken.json': broken });
    const { exitCode, stderr, json } = await heddle(['run', 'broken.json', '--store', 'x.db', '--json'], { cwd });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('broken.json:7:/nodes/0/acton  UNKNOWN_FIELD');
    expect(json).toMatchObject({ runId: null, error: { code: 'DEFINITION_INVALID', details: [{}, {}, {}] } });
    expect(() => readFileSync(path.join(cwd, 'x.db'))).toThrow('ENOENT');
  });

  test('a command line that makes no sense', async () => {
    for (const args of [
      ['nope'],
      ['help', 'nope'],
      ['run'],
      ['run', 'a.json', '--nope'],
      ['run', 'a.json', '--tag', 'x'],
      ['runs', '--limit', '0'],
    ]) {
      const { exitCode, stderr } = await heddle(args);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('Type heddle --help')]);
    }
  });

  test('help and version end with 0', async () => {
    expect((await heddle(['--help'])).exitCode).toBe(0);
    expect((await heddle(['help'])).stdout).toContain('validate');
    expect((await heddle(['help', 'run'])).stdout).toContain('--register');
    const { exitCode, stdout } = await heddle(['--version']);
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
  });
});
