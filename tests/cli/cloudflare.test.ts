// A new project for Cloudflare, as its user has it, but with the packages of this repository: its test passes, it compiles, and
// its development server serves the API and the web app, and goes on with a run that was under way when it was killed.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { Client } from '../../packages/heddle/src/client/client.ts';
import { Transport } from '../../packages/heddle/src/client/transport.ts';
import { compile } from '../project.testsuite.ts';
import { folderWith, heddle, root } from './command.testsuite.ts';

/** As npm would install it. */
async function makeProject(): Promise<string> {
  const cwd = folderWith();
  const { exitCode, stdout } = await heddle(['init', 'hello', '--cloudflare'], { cwd });
  expect([exitCode, stdout]).toEqual([
    0,
    expect.stringMatching(/^hello is ready: package\.json, wrangler\.jsonc, .*npm run dev$/ms),
  ]);
  const folder = path.join(cwd, 'hello');
  const modules = path.join(folder, 'node_modules');
  mkdirSync(path.join(modules, '.bin'), { recursive: true });
  symlinkSync(path.join(root, 'packages/heddle'), path.join(modules, 'heddle'), 'junction');
  symlinkSync(path.join(root, 'node_modules/wrangler'), path.join(modules, 'wrangler'), 'junction');
  symlinkSync(path.join(modules, 'wrangler/bin/wrangler.js'), path.join(modules, '.bin/wrangler'));
  return folder;
}

/** As in a terminal: not within a run of another test, and with what wrangler keeps for its user in the folder. */
function environmentIn(folder: string): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _, HEDDLE_KEY: __, ...env } = process.env;
  return { ...env, HOME: folder, XDG_CONFIG_HOME: path.join(folder, '.config') };
}

interface DevServer {
  readonly url: string;
  /** It, and the runtime that it has started. */
  kill(): Promise<void>;
}

/** `npm run dev`, on ports that are free. */
async function startDev(folder: string): Promise<DevServer> {
  const args = ['run', 'dev', '--', '--port', '0', '--inspector-port', '0'];
  const child = spawn('npm', args, { cwd: folder, env: environmentIn(folder), detached: true });
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close');
    process.kill(-Number(child.pid), 'SIGKILL');
    await closed;
  };
  onTestFinished(kill);
  return { url: await readyUrl(child), kill };
}

function readyUrl(child: ChildProcess): Promise<string> {
  let told = '';
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      told += chunk.toString();
      const [, url] = /Ready on (http:\/\/\S+)/.exec(told) ?? [];
      if (url !== undefined) resolve(url);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.on('error', reject);
    child.on('close', () => reject(new Error(`Expected the server to be ready, but it ended with:\n${told}`)));
  });
}

// Groups of processes are not killed so elsewhere.
test.skipIf(process.platform === 'win32')(
  'heddle init --cloudflare: tested, compiled, served, killed and served again',
  async () => {
    const folder = await makeProject();
    const { stdout } = await promisify(execFile)('npm', ['test'], { cwd: folder, env: environmentIn(folder) });
    expect(stdout).toMatch(/pass 2\n/);
    expect(stdout).not.toMatch(/wrangler:(warn|error)|WARNING/);
    expect(await compile({ folder })).toEqual([]);

    const dev = await startDev(folder);
    const page = await fetch(dev.url, { headers: { accept: 'text/html' } });
    expect([page.status, page.headers.get('content-security-policy')]).toEqual([
      200,
      expect.stringContaining("script-src 'self'"),
    ]);
    const [, script = ''] = /<script [^>]*src="([^"]+)"/.exec(await page.text()) ?? [];
    const code = await fetch(new URL(script, dev.url));
    expect([code.status, code.headers.get('content-type')]).toEqual([200, expect.stringContaining('javascript')]);
    expect((await fetch(new URL('/v1/runs', dev.url))).status).toBe(401);
    const asked = ['--url', dev.url, '--key', 'dev-key', '--json'];
    const greeted = await heddle(['start', 'hello', '--input', '{"name": "Ada"}', '--wait', '--quiet', ...asked]);
    expect(greeted.json).toMatchObject({ status: 'completed', output: { text: 'Hello, Ada!' } });
    expect((await fetch(new URL('/__scheduled', dev.url))).status).toBe(200);
    const { id } = await clientOf(dev).start('hello', { name: 'Bob', restSeconds: 2 });
    await dev.kill();

    const again = await startDev(folder);
    expect(await clientOf(again).run(id).result()).toMatchObject({
      status: 'completed',
      output: { text: 'Hello, Bob!' },
    });
    expect(await clientOf(again).audit()).toMatchObject({ runs: 2, problems: [] });
  },
);

const clientOf = ({ url }: DevServer): Client => new Client(new Transport({ url, key: 'dev-key' }));
