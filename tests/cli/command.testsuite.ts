// The command `heddle` as users have it: the built file, in a process of its own.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
export const command = path.join(root, 'packages/heddle/dist/cli/main.js');

export interface Outcome {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The last line of the output, as JSON. */
  readonly json: unknown;
}

export interface Running {
  readonly child: ChildProcess;
  /** Resolves when the process has written it, to either stream. */
  sees(text: string): Promise<void>;
  /** The same, with what was found. */
  finds(pattern: RegExp): Promise<RegExpExecArray>;
  ends(): Promise<Outcome>;
}

/** What is looked for in the environment. */
const settings = ['FORCE_COLOR', 'HEDDLE_DEBUG', 'HEDDLE_URL', 'HEDDLE_STORE', 'HEDDLE_KEY', 'HEDDLE_ALLOW_PRIVATE'];

export interface HeddleOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

export async function heddle(args: readonly string[], options: HeddleOptions = {}): Promise<Outcome> {
  const outcome = await startHeddle(args, options).ends();
  // Whatever happens, nobody sees a stack trace or a colour that is not for terminals.
  expect(outcome.stderr).not.toMatch(/\n\s+at /);
  expect(outcome.stdout + outcome.stderr).not.toContain('\u001b');
  return outcome;
}

export function startHeddle(args: readonly string[], { cwd = root, env = {}, stdin }: HeddleOptions = {}): Running {
  if (!existsSync(command)) throw new Error('Expected the command to be built, but it is not; run npm run build first');
  // What a terminal, or another test, may have set.
  const plain = Object.fromEntries(settings.map((name) => [name, undefined]));
  const child = spawn(process.execPath, [command, ...args], { cwd, env: { ...process.env, ...plain, ...env } });
  onTestFinished(() => void child.kill('SIGKILL'));
  if (stdin !== undefined) child.stdin.write(stdin);
  child.stdin.end();
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const closed = once(child, 'close');
  return {
    child,
    sees: async (text) => {
      await seen(child, new RegExp(text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')), () => stdout + stderr);
    },
    finds: (pattern) => seen(child, pattern, () => stdout + stderr),
    ends: async () => {
      await closed;
      return { exitCode: child.exitCode, stdout, stderr, json: lastJson(stdout) };
    },
  };
}

/** `heddle serve` (or `dev FOLDER`) on a port that is free, when it listens. */
export async function startServer(
  args: readonly string[],
  options: HeddleOptions = {},
): Promise<Running & { readonly url: string }> {
  const running = startHeddle([...args, '--port', '0', '--json'], options);
  const [, url = ''] = await running.finds(/"url":"([^"]+)"/);
  return { ...running, url };
}

function seen(child: ChildProcess, pattern: RegExp, written: () => string): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const found = pattern.exec(written());
      if (found) resolve(found);
    };
    child.stdout?.on('data', look);
    child.stderr?.on('data', look);
    child.on('close', () =>
      reject(new Error(`Expected to see ${pattern.source}, but the command ended with:\n${written()}`)),
    );
    look();
  });
}

function lastJson(text: string): unknown {
  try {
    return JSON.parse(text.trim().split('\n').at(-1) ?? '');
  } catch {
    return undefined;
  }
}

/** A folder with these files, gone after the test. Objects are written as JSON. */
export function folderWith(files: Readonly<Record<string, unknown>> = {}): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'heddle-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(path.join(folder, name), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  }
  return folder;
}

/** One node that echoes its input as the run's output. */
export const echo = {
  id: 'echo',
  initialNode: 'say',
  inputSchema: { type: 'object', properties: { n: { type: 'number' } } },
  nodes: [
    { id: 'say', action: 'core.echo', inputMapping: { n: 'input.n' }, outputMapping: { 'output.n': 'result.n' } },
  ],
};

export const failing = {
  id: 'failing',
  initialNode: 'break',
  nodes: [{ id: 'break', action: 'core.fail', inputMapping: { code: '"BROKEN"', message: '"It broke"' } }],
};

/** Waits for ever, unless the process is told to `GO`. */
export const holding = {
  id: 'holding',
  initialNode: 'first',
  nodes: [
    { id: 'first', action: 'core.echo', inputMapping: { n: '1' }, outputMapping: { 'output.first': 'result.n' } },
    { id: 'hold', action: 'hold', outputMapping: { 'output.key': 'result.key' } },
  ],
  transitions: [{ from: 'first', to: 'hold' }],
};

export const holdingActions = `
import { appendFileSync } from 'node:fs';
export function hold({ idempotencyKey, signal }) {
  appendFileSync(new URL('calls.log', import.meta.url), idempotencyKey + '\\n');
  if (process.env.GO) return { key: idempotencyKey };
  return new Promise((_, reject) => {
    const keepAlive = setInterval(() => undefined, 1000);
    signal.addEventListener('abort', () => {
      clearInterval(keepAlive);
      reject(signal.reason);
    });
  });
}
`;

/** Asks a question that takes yes or no. */
export const asking = {
  id: 'asking',
  initialNode: 'ask',
  nodes: [
    {
      id: 'ask',
      input: {
        title: 'OK?',
        schema: { type: 'object', required: ['ok'], properties: { ok: { type: 'boolean' } } },
      },
      outputMapping: { 'output.ok': 'result.ok' },
    },
  ],
};

/** Waits for the event `paid`. */
export const waiting = {
  id: 'waiting',
  initialNode: 'wait',
  nodes: [{ id: 'wait', wait: { event: 'paid' }, outputMapping: { 'output.sum': 'result.sum' } }],
};
