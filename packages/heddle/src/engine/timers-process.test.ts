// Real processes with real timers: one that has nothing to wait for must end by itself, and one whose clock is set must
// notice. No test measures time: a process that does not do so is still there when the test gives up.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

/** SIGUSR2 sets the clock an hour ahead. */
const settable = `
  import { openEngine } from './local-engine.ts';
  import { memoryStore } from '../hosts/memory/store.ts';
  const now = Date.now;
  let aheadMs = 0;
  Date.now = () => now() + aheadMs;
  process.on('SIGUSR2', () => { aheadMs += 3_600_000; });
  const say = (line) => process.stdout.write(line + '\\n');
  const flow = (id, nodes, more = {}) => ({ id, initialNode: nodes[0].id, nodes, transitions: [], ...more });
  const open = async (definitions, actions = {}) => {
    const engine = await openEngine(memoryStore(), { actions });
    for (const definition of definitions) {
      const { problems } = await engine.register(definition);
      if (problems.some(({ severity }) => severity === 'error')) throw new Error(JSON.stringify(problems));
    }
    return engine;
  };
`;

const programs = {
  leaves: `
    const engine = await open([
      flow('timed', [{ id: 'a', action: 'nothing' }], { timeoutMs: 3_600_000 }),
      flow('asked', [{ id: 'a', input: { title: 'Well?', deadlineMs: 3_600_000 } }]),
      flow('told', [{ id: 'a', wait: { event: 'go', timeoutMs: 3_600_000 } }]),
      flow('nap', [{ id: 'a', wait: { seconds: 3_600 } }]),
    ], { 'nothing': () => ({}) });
    const [timed, asked, told, nap] = await Promise.all(['timed', 'asked', 'told', 'nap'].map((id) => engine.start(id, {})));
    await timed.result();
    while ((await asked.prompts()).length === 0) await new Promise(setImmediate);
    await asked.reply((await asked.prompts())[0].correlationId, {});
    while ((await told.summary()).nextTimerAt === null) await new Promise(setImmediate);
    await engine.publish('go', {});
    await nap.cancel();
    for (const run of [timed, asked, told, nap]) say((await run.result()).status);
    await new Promise(setImmediate);
    say('timers: ' + process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length);
  `,
  jumps: `
    let finish;
    const engine = await open(
      [
        flow('nap', [{ id: 'a', wait: { seconds: 3_600 } }]),
        flow('slow', [{ id: 'a', action: 'slow', timeoutMs: 1_800_000, outputMapping: { 'output.x': 'result.x' } }]),
      ],
      { slow: () => new Promise((resolve) => { finish = () => resolve({ x: 1 }); }) },
    );
    const nap = await engine.start('nap', {});
    const slow = await engine.start('slow', {});
    while (finish === undefined || (await nap.status()) !== 'waiting') await new Promise(setImmediate);
    say('armed');
    say('nap: ' + (await nap.result()).status);
    finish();
    say('slow: ' + (await slow.result()).status);
  `,
};

let folder: string;
const running: ChildProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'heddle-timers-'));
  const resolveDir = path.dirname(fileURLToPath(import.meta.url));
  for (const [name, contents] of Object.entries(programs))
    await build({
      stdin: { contents: settable + contents, resolveDir, loader: 'ts' },
      outfile: path.join(folder, `${name}.mjs`),
      bundle: true,
      platform: 'node',
      format: 'esm',
    });
});
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});
afterAll(() => rm(folder, { recursive: true }));

/** Its lines, once it has ended by itself. */
async function run(program: keyof typeof programs, onLine: (line: string, jump: () => void) => void = () => {}) {
  const child = spawn(process.execPath, [path.join(folder, `${program}.mjs`)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.push(child);
  const ended = once(child, 'exit');
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    onLine(line, () => child.kill('SIGUSR2'));
  }
  expect(await ended).toEqual([0, null]);
  return lines;
}

test('[RN25] a process ends when nothing is left to wait for, whatever timers were set', async () => {
  expect(await run('leaves')).toEqual(['completed', 'completed', 'completed', 'cancelled', 'timers: 0']);
});

test.skipIf(process.platform === 'win32')(
  '[TM7] [TM8] a clock that is set ahead ends a wait of an hour, and no attempt that is under way',
  async () => {
    const lines = await run('jumps', (line, jump) => {
      if (line === 'armed') jump();
    });
    expect(lines).toEqual(['armed', 'nap: completed', 'slow: completed']);
  },
);
