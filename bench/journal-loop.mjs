// The limit of a journal: what SEQ would be if nothing were planned. Each command makes the text of five events, a hash over it
// and the one before, a row of the journal and a new row of its run, which has two indexes, and calls an action that does
// nothing; commands of many runs share a commit. `one`: all of it in one thread, all runs in one commit. `two`: a second thread
// writes, with up to two commits of 500 on their way while the next is made.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { openDatabase } from './probe.mjs';
import { tell, withFile } from './scenario.mjs';

const runs = 20_000;
const commandsPerRun = 11;
const atATime = 1_000;

async function openJournal(path) {
  const database = await openDatabase(path);
  database.exec(`
    CREATE TABLE journal (run TEXT, seq INTEGER, at INTEGER, events TEXT, hash TEXT, PRIMARY KEY (run, seq)) WITHOUT ROWID;
    CREATE TABLE runs (id TEXT PRIMARY KEY, status TEXT, wake INTEGER, ready INTEGER, head TEXT, seq INTEGER) WITHOUT ROWID;
    CREATE INDEX runs_ready ON runs (ready) WHERE ready = 1;
    CREATE INDEX runs_to_wake ON runs (wake) WHERE wake IS NOT NULL`);
  const append = database.prepare('INSERT INTO journal VALUES (?, ?, ?, ?, ?)');
  const put = database.prepare(
    `INSERT INTO runs VALUES (?, ?, NULL, 1, ?, ?) ON CONFLICT (id) DO UPDATE SET status = excluded.status,
       wake = excluded.wake, ready = excluded.ready, head = excluded.head, seq = excluded.seq`,
  );
  /** Of each command: run, number, time, events, hash, status. */
  const commit = (rows) => {
    database.exec('BEGIN IMMEDIATE');
    for (const [run, seq, at, events, hash] of rows) append.run(run, seq, at, events, hash);
    for (const [run, seq, , , hash, status] of rows) put.run(run, status, hash, seq);
    database.exec('COMMIT');
  };
  return { commit, close: () => database.close() };
}

function makeRun(number) {
  return { id: `01J${String(number).padStart(23, '0')}`, seq: 0, head: '' };
}

function nextRow(run, at) {
  run.seq++;
  const token = run.seq;
  const events = JSON.stringify([
    { type: 'task.completed', token, at, result: { v: token, ok: true } },
    { type: 'context.updated', path: 'state.n', value: token },
    { type: 'token.completed', token },
    { type: 'token.created', token: token + 1, node: `n${token}`, parent: token, path: 'root' },
    { type: 'task.dispatched', token: token + 1, attempt: 1, dispatch: 1, input: { v: token } },
  ]);
  run.head = createHash('sha256').update(`${run.head}\n${run.seq}\n${at}\n${events}`).digest('base64url');
  return [run.id, run.seq, at, events, run.head, run.seq === commandsPerRun ? 'completed' : 'running'];
}

const noop = async () => ({});

/** `send` answers when its rows are durable; a commit has at most `most` rows, and so many are on their way at a time. */
async function loop(send, most, atOnce) {
  let waiting = Array.from({ length: atATime }, (_, number) => makeRun(number));
  let [started, ended, onTheirWay] = [atATime, 0, 0];
  const from = performance.now();
  await new Promise((resolve) => {
    const conclude = async (run) => {
      if (run.seq < commandsPerRun) await noop();
      else if (++ended === runs) return resolve();
      else if (started === runs) return;
      waiting.push(run.seq < commandsPerRun ? run : makeRun(started++));
    };
    const turn = async () => {
      if (waiting.length === 0 || onTheirWay === atOnce) return;
      const batch = waiting.slice(0, most);
      waiting = waiting.slice(most);
      const at = Date.now();
      onTheirWay++;
      const answer = send(batch.map((run) => nextRow(run, at)));
      if (waiting.length > 0) setImmediate(() => void turn());
      await answer;
      onTheirWay--;
      for (const run of batch) void conclude(run);
      setImmediate(() => void turn());
    };
    void turn();
  });
  return ((runs * (commandsPerRun - 1)) / (performance.now() - from)) * 1000;
}

async function withThread(path) {
  const worker = new Worker(new URL(import.meta.url), { workerData: path });
  await once(worker, 'message');
  const answers = [];
  worker.on('message', () => answers.shift()());
  const send = (rows) =>
    new Promise((resolve) => {
      answers.push(resolve);
      worker.postMessage(rows, []);
    });
  const stepsPerSecond = await loop(send, atATime / 2, 2);
  await worker.terminate();
  return stepsPerSecond;
}

async function withoutThread(path) {
  const journal = await openJournal(path);
  const stepsPerSecond = await loop(async (rows) => journal.commit(rows), atATime, 1);
  journal.close();
  return stepsPerSecond;
}

if (isMainThread) {
  const threads = process.argv[2] === 'two' ? withThread : withoutThread;
  await withFile(async (path) => tell({ stepsPerSecond: await threads(path) }));
} else {
  const journal = await openJournal(workerData);
  parentPort.on('message', (rows) => {
    journal.commit(rows);
    parentPort.postMessage(0, []);
  });
  parentPort.postMessage('ready', []);
}
