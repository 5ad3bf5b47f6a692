// The program that is killed: the real engine on a real file, in a process of its own. It starts its runs again and again
// under the same idempotency keys, says what it was told, and ends when all of them have ended.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Definition } from '../../packages/heddle/src/definition/definition.ts';
import type { ActionContext, Actions } from '../../packages/heddle/src/executor/action.ts';
import { ActionError } from '../../packages/heddle/src/executor/action-error.ts';
import { createEngine } from '../../packages/heddle/src/index.ts';

const retry = { maxAttempts: 4, backoff: 'linear', initialDelayMs: 15, jitter: 0.3 } as const;

/** Per item: a flaky task, a nested fan-out, a sub-run; then a loop, a timer, and an end that may fail or be mended. */
const order: Definition = {
  id: 'order',
  initialNode: 'begin',
  nodes: [
    { id: 'begin', outputMapping: { 'state.rounds': '[]' } },
    {
      id: 'fetch',
      action: 'work',
      inputMapping: { name: '"fetch"', item: 'item', failures: 'input.failures' },
      outputMapping: { 'state.fetched': 'result.value' },
      retry,
    },
    {
      id: 'score',
      action: 'work',
      inputMapping: { name: '"score"', item: 'state.fetched', index: '_branch.index', outer: '_branch.parent.index' },
      outputMapping: { 'state.score': 'result.value' },
    },
    { id: 'scored' },
    {
      id: 'check',
      workflow: 'check',
      inputMapping: { scores: 'state.scores', failures: 'input.failures' },
      outputMapping: { 'state.verdict': 'result.verdict' },
      retry,
    },
    { id: 'checked', wait: { seconds: 0.02 } },
    {
      id: 'refine',
      action: 'work',
      inputMapping: { name: '"refine"', item: 'state.rounds' },
      outputMapping: { 'state.rounds': 'state.rounds + [result.value]' },
    },
    { id: 'charge', action: 'work', inputMapping: { name: '"charge"', broken: 'input.broken' } },
    {
      id: 'refund',
      action: 'work',
      inputMapping: { name: '"refund"', item: 'state._last_error.code', broken: 'input.broken == "twice"' },
      outputMapping: { 'state.refund': 'result.value' },
    },
    { id: 'done' },
  ],
  transitions: [
    {
      from: 'begin',
      to: 'fetch',
      foreach: { collection: 'input.items', itemVar: 'item', maxParallel: 2 },
      siblingGroup: 'items',
    },
    { from: 'fetch', to: 'score', spawnCount: 2, siblingGroup: 'scores' },
    { from: 'score', to: 'scored', synchronization: collect('scores', 'score') },
    { from: 'scored', to: 'check' },
    { from: 'check', to: 'checked', synchronization: collect('items', 'verdict') },
    { from: 'checked', to: 'refine' },
    { from: 'refine', to: 'refine', loop: { maxIterations: 2 }, priority: 1 },
    { from: 'refine', to: 'charge', priority: 2 },
    { from: 'charge', to: 'done' },
    { from: 'charge', to: 'refund', on: 'failure' },
    { from: 'refund', to: 'done' },
  ],
  outputMapping: { verdicts: 'state.verdicts', rounds: 'state.rounds', refund: 'state.refund' },
};

/** The sub-run: a timer, and a task that fails at first. */
const check: Definition = {
  id: 'check',
  initialNode: 'pause',
  nodes: [
    { id: 'pause', wait: { seconds: 0.01 } },
    {
      id: 'judge',
      action: 'work',
      inputMapping: { name: '"judge"', item: 'input.scores', failures: 'input.failures' },
      outputMapping: { 'output.verdict': 'result.value' },
      retry,
    },
  ],
  transitions: [{ from: 'pause', to: 'judge' }],
};

function collect(siblingGroup: string, name: string) {
  const merge = { source: `_branch.output.${name}`, target: `state.${name}s`, strategy: 'append' } as const;
  return { siblingGroup, strategy: 'all', merge } as const;
}

/** The input of run number `index`: some are flaky, some break and are mended, some break for good. */
export function inputOf(index: number): { items: string[]; failures: number; broken: string | boolean } {
  const items = Array.from({ length: 1 + (index % 4) }, (_, i) => `${index}-${i}`);
  return { items, failures: index % 3, broken: index % 7 === 3 ? 'twice' : index % 5 === 2 };
}

/** What every task makes of its input; every call is written down before anything else. */
async function work(context: ActionContext, log: string): Promise<{ value: string }> {
  const { input, attempt, idempotencyKey, runId, tokenId } = context;
  const { name, failures = 0, broken = false, ...rest } = input;
  appendFileSync(log, `${JSON.stringify({ name, runId, tokenId, attempt, idempotencyKey })}\n`);
  const text = JSON.stringify([name, rest.item, rest.outer, rest.index]);
  await new Promise((resolve) => setTimeout(resolve, 1 + (text.length % 9)));
  if (broken !== false)
    throw new ActionError(`${JSON.stringify(name)} is broken`, { code: 'BROKEN', retryable: false });
  if (attempt <= Number(failures)) throw new ActionError('not yet', { code: 'NOT_YET' });
  return { value: text.length > 200 ? `${text.slice(0, 200)}…${text.length}` : text };
}

export interface WorkerOptions {
  readonly file: string;
  readonly log: string;
  /** How many runs it starts. */
  readonly runs: number;
}

export type WorkerLine =
  | { readonly type: 'open' }
  | { readonly type: 'started'; readonly index: number; readonly runId: string }
  | { readonly type: 'ended'; readonly index: number; readonly result: RunEnd }
  | { readonly type: 'done' };

/** How a run ended, without what differs from one engine to the next. */
export interface RunEnd {
  readonly status: string;
  readonly output: unknown;
  readonly code: string | undefined;
}

/** Out at once: what was said before a kill has been heard. */
const print = (line: WorkerLine): void => void writeSync(1, `${JSON.stringify(line)}\n`);

/** What the process does. */
export async function runWorker({ file, log, runs }: WorkerOptions, say = print): Promise<void> {
  const actions: Actions = { work: (context: ActionContext) => work(context, log) };
  // Nothing is given up however often it is lost, and few at a time, so that there is always something under way.
  const engine = await createEngine({
    store: file,
    actions,
    limits: { dispatchesMax: 10_000, concurrencyPerProcess: 8 },
  });
  say({ type: 'open' });
  await engine.register(check);
  await engine.register(order);
  const endings: Promise<void>[] = [];
  for (let index = 0; index < runs; index++) {
    const run = await engine.start('order', inputOf(index), { idempotencyKey: `order-${index}` });
    say({ type: 'started', index, runId: run.id });
    const ending = run.result().then(({ status, output, error }) => {
      say({ type: 'ended', index, result: { status, output, code: error?.code } });
    });
    endings.push(ending);
  }
  await Promise.all(endings);
  await engine.close();
  say({ type: 'done' });
}

/** Bundles the program, as JavaScript that any Node runs, into the folder. */
export async function buildWorker(folder: string): Promise<string> {
  const { build } = await import('esbuild');
  const outfile = path.join(folder, 'worker.mjs');
  const packaged = pathToFileURL(createRequire(import.meta.url).resolve('@photostructure/sqlite')).href;
  await build({
    stdin: {
      contents:
        "import { runWorker } from './kill-worker.testsuite.ts';\nawait runWorker(JSON.parse(process.argv[2]));",
      resolveDir: path.dirname(fileURLToPath(import.meta.url)),
      loader: 'ts',
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    external: ['esbuild'],
    plugins: [
      {
        name: 'package-where-it-is',
        setup: (builder) =>
          builder.onResolve({ filter: /^@photostructure/ }, () => ({ path: packaged, external: true })),
      },
    ],
  });
  return outfile;
}

export interface Worker {
  readonly lines: readonly WorkerLine[];
  /** When it has said so; false if it ended without. */
  said(type: WorkerLine['type']): Promise<boolean>;
  /** SIGKILL: no handler, no flush, no farewell. */
  kill(): Promise<void>;
}

export function startWorker(program: string, options: WorkerOptions): Worker {
  const child: ChildProcess = spawn(process.execPath, [program, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: WorkerLine[] = [];
  const waiters = new Set<() => void>();
  const reader = createInterface({ input: child.stdout! });
  reader.on('line', (line) => {
    lines.push(JSON.parse(line) as WorkerLine);
    for (const wake of waiters) wake();
  });
  const ended = Promise.all([once(child, 'exit'), once(reader, 'close')]);
  const said = async (type: WorkerLine['type']) => {
    const has = () => lines.some((line) => line.type === type);
    const heard = new Promise<void>((resolve) => waiters.add(() => has() && resolve()));
    if (!has()) await Promise.race([heard, ended]);
    return has();
  };
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  return { lines, said, kill };
}
