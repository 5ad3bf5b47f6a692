// The worker in Python of the examples, against a real server: it succeeds, fails, is retried, and is told to stop.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually, newFolder, type Served, served } from './server.testsuite.ts';

const folder = fileURLToPath(new URL('../../examples/16-workers', import.meta.url));
const script = path.join(folder, 'worker.py');
const hasPython = spawnSync('python3', ['--version']).status === 0;
const why = hasPython ? '' : ' (skipped: there is no python3 on this machine)';

const actions = `
import os, time

def flaky(given, task):
    if task["attempt"] == 1: raise TimeoutError("not yet")
    return {"attempt": task["attempt"], "text": given["text"]}

def slow(given, task):
    open(given["begun"], "w").close()
    while not os.path.exists(given["go"]): time.sleep(0.01)
    return {"dispatch": task["dispatch"]}

ACTIONS = {"flaky": flaky, "slow": slow, "strange": lambda given, task: {"set", "of", "texts"}}
`;

const step = (action: string) => ({
  id: action,
  initialNode: 'work',
  nodes: [
    {
      id: 'work',
      action,
      inputMapping: { text: 'input.text', begun: 'input.begun', go: 'input.go' },
      outputMapping: { 'output.result': 'result' },
      retry: { maxAttempts: 2, backoff: 'none', initialDelayMs: 1 },
    },
  ],
  transitions: [],
});

async function opened(): Promise<{ readonly server: Served; readonly worker: ChildProcess; readonly at: string }> {
  const server = await served();
  for (const action of ['flaky', 'slow', 'strange']) await server.client.register(step(action));
  const client = await server.clientWith(['*']);
  const operator = { tenant: 'default', scopes: new Set(['*']), keyId: null };
  const { key } = await server.keys.create({ name: 'worker', scopes: ['task:work'] }, operator);
  const at = newFolder();
  writeFileSync(path.join(at, 'actions.py'), actions);
  const env = { ...process.env, HEDDLE_URL: server.url, HEDDLE_KEY: key };
  const worker = spawn('python3', [script, path.join(at, 'actions.py')], { env, stdio: 'inherit' });
  onTestFinished(() => void worker.kill('SIGKILL'));
  return { server: { ...server, client }, worker, at };
}

test('it has at most 40 lines, and imports nothing but the standard library', () => {
  const source = readFileSync(script, 'utf8');
  expect(source.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
  const imported = [...source.matchAll(/^(?:import|from) (.+?)(?: import .+)?$/gm)].flatMap(([, names = '']) =>
    names.split(', '),
  );
  expect(imported.toSorted()).toEqual([
    'concurrent.futures',
    'http.client',
    'json',
    'os',
    'runpy',
    'signal',
    'sys',
    'threading',
    'time',
    'urllib.error',
    'urllib.request',
  ]);
});

describe.skipIf(!hasPython)(`the worker in Python${why}`, () => {
  test('says what to give it, where it was given nothing', () => {
    const { status, stderr } = spawnSync('python3', [script], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([
      1,
      'Expected a file with ACTIONS, but none was named: python3 worker.py actions.py\n',
    ]);
  });

  test('says for whom it works, and does all actions of the file or those that are named', async () => {
    const { url } = await served();
    for (const [names, words] of [
      [[], 'words.count, words.longest'],
      [['words.longest'], 'words.longest'],
    ] as const) {
      const env = { ...process.env, HEDDLE_URL: url };
      const worker = spawn('python3', [script, path.join(folder, 'actions.py'), ...names], { env });
      onTestFinished(() => void worker.kill('SIGKILL'));
      const [line] = (await once(createInterface(worker.stderr), 'line')) as [string];
      expect(line).toBe(`Works for ${url}: ${words}`);
    }
  });

  test('tells of a failure, and does the task again', async () => {
    const { server } = await opened();
    const run = await server.client.start('flaky', { text: 'grüß\nGott' });
    expect(await run.result()).toMatchObject({
      status: 'completed',
      output: { result: { attempt: 2, text: 'grüß\nGott' } },
    });
    const failed = [];
    for await (const event of run.events()) if (event.type === 'task.attempt_failed') failed.push(event.error);
    expect(failed).toMatchObject([{ code: 'ACTION_FAILED', message: 'TimeoutError: not yet' }]);
  });

  test('tells of an answer that is no JSON', async () => {
    const { server } = await opened();
    const run = await server.client.start('strange', {});
    expect(await run.result()).toMatchObject({
      status: 'failed',
      error: { message: expect.stringMatching(/^TypeError: /) as string, attempts: 2 },
    });
  });

  test('told to stop in the middle of a task, finishes it and leaves; the next one waits for somebody else', async () => {
    const { server, worker, at } = await opened();
    const [begun, go] = [path.join(at, 'begun'), path.join(at, 'go')];
    const run = await server.client.start('slow', { begun, go });
    await eventually(() => expect(existsSync(begun)).toBe(true));
    worker.kill('SIGTERM');
    const left = once(worker, 'exit');
    writeFileSync(go, '');
    expect(await left).toEqual([0, null]);
    expect(await run.result()).toMatchObject({ status: 'completed', output: { result: { dispatch: 1 } } });
    const next = await server.client.start('slow', { begun, go });
    expect(await server.client.tasks.lease({ actions: ['slow'], waitMs: 60_000 })).toMatchObject([{ runId: next.id }]);
  });
});
