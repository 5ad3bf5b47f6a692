// The real engine in a real process, killed at random points (faults FT1 to FT5) until nothing is left to do: every run
// ends as if nothing had happened. `HEDDLE_KILLS` and `HEDDLE_SEED` ask for more, or for others.

import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEngine } from '../../packages/heddle/src/index.ts';
import { randomOf } from '../acceptance/play.testsuite.ts';
import { buildWorker, inputOf, type RunEnd, runWorker, startWorker, type WorkerLine } from './kill-worker.testsuite.ts';

const kills = Number(process.env.HEDDLE_KILLS ?? 40);
const seed = Number(process.env.HEDDLE_SEED ?? 17);
/** Few enough that most of them come to their end among the kills. */
const runs = Math.max(4, Math.ceil(kills / 4));

interface Effect {
  readonly name: string;
  readonly runId: string;
  readonly tokenId: number;
  readonly attempt: number;
  readonly idempotencyKey: string;
}

let folder: string;
let program: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'heddle-kill-'));
  program = await buildWorker(folder);
});
afterAll(() => rm(folder, { recursive: true }));

function filesOf(name: string): { file: string; log: string } {
  const log = path.join(folder, `${name}.log`);
  writeFileSync(log, '');
  return { file: path.join(folder, `${name}.db`), log };
}

/** What an engine says that nobody disturbs: this process. */
async function runAlone(files: { file: string; log: string }): Promise<readonly WorkerLine[]> {
  const lines: WorkerLine[] = [];
  await runWorker({ ...files, runs }, (line) => void lines.push(line));
  return lines;
}

/** Lets a worker do everything that is left; answers with all that it said. */
async function finish(files: { file: string; log: string }): Promise<readonly WorkerLine[]> {
  const worker = startWorker(program, { ...files, runs });
  expect(await worker.said('done')).toBe(true);
  await worker.kill();
  return worker.lines;
}

/** Kills one worker after another; new runs come in all the while. Answers with all that they said. */
async function killMany(files: { file: string; log: string }): Promise<WorkerLine[]> {
  const random = randomOf(seed);
  const lines: WorkerLine[] = [];
  for (let turn = 1; turn <= kills; turn++) {
    const worker = startWorker(program, { ...files, runs: Math.min(runs, 2 + Math.ceil(turn / 4)) });
    // Mostly at work; sometimes while it opens the file and recovers.
    if (random() < 0.8) await worker.said('open');
    await sleep(5 + random() * 145);
    await worker.kill();
    lines.push(...worker.lines);
  }
  return lines;
}

function endsIn(lines: readonly WorkerLine[]): Map<number, RunEnd> {
  return new Map(lines.flatMap((line) => (line.type === 'ended' ? [[line.index, line.result]] : [])));
}

const readEffects = (log: string): Effect[] =>
  readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Effect);

test(`after ${kills} kills every run ends as if nothing had happened (seed ${seed})`, {
  timeout: 120_000,
}, async () => {
  const [disturbed, undisturbed] = [filesOf('disturbed'), filesOf('undisturbed')];
  const expected = endsIn(await runAlone(undisturbed));
  const early = await killMany(disturbed);
  const last = await finish(disturbed);

  expect([...expected.keys()].toSorted((a, b) => a - b)).toEqual(Array.from({ length: runs }, (_, index) => index));
  for (const [index, { status }] of expected) {
    expect(status).toBe(inputOf(index).broken === 'twice' ? 'failed' : 'completed');
  }
  // What was told before a kill, and after the last, is what an undisturbed engine tells.
  expect(endsIn(last)).toEqual(expected);
  for (const [index, result] of endsIn(early)) expect(result).toEqual(expected.get(index));
  await checkStore(disturbed.file, [...early, ...last], readEffects(disturbed.log));
});

async function checkStore(file: string, lines: readonly WorkerLine[], effects: readonly Effect[]): Promise<void> {
  const engine = await createEngine({ store: file });
  try {
    expect((await engine.audit()).problems).toEqual([]);
    // Every start that was acknowledged is there, and a repeated one is the same run.
    const started = new Map<number, Set<string>>();
    for (const line of lines) {
      if (line.type === 'started') started.set(line.index, (started.get(line.index) ?? new Set()).add(line.runId));
    }
    const roots = [...started.values()].map((ids) => [...ids]);
    expect(roots.every((ids) => ids.length === 1)).toBe(true);
    const all = await engine.runs({ limit: 10_000 });
    expect(
      all
        .filter(({ parentRunId }) => parentRunId === null)
        .map(({ runId }) => runId)
        .toSorted(),
    ).toEqual(roots.flat().toSorted());
    expect(all.filter(({ endedAt, quarantine }) => endedAt === null || quarantine !== null)).toEqual([]);
    const results = await countResults(
      engine,
      all.map(({ runId }) => runId),
    );
    checkEffects(effects, results);
  } finally {
    await engine.close();
  }
}

/** Results that were recorded, by task. */
async function countResults(
  engine: Awaited<ReturnType<typeof createEngine>>,
  runIds: readonly string[],
): Promise<Map<string, number>> {
  const results = new Map<string, number>();
  for (const runId of runIds) {
    for await (const event of engine.run(runId).events({ follow: false })) {
      if (event.type !== 'task.completed' && event.type !== 'task.failed') continue;
      const task = `${runId}/${event.token}`;
      results.set(task, (results.get(task) ?? 0) + 1);
    }
  }
  return results;
}

/** Effects may repeat, under the same key; a result is recorded once; a kill costs no attempt. */
function checkEffects(effects: readonly Effect[], results: ReadonlyMap<string, number>): void {
  const attempts = new Map<string, Set<number>>();
  for (const { runId, tokenId, attempt, idempotencyKey } of effects) {
    expect(idempotencyKey).toBe(`${runId}/${tokenId}`);
    attempts.set(idempotencyKey, (attempts.get(idempotencyKey) ?? new Set()).add(attempt));
  }
  const distinct = [...attempts.values()].reduce((sum, used) => sum + used.size, 0);
  expect(effects.length).toBeGreaterThan(distinct); // Some were repeated, or the kills came to nothing.
  for (const [task, used] of attempts) {
    expect([task, results.get(task)]).toEqual([task, 1]);
    expect([...used].toSorted((a, b) => a - b)).toEqual(Array.from({ length: used.size }, (_, index) => index + 1));
    expect(used.size).toBeLessThanOrEqual(3);
  }
}
