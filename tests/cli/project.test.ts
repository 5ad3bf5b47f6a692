import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { command, echo, folderWith, heddle, root, startServer } from './command.testsuite.ts';

const execute = promisify(execFile);

describe('heddle init and dev', () => {
  test('a new project has a test that passes; dev serves it, and takes in what is changed', async () => {
    const cwd = folderWith();
    const folder = path.join(cwd, 'hello');
    const made = await heddle(['init', 'hello'], { cwd });
    expect([made.exitCode, made.stdout]).toEqual([
      0,
      expect.stringMatching(/^hello is ready: package\.json, hello\.json, /),
    ]);
    expect((await heddle(['init', 'hello'], { cwd })).stderr).toMatch(/^heddle: FOLDER_NOT_EMPTY: .* name another: /);
    mkdirSync(path.join(folder, 'node_modules'));
    symlinkSync(path.join(root, 'packages/heddle'), path.join(folder, 'node_modules/heddle'));
    // As in a terminal: a run of node:test in another sees from this that it is not its own.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { stdout } = await execute('npm', ['test'], { cwd: folder, env, shell: process.platform === 'win32' });
    expect(stdout).toMatch(/pass 1\n/);

    const dev = await startServer(['dev', 'hello'], { cwd });
    await dev.sees('Watching hello: 1 workflow, 1 action.');
    const start = ['start', 'hello', '--input', '{"name": "Ada"}', '--wait', '--json', '--quiet', '--url', dev.url];
    const greeting = async () => (await heddle(start, { cwd })).json;
    expect(await greeting()).toMatchObject({ status: 'completed', output: { text: 'Hello, Ada!' } });

    const change = (file: string, text: (before: string) => string) =>
      writeFileSync(path.join(folder, file), text(readFileSync(path.join(folder, file), 'utf8')));
    change('hello.json', (before) => before.replace('"initialNode": "greet"', '"initialNode": "gret"'));
    await dev.finds(
      /hello\.json:\d+:\/initialNode {2}UNKNOWN_NODE .*\n.*hello\.json: nothing changed; the registered version stays in use\n/,
    );
    change('hello.json', (before) =>
      before.replace('"initialNode": "gret"', '"initialNode": "greet"').replace('200', '100'),
    );
    await dev.sees('hello.json: hello v2 registered');

    change('actions.mjs', (before) => `import { word } from './word.mjs';\n${before.replace('Hello,', '${word},')}`);
    await dev.finds(/MODULE_FAILED: .*word\.mjs.* The loaded actions stay in use\.\n/);
    expect(await greeting()).toMatchObject({ output: { text: 'Hello, Ada!' } });
    writeFileSync(path.join(folder, 'word.mjs'), `export const word = 'Hi';`);
    await dev.sees('1 action reloaded; runs continue');
    expect(await greeting()).toMatchObject({ status: 'completed', output: { text: 'Hi, Ada!' } });
    // What a module of the project imports is loaded anew too.
    writeFileSync(path.join(folder, 'word.mjs'), `export const word = 'Good day';`);
    await dev.finds(/reloaded[^]*reloaded/);
    expect(await greeting()).toMatchObject({ output: { text: 'Good day, Ada!' } });

    dev.child.kill('SIGINT');
    expect((await dev.ends()).exitCode).toBe(0);
    const { json } = await heddle(['runs', '--store', 'hello/.heddle/dev.db', '--json'], { cwd });
    expect(json).toMatchObject([{ version: 2 }, { version: 2 }, { version: 2 }, { version: 1 }]);
  });

  test('definitions are told from other files, also in folders inside; an action that nobody has is told', async () => {
    const needy = { id: 'needy', initialNode: 'a', nodes: [{ id: 'a', action: 'scoer' }] };
    const cwd = folderWith({
      'package.json': { name: 'x' },
      'data.json': { nodes: 7 },
      'list.json': [1, 2],
      'needy.json': needy,
      'actions.mjs': 'export const score = () => ({});',
      'program.mjs': 'throw new Error("not to be loaded");',
      'built.workflow.mjs': `export default ${JSON.stringify({ ...echo, id: 'built' })};`,
    });
    mkdirSync(path.join(cwd, 'inside'));
    writeFileSync(path.join(cwd, 'inside/echo.json'), JSON.stringify(echo));
    const dev = await startServer(['dev', '.', '--store', 'memory'], { cwd });
    const [, listed] = await dev.finds(/"workflows":(\[.*\])/);
    expect(JSON.parse(listed ?? '')).toEqual([
      { id: 'built', version: 1 },
      { id: 'echo', version: 1 },
      { id: 'needy', version: 1 },
    ]);
    await dev.sees('the action "scoer" is not available here; its tasks wait for a worker. Did you mean "score"?');
  });
});

describe('heddle completion', () => {
  const complete = async (...words: string[]): Promise<string[]> => {
    const script = `source <("$0" "$1" completion bash); shift; COMP_WORDS=(heddle "\${@:2}"); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _heddle; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await execute('bash', ['-c', script, process.execPath, command, '--', ...words]);
    return stdout.trim().split('\n');
  };

  test('bash completes commands, options and values', async () => {
    expect(
      await Promise.all([
        complete('val'),
        complete('keys', ''),
        complete('keys', 'create', '--t'),
        complete('serve', '--log-level', 'e'),
        complete('show', 'last', '--ev'),
      ]),
    ).toEqual([['validate'], ['create', 'list', 'rotate', 'revoke', '--help'], ['--tenant'], ['error'], ['--events']]);
  });

  test.each([
    ['zsh', ['#compdef heddle', "'keys create') words='--store"]],
    [
      'fish',
      [
        `-n '__fish_use_subcommand' -a serve -d`,
        `__fish_seen_subcommand_from keys; and __fish_seen_subcommand_from create' -l scope -xa 'definition:read `,
      ],
    ],
  ])('%s has them too', async (shell, parts) => {
    const { exitCode, stdout } = await heddle(['completion', shell]);
    expect(exitCode).toBe(0);
    for (const part of parts) expect(stdout).toContain(part);
  });
});
