// HTTP: the server over loopback, beside the engine in a process of its own on the same machine in the same run. Server
// and load are two processes: on two cores, each has one.

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createEngine } from '../packages/heddle/dist/index.js';
import { openSqliteStore } from '../packages/heddle/dist/sqlite.js';
import { line, noop, tell, withFile } from './scenario.mjs';

const length = 10;
const connections = 64;

function answerOf(child) {
  return new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code) => reject(new Error(`Expected an answer, but the process ended with ${code}`)));
  });
}

/** Calls with a server on a file, and with what puts load on it. */
async function withServer(store, work) {
  const program = (name) => fileURLToPath(new URL(`./${name}.mjs`, import.meta.url));
  // `HEDDLE_BENCH_PROFILE=FOLDER` leaves a profile of the server there.
  const profiling = process.env.HEDDLE_BENCH_PROFILE
    ? ['--cpu-prof', `--cpu-prof-dir=${process.env.HEDDLE_BENCH_PROFILE}`]
    : [];
  const server = fork(program('http-server'), [store], { execArgv: ['--expose-gc', ...profiling] });
  const { url, key } = await answerOf(server);
  const loader = fork(program('http-load'), [url, key]);
  const ask = (child, asked) => {
    child.send(asked);
    return answerOf(child);
  };
  try {
    return await work({
      load: (name, options) => ask(loader, { load: name, ...options }),
      memory: () => ask(server, 'memory'),
      time: async () => (await ask(server, 'time')).usedUs,
    });
  } finally {
    loader.disconnect();
    const closed = new Promise((resolve) => server.once('exit', resolve));
    server.send('close');
    await closed;
  }
}

/** What the engine does without HTTP, as many at a time. */
async function measureInside(store, runs) {
  const engine = await createEngine({ store, actions: noop });
  await engine.register(line('line', length));
  await engine.register({ id: 'still', initialNode: 'wait', nodes: [{ id: 'wait', wait: { seconds: 86_400 } }] });
  let next = 0;
  const keepDoing = (work) => Promise.all(Array.from({ length: connections }, work));
  const from = performance.now();
  await keepDoing(async () => {
    while (next < runs) await engine.start('still', { number: next }, { idempotencyKey: `inside-${next++}` });
  });
  const startsPerSecond = (runs / (performance.now() - from)) * 1_000;
  next = 0;
  const again = performance.now();
  await keepDoing(async () => {
    while (next++ < runs / 10) await (await engine.start('line')).result();
  });
  const stepsPerSecond = ((runs / 10) * length * 1_000) / (performance.now() - again);
  await engine.close({ graceMs: 0 });
  return { startsPerSecond, stepsPerSecond };
}

async function registerLine(store) {
  const engine = await createEngine({ store, workers: true });
  await engine.register(line('line', length));
  await engine.close();
}

const tries = 3;

/** What else the machine does only ever makes it slower; `all` says what the others came to. */
async function bestOf(measure, slownessOf) {
  const all = [];
  for (let count = 0; count < tries; count++) all.push(await measure());
  return { ...all.toSorted((a, b) => slownessOf(a) - slownessOf(b))[0], all };
}

async function measureServed(store) {
  await registerLine(store);
  return withServer(store, async ({ load, memory, time }) => {
    const timed = async (name, options, count) => {
      const before = await time();
      const measured = await load(name, options);
      return { ...measured, usPerOne: ((await time()) - before) / count };
    };
    await load('starts', { runs: 10_000, connections }); // Warm.
    const starts = await bestOf(
      () => timed('starts', { runs: 10_000, connections }, 10_000),
      ({ perSecond }) => -perSecond,
    );
    const batches = await bestOf(
      () => timed('starts', { runs: 20_000, connections: 4, several: 100 }, 20_000),
      ({ perSecond }) => -perSecond,
    );
    const pace = await bestOf(
      () => load('paced', { perSecond: starts.perSecond / 2, seconds: 4 }),
      ({ p99Ms }) => p99Ms,
    );
    const completions = await bestOf(
      () => timed('work', { workers: 32, tasks: 50_000 }, 50_000),
      ({ perSecond }) => -perSecond,
    );
    const before = await memory();
    const { opened } = await load('read', { streams: 1_000 });
    if (opened !== 1_000) throw new Error(`Expected 1,000 readers, but ${opened} were let in`);
    const after = await memory();
    const readers = { heapMb: after.heapMb - before.heapMb, rssMb: after.rssMb - before.rssMb };
    return { starts, batches, pace, completions, readers };
  });
}

// ---------------------------------------------------------------------------------------------------------------- lists

const statuses = ['completed', 'completed', 'completed', 'failed', 'running'];

/** Rows as a store has them after so many runs, made without running them: nothing but lists is asked for. */
async function fill(file, runs) {
  const store = await openSqliteStore(file);
  const from = Date.now() - runs;
  for (let done = 0; done < runs; ) {
    const rows = Array.from({ length: Math.min(5_000, runs - done) }, (_, index) => rowOf(done + index, from));
    await store.commit({
      runs: rows.map((row) => ({ row, isNew: true })),
      journal: [],
      outboxAdded: [],
      outboxDone: [],
      keys: [],
      records: [],
    });
    done += rows.length;
  }
  await store.close();
}

function rowOf(number, from) {
  const runId = `01BENCH${String(number).padStart(19, '0')}`;
  const status = statuses[number % statuses.length];
  const endedAt = status === 'running' ? null : from + number;
  return {
    runId,
    workflow: `flow-${number % 10}`,
    version: 1,
    status,
    seq: 0,
    head: '',
    nextTimerAt: null,
    hasWork: false,
    createdAt: from + number,
    updatedAt: from + number,
    endedAt,
    parentRunId: null,
    rootRunId: runId,
    tags: { team: `team-${number % 7}` },
    result: null,
    quarantine: null,
  };
}

/** Each finds as many among a hundred runs as among a million. */
const paths = [
  '/v1/runs?limit=50',
  '/v1/runs?limit=5&status=failed',
  '/v1/runs?limit=5&workflow=flow-3',
  '/v1/runs?limit=5&tag=team%3Dteam-2',
  '/v1/runs?limit=5&search=team-2',
  '/v1/runs?limit=1&status=running&workflow=flow-4&tag=team%3Dteam-2',
];

const rounds = 30;

/** Calls with what lists the runs of a server that has so many. */
const withRuns = (runs, work) =>
  withFile(async (store) => {
    await fill(store, runs);
    return withServer(store, ({ load }) => work(() => load('list', { paths, repeats: 10 })));
  });

/** A few of the one and a few of the other in turns, so that what else the machine does meets both. */
async function measureInTurns(listFew, listMany) {
  const few = [];
  const many = [];
  for (let warm = 0; warm < 5; warm++) await Promise.all([listFew(), listMany()]);
  for (let round = 0; round < rounds; round++) {
    few.push(await listFew());
    many.push(await listMany());
  }
  return paths.map((path) => ({ path, fewMs: bestTenth(few, path), manyMs: bestTenth(many, path) }));
}

/** The best tenth of all, which others on the machine disturb least. */
function bestTenth(measured, path) {
  const sorted = measured.flatMap(({ times }) => times[path]).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 10)];
}

const [, , what = 'load'] = process.argv;
if (what === 'lists')
  tell(await withRuns(100, (listFew) => withRuns(1_000_000, (listMany) => measureInTurns(listFew, listMany))));
else {
  const inside = await withFile((store) => measureInside(store, 20_000));
  tell({ inside, served: await withFile(measureServed) });
}
