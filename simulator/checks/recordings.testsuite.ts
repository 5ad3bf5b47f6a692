// Recordings: journals of runs that together do everything a run can do, made by the core itself. The checks must have
// nothing to say about them; what is forged in them they must find.

import { parseDefinition } from '../../packages/heddle/src/dialects/parse.ts';
import type { Json } from '../../packages/heddle/src/exports.ts';
import { defaultLimits } from '../../packages/heddle/src/exports.ts';
import { encoded, fan, flow, go, node, PlannedRun, type Row, task } from '../../tests/acceptance/planning.testsuite.ts';
import { dataflow, handles, threads } from '../../tests/acceptance/planning-scenarios.testsuite.ts';
import { JournalCheck } from './check-journal.ts';
import { Drawing } from './drawing.ts';
import type { Violation } from './violation.ts';

export interface Recording {
  /** As it is stored. */
  readonly definition: Json;
  readonly rows: readonly Row[];
  readonly runId: string;
}

type Start = Parameters<typeof PlannedRun.started>[2];

export const storedOf = (definition: unknown): Json => {
  const parsed = parseDefinition(definition, { limits: defaultLimits }).definition;
  return JSON.parse(JSON.stringify(parsed)) as Json;
};

/** Plays a run of a definition and keeps its journal. */
function record(definition: unknown, play: (run: PlannedRun) => void, input: Json = {}, start: Start = {}): Recording {
  const run = PlannedRun.started(definition, input, start);
  play(run);
  return { definition: storedOf(definition), rows: copyOf(run.rows), runId: 'run-1' };
}

export const copyOf = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T; // what is copied is JSON

const items = { items: ['a', 'b', 'c'] };
const merge = { source: '_branch.output.x', target: 'state.all', strategy: 'append' };
const write = { outputMapping: { 'state.x': 'result.x' } };

const makers: Readonly<Record<string, () => Recording>> = {
  line: () =>
    record(flow([task('a', write), task('b')], [go('a', 'b')], { outputMapping: { x: 'state.x' } }), (run) => {
      run.complete('a', { x: 1 });
      run.complete('b');
    }),
  all: () =>
    record(
      fan({ strategy: 'all', merge }, { work: write }),
      (run) => {
        for (const index of [2, 0, 1]) run.complete('work', { x: index }, index);
        run.complete('join');
      },
      items,
    ),
  quorum: () =>
    record(
      fan({ strategy: { mOfN: 2 }, merge }, { work: write }),
      (run) => {
        run.complete('work', { x: 0 });
        run.complete('work', { x: 1 });
        run.complete('join');
      },
      items,
    ),
  nested: () =>
    record(nested, (run) => {
      run.complete('work');
      run.complete('work');
      run.complete('join');
    }),
  abandoned: () =>
    record(
      fan({ strategy: 'any', onEarlyComplete: 'abandon' }, { work: write }),
      (run) => {
        run.complete('work', { x: 1 });
        run.fail('work');
        run.complete('work', { x: 2 });
        run.complete('join');
      },
      items,
    ),
  tolerated: () =>
    record(tolerating, (run) => {
      run.fail('work', 0);
      run.complete('work', { x: 1 }, 1);
      run.complete('aside', { x: 2 });
      run.complete('work', { x: 3 }, 2);
      run.complete('join');
    }),
  'timed out': () =>
    record(
      fan({ strategy: 'all', timeoutMs: 50 }),
      (run) => {
        run.complete('work');
        run.advance(50);
      },
      items,
    ),
  unreachable: () =>
    record(
      fan({ strategy: { mOfN: 2 } }, { split: { onBranchFailure: 'end' } }),
      (run) => {
        run.fail('work');
        run.fail('work');
      },
      items,
    ),
  proceeding: () =>
    record(
      fan({ strategy: 'all', timeoutMs: 50, onTimeout: 'proceed_with_available', merge }, { work: write }),
      (run) => {
        run.complete('work', { x: 1 });
        run.advance(50);
        run.complete('join');
      },
      items,
    ),
  parallel: () =>
    record(
      fan({ strategy: 'all' }, { split: { foreach: { collection: 'input.items', itemVar: 'item', maxParallel: 1 } } }),
      (run) => {
        for (let i = 0; i < 3; i++) run.complete('work');
        run.complete('join');
      },
      items,
    ),
  retries: () => {
    const retry = { maxAttempts: 2, backoff: 'linear', initialDelayMs: 10, retryableErrors: ['BROKEN'] };
    const definition = flow([task('a', { retry }), node('w', { wait: { seconds: 1 } })], [go('a', 'w')]);
    return record(definition, (run) => {
      run.fail('a');
      run.advance(10);
      run.send({ type: 'recover' });
      run.complete('a');
      run.advance(1_000);
    });
  },
  looping: () =>
    record(
      flow([task('a'), node('done')], [go('a', 'a', { loop: { maxIterations: 2 } }), go('a', 'done', { priority: 2 })]),
      (run) => {
        for (let i = 0; i < 3; i++) run.complete('a');
      },
    ),
  'sub-runs': () => {
    const call = { workflow: { id: 'child', timeoutMs: 100, onFailure: 'catch' } };
    const definition = flow([node('a', call), node('b', call), task('c')], [go('a', 'b'), go('b', 'c')]);
    return record(definition, (run) => {
      const childRunId = run.waiting('a').childRunId ?? '';
      run.send({ type: 'child.suspended', token: 1, childRunId });
      run.send({ type: 'child.resumed', token: 1, childRunId });
      run.endChild('a', { status: 'completed', output: { n: 1 } });
      run.advance(100);
      const [late = ''] = run.state.givenUp;
      const used = { nodesUsed: 1, descendantsUsed: 0 };
      run.send({ type: 'child.ended', token: 2, childRunId: late, status: 'cancelled', ...used });
      run.complete('c');
    });
  },
  paused: () =>
    record(flow([task('a'), task('b')], [go('a', 'b')]), (run) => {
      run.send({ type: 'pause' });
      run.complete('a');
      run.send({ type: 'resume' });
      run.send({ type: 'cancel', reason: 'enough' });
    }),
  'out of time': () => record(flow([task('a')], [], { timeoutMs: 100 }), (run) => void run.advance(100)),
  edges: () => {
    const synchronization = { over: 'edges', require: 'some' };
    const [b, c] = [go('b', 'd', { synchronization }), go('c', 'd', { synchronization })];
    const ways = [go('a', 'b'), go('a', 'c', { condition: 'result.both' }), b, c];
    return record(flow([task('a'), task('b'), task('c'), task('d')], ways), (run) => {
      run.complete('a', { both: true });
      run.complete('c');
      run.complete('b');
      run.complete('d');
    });
  },
  'skipped edges': () => {
    const synchronization = { over: 'edges', require: 'all' };
    const [b, c] = [go('b', 'd', { synchronization }), go('c', 'd', { synchronization })];
    const ways = [go('a', 'b'), go('a', 'c', { condition: 'result.both' }), b, c];
    return record(flow([task('a'), task('b'), task('c'), task('d')], ways), (run) => {
      run.complete('a', { both: false });
      run.complete('b');
    });
  },
  batch: () =>
    record(
      batching,
      (run) => {
        run.complete('work', { x: 1 }, 1);
        run.fail('work', 0);
        run.complete('work', { x: 2 });
      },
      items,
    ),
  prompts: () =>
    record(asking, (run) => {
      run.send({ type: 'pause' });
      run.reply('ask', { yes: true });
      run.send({ type: 'resume' });
      run.advance(100);
      run.complete('after');
    }),
  queue: () =>
    record(queueing, (run) => {
      run.send({ type: 'input.enqueue', askingRunId: 'child-1', token: 4, correlationId: 'theirs' });
      run.reply('ask');
      run.send({ type: 'input.release', askingRunId: 'child-1', token: 4, correlationId: 'theirs' });
      run.reply('ask');
    }),
  events: () => {
    const wait = { event: 'paid', correlation: 'input.order', timeoutMs: 500 };
    const ways = [go('wait', 'wait', { loop: { maxIterations: 2 } }), go('wait', 'done', { priority: 2, on: 'any' })];
    return record(
      flow([node('wait', { wait }), node('done')], ways),
      (run) => {
        run.publish('wait', 'paid', 'e1');
        run.publish('wait', 'paid', 'e2');
        run.advance(500);
      },
      { order: 7 },
    );
  },
  credits: () =>
    record(
      flow([task('a', { cost: 2 }), task('b', { cost: 3 })], [go('a', 'b')]),
      (run) => {
        run.credit('a', 2);
        run.complete('a');
        run.credit('b', 3, false);
      },
      {},
      { organization: 'org' },
    ),
  dataflow: () =>
    record(
      dataflow,
      (run) => {
        run.credit(null, 4);
        run.fail('a');
        run.complete('b', { x: 1 });
        run.complete('d', { x: 2 });
      },
      {},
      { organization: 'org', reserve: 4 },
    ),
  threads: () =>
    record(
      threads,
      (run) => {
        run.complete('a', { done: true });
      },
      items,
    ),
  handles: () =>
    record(handles, (run) => {
      run.complete('a', { x: 1 });
      run.complete('b', { x: 2, _wait: { seconds: 1 } });
      run.advance(1_000);
      run.complete('c', { x: 3, _branch: 'nowhere', _wait: 'a while' });
      run.complete('d', { x: 4 });
    }),
  retried: () => {
    const definition = flow([task('a', write), task('b')], [go('a', 'b')]);
    const first = PlannedRun.started(definition);
    first.complete('a', { x: 1 });
    first.send({ type: 'recover' });
    const run = new PlannedRun(definition);
    run.start({}, { retryOf: 'run-0' }, encoded(first.state));
    run.complete('b');
    return { definition: storedOf(definition), rows: copyOf(run.rows), runId: 'run-1' };
  },
  schemas: () => {
    const number = { type: 'object', properties: { x: { type: 'number' } } };
    const schemas = { stateSchema: number, outputSchema: number, outputMapping: { x: 'state.x' } };
    return record(flow([task('a', write)], [], schemas), (run) => void run.complete('a', { x: 1 }));
  },
};

const nested = flow(
  [node('split'), node('inner'), task('work'), node('both'), task('join')],
  [
    go('split', 'inner', { spawnCount: 2, siblingGroup: 'outer' }),
    go('inner', 'work', { spawnCount: 2, siblingGroup: 'inner' }),
    go('work', 'both', { synchronization: { siblingGroup: 'inner', strategy: 'all' } }),
    go('both', 'join', { synchronization: { siblingGroup: 'outer', strategy: 'any' } }),
  ],
);

const tolerating = flow(
  [node('split'), task('work', write), task('aside', write), task('join')],
  [
    go('split', 'work', { spawnCount: 3, siblingGroup: 'g', onBranchFailure: 'end', maxFailures: 1 }),
    go('work', 'aside', { condition: 'result.x == 1' }),
    go('work', 'join', { priority: 2, synchronization: { siblingGroup: 'g', strategy: 'all', merge } }),
  ],
);

const batching = flow(
  [
    node('batch', {
      batch: {
        items: 'input.items',
        batchSize: 1,
        parallelBatches: 2,
        merge: { ...merge, target: 'output.all' },
      },
    }),
    task('work', write),
    node('done'),
  ],
  [go('batch', 'work', { on: 'slice', onBranchFailure: 'end' }), go('batch', 'done')],
);

const asking = flow(
  [
    node('split'),
    node('ask', { input: { title: 'Go on?', schema: { type: 'object' }, deadlineMs: 100 } }),
    task('after'),
  ],
  [go('split', 'ask', { spawnCount: 2, onBranchFailure: 'end' }), go('ask', 'after')],
);

const queueing = flow([node('split'), node('ask', { input: true })], [go('split', 'ask', { spawnCount: 2 })], {
  inputPolicy: 'serial',
});

export const recordingNames = Object.keys(makers);

const made = new Map<string, Recording>();

export function recording(name: string): Recording {
  const found = made.get(name) ?? makers[name]?.();
  if (!found) throw new Error(`Expected a recording called ${name}, but there is none`);
  made.set(name, found);
  return found;
}

/** Reads a journal as a world would have it read, a row at a time. */
export function checkRows({ definition, runId }: Recording, rows: readonly Row[]): Violation | null {
  const check = new JournalCheck(new Drawing(definition), runId);
  for (const [index, row] of rows.entries()) check.feed({ seq: index + 1, ...row });
  return check.violation;
}
