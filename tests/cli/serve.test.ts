import { execFile, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import {
  command,
  echo,
  folderWith,
  heddle,
  holding,
  holdingActions,
  root,
  startHeddle,
  startServer,
} from './command.testsuite.ts';

/** What stands behind `npm start`, without the set-up that has been done. */
function startScript(): string[] {
  const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const [setup, serve = ''] = (scripts['start'] ?? '').split(' && ');
  expect(setup).toBe('node scripts/setup.mjs');
  const [node, main, ...words] = serve.split(' ');
  expect([node, main]).toEqual(['node', 'packages/heddle/dist/cli/main.js']);
  return words;
}

/** Slim containers have none; the line is then sent as it would send it. */
const hasCurl = spawnSync('curl', ['--version']).status === 0;

/** As it is pasted, with the command that was built in place of the one that is installed. */
async function paste(line: string): Promise<string> {
  const [, url = '', body = ''] = /^curl -s (\S+) .* -d '(.*)'$/.exec(line) ?? [];
  if (url !== '' && !hasCurl) return post(url, body);
  const script = line.replace(/^npx heddle/, `'${process.execPath}' '${command}'`);
  return (await promisify(execFile)('sh', ['-c', script], { cwd: root })).stdout;
}

async function post(url: string, body: string): Promise<string> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return response.text();
}

describe('heddle serve', () => {
  test('npm start serves the examples, and what it says to try next works; a signal ends it in good order', async () => {
    const store = path.join(folderWith(), 'heddle.db');
    const running = startHeddle([...startScript(), '--port', '0', '--store', store]);
    const [, url] = await running.finds(
      / at (http:\/\/127\.0\.0\.1:\d+): open it in a browser\. The API is described at \S+\/docs\n/,
    );
    const [, listed = ''] = await running.finds(/Workflows: (.+)\n/);
    expect(listed.split(', ')).toEqual(expect.arrayContaining(['greet v1', 'count-words v1', 'publish-article v1']));
    const [, lines = ''] = await running.finds(/Try next\n((?: {2}.+\n)+)\n/);
    const [curl = '', start = '', runs = '', ...others] = lines.trim().split(/\n */);
    expect(others).toEqual([]);
    expect(JSON.parse(await paste(curl))).toMatchObject({
      result: { status: 'completed', output: { text: 'HELLO, ADA!' } },
    });
    expect(await paste(start)).toBe('{"text":"HELLO, ADA!"}\n');
    expect((await paste(runs)).match(/greet v1 +completed/g)).toHaveLength(2);
    // Those with code have it.
    const count = { workflow: 'count-words', input: { lines: ['a b', 'c'] }, waitMs: 60_000 };
    const counted = await post(`${url}/v1/runs`, JSON.stringify(count));
    expect(JSON.parse(counted)).toMatchObject({ result: { status: 'completed' } });

    running.child.kill('SIGTERM');
    const { exitCode, stderr } = await running.ends();
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('Everything is stored.')]);
    expect((await heddle(['audit', '--store', store])).stdout).toMatch(/^clean: 3 runs, /);
  });

  test('what cannot be served is told in one sentence, and nothing is served', async () => {
    const cwd = folderWith({
      'echo.json': echo,
      'broken.json': { id: 'b', nodes: [], initialNode: 'x' },
      'notes.json': [1],
    });
    const { url } = await startServer(['serve', '--store', 'memory'], { cwd });
    for (const [args, sentence] of [
      [
        ['--definitions', '.'],
        'DEFINITION_INVALID: Expected valid definitions, but 1 of 2 is not; fix the problems above.',
      ],
      [['--definitions', 'nope'], 'FOLDER_UNREADABLE: Expected a folder nope, but there is none; check the path.'],
      [['--port', new URL(url).port], 'ADDRESS_UNAVAILABLE: Expected to listen on 127.0.0.1:'],
      [['--host', '0.0.0.0'], 'KEY_NEEDED: Expected an API key before serving on 0.0.0.0'],
      [['--actions', 'nope.mjs'], 'MODULE_FAILED: Expected a module with actions in nope.mjs, but'],
    ] as const) {
      const { exitCode, stdout, stderr, json } = await heddle(
        ['serve', '--store', 'memory', '--port', '0', ...args, '--json'],
        { cwd },
      );
      expect([exitCode, stderr, stdout.split('\n').length]).toEqual([
        2,
        expect.stringContaining(`heddle: ${sentence}`),
        2,
      ]);
      expect(json).toMatchObject({ error: { code: sentence.split(':')[0] } });
    }
  });

  test('[OP23] a store in a folder that is not there is refused, and nothing is made', async () => {
    const cwd = folderWith({ 'echo.json': echo });
    for (const words of [['serve'], ['dev', '.']]) {
      const { exitCode, stderr } = await heddle([...words, '--store', 'nope/deep/heddle.db', '--port', '0'], { cwd });
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('heddle: STORE_UNWRITABLE: Expected a folder')]);
      expect(stderr).toContain(
        `${path.join('nope', 'deep')} does not exist or is none. Create it, or name another path`,
      );
      expect(readdirSync(cwd)).toEqual(['echo.json']);
    }
  });

  test('what is under way when it is told to end may finish; told once more it leaves at once, and nothing is lost', async () => {
    const cwd = folderWith({ 'holding.json': holding, 'actions.mjs': holdingActions });
    const args = ['serve', '--store', 'h.db', '--definitions', '.', '--actions', 'actions.mjs'];
    const first = await startServer(args, { cwd });
    const { json } = await heddle(['start', 'holding', '--json', '--url', first.url], { cwd });
    const { runId } = json as { readonly runId: string };
    const watching = startHeddle(['watch', runId, '--url', first.url], { cwd });
    await watching.sees('hold            starts');
    watching.child.kill('SIGINT');
    const watched = await watching.ends();
    expect([watched.exitCode, watched.stderr]).toEqual([
      1,
      expect.stringContaining(
        `Stopped watching; the run continues. Watch it again with: npx heddle watch ${runId} --url ${first.url}`,
      ),
    ]);
    first.child.kill('SIGINT');
    await first.sees('Shutting down');
    first.child.kill('SIGINT');
    expect((await first.ends()).exitCode).toBe(1);

    const second = await startServer(args, { cwd, env: { GO: '1' } });
    const again = await heddle(['watch', runId, '--url', second.url, '--json'], { cwd });
    expect([again.exitCode, again.json]).toMatchObject([0, { runId, status: 'completed', output: { first: 1 } }]);
  });
});

test('[GD9] a server believes its proxy where it was told of one', async () => {
  const cookies: unknown[] = [];
  for (const more of [[], ['--behind-proxy']]) {
    const { url } = await startServer(['serve', '--store', 'memory', ...more], { cwd: folderWith() });
    const send = async (at: string, body: object): Promise<Response> =>
      fetch(`${url}${at}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-proto': 'https' },
        body: JSON.stringify(body),
      });
    const { key } = (await (await send('/v1/keys', { name: 'me', scopes: ['*'] })).json()) as { readonly key: string };
    cookies.push((await send('/v1/session', { key })).headers.get('set-cookie'));
  }
  expect(cookies).toEqual([expect.not.stringContaining('Secure'), expect.stringMatching(/; Secure$/)]);
});
