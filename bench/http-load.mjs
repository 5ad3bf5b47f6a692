// The load of the HTTP scenario, in a process of its own: clients with kept connections, on bare `node:http`, so that as
// little as possible of what is measured is theirs.

import { Agent, request } from 'node:http';

const [, , url, key] = process.argv;
const { hostname, port } = new URL(url);
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
const readers = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

/** Answers with the text of a successful answer. */
function ask(method, path, body) {
  const text = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
    };
    const sent = request({ hostname, port, path, method, agent, headers }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => {
        const answer = Buffer.concat(chunks).toString();
        if (response.statusCode < 300) resolve(answer);
        else reject(new Error(`${method} ${path}: ${response.statusCode} ${answer}`));
      });
    });
    sent.on('error', reject);
    sent.end(text);
  });
}

let started = 0;

/** Each is a run of its own. */
function nextStart() {
  const number = started++;
  return { workflow: 'line', input: { number }, idempotencyKey: `bench-${number}` };
}

const start = () => ask('POST', '/v1/runs', nextStart());

async function startSeveral(count) {
  const { runs } = JSON.parse(await ask('POST', '/v1/runs/start', { runs: Array.from({ length: count }, nextStart) }));
  const refused = runs.find(({ ok }) => !ok);
  if (refused) throw new Error(`Expected all runs to start, but one was refused: ${refused.message}`);
}

/** So many requests at a time, one after the other on each connection; each starts one run, or `several`. */
async function starts({ runs, connections, several = 1 }) {
  let sent = 0;
  const from = performance.now();
  const keepStarting = async () => {
    while (sent < runs) {
      sent += several;
      await (several === 1 ? start() : startSeveral(several));
    }
  };
  await Promise.all(Array.from({ length: connections }, keepStarting));
  return { perSecond: (sent / (performance.now() - from)) * 1_000 };
}

/** So many a second, whether the ones before are answered or not; a start counts from when it was due. */
async function paced({ perSecond, seconds }) {
  const total = Math.round(perSecond * seconds);
  const times = [];
  const answers = [];
  const from = performance.now();
  for (let sent = 0; sent < total; ) {
    const due = Math.min(total, Math.floor(((performance.now() - from) / 1_000) * perSecond));
    for (; sent < due; sent++) {
      const dueAt = from + (sent / perSecond) * 1_000;
      answers.push(start().then(() => times.push(performance.now() - dueAt)));
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(answers);
  const sorted = times.toSorted((a, b) => a - b);
  return { p50Ms: sorted[Math.floor(sorted.length / 2)], p99Ms: sorted[Math.floor(sorted.length * 0.99)] };
}

/** Workers that lease and finish 20 tasks at a time, until there are none. */
async function work({ workers, tasks }) {
  let done = 0;
  const from = performance.now();
  const keepWorking = async (_, number) => {
    const body = { actions: ['noop'], max: 20, leaseMs: 60_000, waitMs: 1_000, worker: `worker-${number}` };
    while (done < tasks) {
      const leased = JSON.parse(await ask('POST', '/v1/tasks/lease', body)).tasks;
      if (leased.length === 0) continue;
      await ask('POST', '/v1/tasks/finish', { tasks: leased.map(({ lease }) => ({ lease, output: {} })) });
      done += leased.length;
    }
  };
  await Promise.all(Array.from({ length: workers }, keepWorking));
  return { perSecond: (done / (performance.now() - from)) * 1_000, done };
}

/** Readers of all events, to whom nothing is sent. */
async function read({ streams }) {
  const open = () =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' };
      const sent = request({ hostname, port, path: '/v1/events/stream', agent: readers, headers }, (response) => {
        response.resume();
        response.on('error', () => undefined); // the server closes
        resolve(response.statusCode);
      });
      sent.on('error', reject);
      sent.end();
    });
  const opened = [];
  while (opened.length < streams)
    opened.push(...(await Promise.all(Array.from({ length: Math.min(50, streams - opened.length) }, open))));
  return { opened: opened.filter((status) => status === 200).length };
}

/** How long one page takes, each time. */
async function list({ paths, repeats }) {
  const times = {};
  for (const path of paths) {
    const measured = [];
    for (let i = 0; i < repeats; i++) {
      const from = performance.now();
      await ask('GET', path);
      measured.push(performance.now() - from);
    }
    times[path] = measured;
  }
  return { times };
}

const loads = { starts, paced, work, read, list };

process.on('message', ({ load, ...options }) => void loads[load](options).then((done) => process.send(done)));
process.on('disconnect', () => process.exit(0));
