// The limit of a journal: what SEQ would be if nothing were planned. Each command makes the text of a few events, a hash over it
// and the one before, a row of the journal and a new row of its run; commands of many runs share a commit. `one`: all of it in
// one thread. `two`: a second thread writes, with one commit on its way while the next is made.

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
    CREATE TABLE runs (id TEXT PRIMARY KEY, status TEXT, seq INTEGER, head TEXT) WITHOUT ROWID`);
  const append = database.prepare('INSERT INTO journal VALUES (?, ?, ?, ?, ?)');
  const put = database.prepare(
    'INSERT INTO runs VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET status = excluded.status, seq = excluded.seq, head = excluded.head',
  );
  /** Of each command: run, number, time, events, hash, status. */
  const commit = (rows) => {
    database.exec('BEGIN IMMEDIATE');
    for (const [run, seq, at, events, hash] of rows) append.run(run, seq, at, events, hash);
    for (const [run, seq, , , hash, status] of rows) put.run(run, status, seq, hash);
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
    { type: 'task.completed', token, output: {} },
    { type: 'token.completed', token },
    { type: 'token.created', token: token + 1, node: `n${token}`, from: token },
    { type: 'task.dispatched', token: token + 1, attempt: 1, dispatch: 1, input: {} },
  ]);
  run.head = createHash('sha256').update(`${run.head}\n${run.seq}\n${at}\n${events}`).digest('base64url');
  return [run.id, run.seq, at, events, run.head, run.seq === commandsPerRun ? 'completed' : 'running'];
}

/** `send` answers when its rows are durable; `share` of the waiting runs are in one commit. */
async function loop(send, share) {
  const waiting = Array.from({ length: atATime }, (_, number) => makeRun(number));
  const count = { started: atATime, ended: 0 };
  const conclude = (batch) => {
    for (const run of batch) {
      if (run.seq < commandsPerRun) waiting.push(run);
      else {
        count.ended++;
        if (count.started < runs) waiting.push(makeRun(count.started++));
      }
    }
  };
  let last = Promise.resolve();
  const from = performance.now();
  while (count.ended < runs) {
    const batch = waiting.splice(0, Math.ceil(atATime * share));
    const at = Date.now();
    const rows = batch.map((run) => nextRow(run, at));
    await last;
    last = rows.length === 0 ? Promise.resolve() : send(rows).then(() => conclude(batch));
    await new Promise((resolve) => setImmediate(resolve)); // what an action takes
  }
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
  const stepsPerSecond = await loop(send, 0.5);
  await worker.terminate();
  return stepsPerSecond;
}

async function withoutThread(path) {
  const journal = await openJournal(path);
  const stepsPerSecond = await loop(async (rows) => journal.commit(rows), 1);
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
