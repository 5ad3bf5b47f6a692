// HOLD: the longest time for which an engine at its default limits lets nothing else happen in its process, in the cases
// that hold it longest. Measured from inside, between two looks of a loop that never waits: the time, or the processor time
// of the process where that is less, so that neither what else the machine does is counted nor the threads that collect
// garbage beside the program.

import { createEngine } from '../packages/heddle/dist/index.js';
import { noop, tell, withFile } from './scenario.mjs';

const wanted = process.argv[2];

function now() {
  const { user, system } = process.cpuUsage();
  return { timeMs: performance.now(), processorMs: (user + system) / 1000 };
}

class Meter {
  longestMs = 0;
  #last = now();
  #isOn = true;

  constructor() {
    const look = () => {
      this.#note();
      if (this.#isOn) setImmediate(look);
    };
    setImmediate(look);
  }

  #note() {
    const { timeMs, processorMs } = now();
    const heldMs = Math.min(timeMs - this.#last.timeMs, processorMs - this.#last.processorMs);
    this.longestMs = Math.max(this.longestMs, heldMs);
    this.#last = { timeMs, processorMs };
  }

  end() {
    this.#isOn = false;
    this.#note();
    return this.longestMs;
  }
}

const numbers = (count) => Array.from({ length: count }, (_, index) => index);
const join = {
  from: 'work',
  to: 'end',
  synchronization: {
    strategy: 'all',
    siblingGroup: 'all',
    merge: { source: '_branch.index', target: 'state.all', strategy: 'append' },
  },
};
const fan = (node, more = {}, joins = []) => ({
  id: 'fan',
  initialNode: 'begin',
  nodes: [{ id: 'begin' }, { id: 'work', ...node }, ...(joins.length === 0 ? [] : [{ id: 'end' }])],
  transitions: [{ from: 'begin', to: 'work', spawnCount: 100_000, siblingGroup: 'all', ...more }, ...joins],
});
const squares = 'input.l.map(x, input.l.map(y, x + y))';
const mapped = (count, source) => Object.fromEntries(numbers(count).map((index) => [`state.k${index}`, source]));
const megabytes = (count) => 'x'.repeat(count * 1_000_000);

/**
 * Each starts a run, and says how it has to end. `isOne`: what holds the process is one command that cannot be done in parts:
 * a join, a cancellation, mappings of one node, a loop without work.
 */
const cases = {
  'a fan-out to 100,000 actions': { definition: fan({ action: 'noop' }) },
  'a fan-out to 100,000 nodes without work': { definition: fan({}) },
  '100,000 waits that are due at once': { definition: fan({ wait: { seconds: 5 } }) },
  'a join of 100,000 branches': { isOne: true, definition: fan({ action: 'noop' }, {}, [join]) },
  'a fan-out of 100,000 that is cancelled': {
    isOne: true,
    definition: fan({ wait: { seconds: 1000 } }),
    status: 'cancelled',
    meanwhile: async (run) => {
      while ((await run.summary()).status !== 'waiting') await new Promise((resolve) => setTimeout(resolve, 50));
      await run.cancel('enough');
    },
  },
  '2,000 mappings over 90,000 pairs each': {
    isOne: true,
    definition: { id: 'maps', initialNode: 'a', nodes: [{ id: 'a', outputMapping: mapped(2_000, squares) }] },
    input: { l: numbers(300) },
    status: 'failed',
  },
  'a loop without work': {
    isOne: true,
    definition: { id: 'loop', initialNode: 'a', nodes: [{ id: 'a' }], transitions: [{ from: 'a', to: 'a' }] },
    status: 'failed',
  },
  '600 tasks with a document of 1 MB each': {
    definition: {
      id: 'documents',
      initialNode: 'a',
      nodes: [{ id: 'a' }, { id: 'b', action: 'noop', inputMapping: { text: 'input.text' } }],
      transitions: [{ from: 'a', to: 'b', spawnCount: 600 }],
    },
    input: { text: megabytes(1) },
  },
  '64 MB of results, merged by a join': {
    isOne: true,
    definition: {
      id: 'results',
      initialNode: 'a',
      nodes: [{ id: 'a' }, { id: 'b', action: 'large' }, { id: 'c' }],
      transitions: [
        { from: 'a', to: 'b', spawnCount: 15, siblingGroup: 'g' },
        {
          from: 'b',
          to: 'c',
          synchronization: {
            strategy: 'all',
            siblingGroup: 'g',
            merge: { source: '_branch.output', target: 'state.all', strategy: 'append' },
          },
        },
      ],
    },
  },
};

const large = { run: () => ({ list: numbers(500_000) }) };
const actions = { ...noop, large };

/** Longest of what happens from the start of a run to its end. */
async function holdOfRun({ definition, input = {}, status = 'completed', meanwhile = async () => undefined }) {
  return withFile(async (store) => {
    const engine = await openWith(store, definition);
    const meter = new Meter();
    const run = await engine.start(definition.id, input);
    await meanwhile(run);
    const result = await run.result();
    const longestMs = meter.end();
    if (result.status !== status)
      throw new Error(`Expected the run to be ${status}, but it is ${result.status}: ${result.error?.message}`);
    await engine.close();
    return longestMs;
  });
}

async function openWith(store, definition) {
  const engine = await createEngine({ store, actions });
  await engine.register(definition);
  await new Promise((resolve) => setTimeout(resolve, 100));
  return engine;
}

/** 10,000 nodes, 30,000 mappings, 3.8 MB. */
const largestDefinition = {
  id: 'largest',
  initialNode: 'n0',
  nodes: numbers(10_000).map((index) => ({
    id: `n${index}`,
    outputMapping: Object.fromEntries(
      ['a', 'b', 'c'].map((key) => [
        `state.${key}${index}`,
        `input.list.map(x, x + ${index} + size(input.list)) + input.${key}.${'more'.repeat(10)}`,
      ]),
    ),
  })),
  transitions: numbers(9_999).map((index) => ({ from: `n${index}`, to: `n${index + 1}` })),
};

async function holdOfRegistering() {
  const engine = await createEngine({ actions });
  const meter = new Meter();
  const { problems, version } = await engine.register(largestDefinition);
  const longestMs = meter.end();
  if (version === null) throw new Error(`Expected the definition to be taken, but ${problems[0]?.message}`);
  await engine.close();
  return longestMs;
}

/** A run of so many branches, left when it waits. */
async function leaveWaiting(store, spawnCount) {
  const engine = await openWith(store, fan({ wait: { seconds: 1000 } }, { spawnCount }));
  const run = await engine.start('fan', {});
  while ((await run.summary()).status !== 'waiting') await new Promise((resolve) => setTimeout(resolve, 50));
  return { engine, run };
}

async function holdOfLoading() {
  return withFile(async (store) => {
    const left = await leaveWaiting(store, 100_000);
    await left.engine.close();
    const engine = await createEngine({ store, actions });
    const meter = new Meter();
    await engine.run(left.run.id).state();
    const longestMs = meter.end();
    await engine.close();
    return longestMs;
  });
}

/** Of 7.9 MB: the server takes 8. */
async function holdOfRestoring() {
  return withFile(async (store) => {
    const { engine, run } = await leaveWaiting(store, 20_000);
    const snapshot = JSON.parse(JSON.stringify(await run.snapshot()));
    await run.cancel('moves');
    await run.delete();
    const meter = new Meter();
    await engine.restore(snapshot);
    const longestMs = meter.end();
    await engine.close();
    return longestMs;
  });
}

const all = {
  ...Object.fromEntries(
    Object.entries(cases).map(([name, { isOne = false, ...one }]) => [name, { isOne, hold: () => holdOfRun(one) }]),
  ),
  'loading a run of 100,000 branches': { isOne: false, hold: holdOfLoading },
  'registering 10,000 nodes with 30,000 mappings': { isOne: true, hold: holdOfRegistering },
  'restoring a snapshot of 20,000 branches': { isOne: true, hold: holdOfRestoring },
};

for (const [name, { isOne, hold }] of Object.entries(all)) {
  if (wanted === undefined || name.includes(wanted)) tell({ name, isOne, holdMs: await hold() });
}
