// OBJECTS: what runs in Durable Objects cost, counted in workerd through a whole Worker, in each placement; how fast one object is
// beside a file without durability, in the same run. What docs/guide/scaling.md calculates with.
//
//   node bench/objects.mjs            prints the page's tables
//   node bench/objects.mjs --write    writes them into the page
//
// It takes some nine minutes, for a run has cost all that it costs when the alarm of its object has rung.

import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { createEngine } from '../packages/heddle/dist/index.js';
import { openSqliteStore } from '../packages/heddle/dist/sqlite.js';
import { openWorker } from './measured-worker.mjs';
import { fillPage } from './scaling-page.mjs';
import { expectCompleted, line, median, noop, withFile } from './scenario.mjs';

const page = new URL('../docs/guide/scaling.md', import.meta.url);
const saturated = { runs: 1_000, atATime: 200 };
const steps = 10;
const rounds = 9;
const boots = 20;
const waitSeconds = 30;
/** Where a commit waits for no disk. */
const memory = '/dev/shm';

const waiting = (id, node) => ({ id, initialNode: 'wait', nodes: [{ id: 'wait', ...node }], transitions: [] });
const definitions = [
  line('line', steps),
  {
    id: 'fan',
    initialNode: 'begin',
    nodes: [{ id: 'begin' }, { id: 'work', action: 'noop' }, { id: 'end' }],
    transitions: [
      { from: 'begin', to: 'work', spawnCount: 10_000, siblingGroup: 'all' },
      { from: 'work', to: 'end', synchronization: { siblingGroup: 'all', strategy: 'all' } },
    ],
  },
  waiting('person', { input: {} }),
  waiting('timer', { wait: { seconds: 7 * 86_400 } }),
  waiting('event', { wait: { event: 'came' } }),
];

const inARow = async (times, work) => {
  for (let done = 0; done < times; done++) await work();
};
const completed = async (heddle, workflow) => expectCompleted(await (await heddle.start(workflow)).result());

const finished = (workflow, runs) => ({ runs, work: (heddle) => completed(heddle, workflow) });
const parked = (workflow, runs) => ({ runs, work: (heddle) => heddle.start(workflow) });
const kinds = {
  alone: finished('line', 1),
  row: finished('line', 100),
  fan: finished('fan', 1),
  person: parked('person', 1_000),
  timer: parked('timer', 200),
  event: parked('event', 200),
};

/** What one run of each kind costs, in a Worker that has all the objects it needs but those of runs. */
async function countCosts(placement, { names = Object.keys(kinds), ...options } = {}) {
  const worker = openWorker(placement, options);
  try {
    await register(worker.heddle);
    await inARow(40, () => completed(worker.heddle, 'line'));
    const costs = {};
    for (const name of names) {
      const { runs, work } = kinds[name];
      costs[name] = perRun(await worker.cost(() => inARow(runs, () => work(worker.heddle))), runs);
    }
    await expectNothing(worker, await worker.heddle.start('person'));
    return costs;
  } finally {
    await worker.close();
  }
}

async function register(heddle) {
  for (const definition of definitions) {
    const { problems } = await heddle.register(definition);
    if (problems.length > 0) throw new Error(`Expected a valid definition, but: ${JSON.stringify(problems)}`);
  }
}

const perRun = ({ fetches, asks, rings, ...counters }, runs) => ({
  objects: counters.objectsMade / runs,
  calls: counters.calls / runs,
  requests: (fetches + asks + rings) / runs,
  home: counters.home / runs,
  rowsWritten: counters.rowsWritten / runs,
  rowsRead: counters.rowsRead / runs,
  alarms: counters.alarmsSet / runs,
  rings: rings / runs,
  bytes: counters.storedBytes / runs,
  awakeMs: counters.awakeMs / runs,
  batches: counters.batches / runs,
  projectedWritten: counters.projectedWritten / runs,
  projectedRead: counters.projectedRead / runs,
});

/** Over a wait parked runs cost nothing, and are not in memory: whoever asks for one afterwards wakes its object. */
async function expectNothing(worker, run) {
  const waited = await worker.cost(() => wait(1_000 * waitSeconds));
  const { fetches, asks, rings, rowsWritten, rowsRead } = waited;
  const all = fetches + asks + rings + rowsWritten + rowsRead;
  if (all > 0) throw new Error(`Expected parked runs to cost nothing, but: ${JSON.stringify(waited)}`);
  const { objectsWoken } = await worker.cost(() => run.summary());
  if (objectsWoken === 0) throw new Error('Expected the object of a parked run to have left memory, but it was there');
}

/** In turns: a machine that others use is not the same twice. */
async function measureSpeed() {
  const worker = openWorker('tenant');
  try {
    const definition = definitions[0];
    const inObject = () => worker.ask('speed', { definition, ...saturated });
    await inObject();
    const [objects, files, disks] = [[], [], []];
    for (let round = 0; round < rounds; round++) {
      objects.push(await perSecond(inObject));
      files.push(await onFile(definition, existsSync(memory) ? memory : tmpdir()));
      disks.push(await onFile(definition, tmpdir()));
    }
    return {
      objectSteps: median(objects),
      fileSteps: median(files.map(({ rate }) => rate)),
      diskSteps: median(disks.map(({ rate }) => rate)),
      fileBytes: disks[0].bytes,
      bootMs: await bootMs(worker),
    };
  } finally {
    await worker.close();
  }
}

async function perSecond(work) {
  const from = performance.now();
  await work();
  return (saturated.runs * steps * 1_000) / (performance.now() - from);
}

/** The same work on a file: how fast, and how long the file is afterwards. */
function onFile(definition, folder) {
  return withFile(async (file) => {
    const engine = await createEngine({ store: await openSqliteStore(file, { writerThread: 'never' }), actions: noop });
    await engine.register(definition);
    let started = 0;
    const client = async () => {
      while (started < saturated.runs) {
        started += 1;
        await completed(engine, definition.id);
      }
    };
    const rate = await perSecond(() => Promise.all(Array.from({ length: saturated.atATime }, client)));
    await engine.close();
    return { rate, bytes: statSync(file).size / saturated.runs };
  }, folder);
}

/** By how much an answer takes longer from an object that was lost than from one that is in memory. */
async function bootMs({ heddle, ask }) {
  await register(heddle);
  await inARow(1_000, () => heddle.start('person'));
  const run = await heddle.start('person');
  const asked = async () => {
    const from = performance.now();
    await run.summary();
    return performance.now() - from;
  };
  const times = [];
  await inARow(boots, async () => {
    await ask('kill');
    times.push((await asked()) - (await asked()));
  });
  return median(times);
}

const speed = await measureSpeed();
const [tenant, shards, run] = await Promise.all(
  ['tenant', { shards: 4 }, 'run'].map((placement) => countCosts(placement)),
);
const listed = { projection: true, names: ['row', 'person'] };
const projected = { tenant: await countCosts('tenant', listed), run: await countCosts('run', listed) };
const filled = fillPage(readFileSync(page, 'utf8'), { costs: { tenant, shards, run }, projected, speed });
if (process.argv.includes('--write')) writeFileSync(page, filled);
else console.log([...filled.matchAll(/<!-- \w+ -->\n([^]*?)(?=\n<!-- \/)/g)].map(([, table]) => table).join('\n\n'));
