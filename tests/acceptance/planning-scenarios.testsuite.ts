// Runs that together do everything a run can do: what holds for planning as such is tested on each of their steps.

import { encoded, fan, flow, go, node, PlannedRun, task } from './planning.testsuite.ts';

const items = { items: ['a', 'b', 'c'] };
const merge = { source: '_branch.output.x', target: 'state.all', strategy: 'append' };
const write = { outputMapping: { 'state.x': 'result.x' } };

export const dataflow = {
  dialect: 'dataflow',
  id: 'w',
  nodes: ['a', 'b', 'c', 'd'].map((id) => ({ id, type: 'work', cost: 1 })),
  edges: [
    { source: 'a', sourceOutput: 'x', target: 'c', targetInput: 'x' },
    { source: 'b', sourceOutput: 'x', target: 'c', targetInput: 'y' },
    { source: 'b', sourceOutput: 'x', target: 'd', targetInput: 'x' },
  ],
};

export const threads = {
  dialect: 'thread',
  id: 'w',
  nodes: [
    { id: 'start', type: 'start' },
    { id: 'split', type: 'fanOut' },
    { id: 'a', type: 'action', action: 'work' },
    { id: 'b', type: 'edit', upserts: [{ path: 'x.y', value: 1 }], deletes: ['items'] },
    { id: 'end', type: 'end' },
  ],
  connectors: [
    { from: 'start', to: 'split' },
    { from: 'split', output: 'a', to: 'a' },
    { from: 'split', output: 'b', to: 'b' },
    { from: 'a', to: 'end' },
  ],
};

export const handles = {
  dialect: 'handle',
  id: 'w',
  nodes: ['a', 'b', 'c', 'd'].map((id) => ({ id, type: 'work' })),
  connections: [
    { fromNodeId: 'a', toNodeId: 'b' },
    { fromNodeId: 'a', toNodeId: 'c' },
    { fromNodeId: 'b', toNodeId: 'd' },
    { fromNodeId: 'c', toNodeId: 'd', fromOutput: 'no' },
  ],
};

const scenarios: Readonly<Record<string, () => PlannedRun>> = {
  'a line of tasks': () => {
    const run = PlannedRun.started(flow([task('a', write), task('b')], [go('a', 'b')]));
    run.complete('a', { x: 1 });
    run.complete('b');
    return run;
  },
  'a fan-out whose branches all come': () => {
    const run = PlannedRun.started(fan({ strategy: 'all', merge }, { work: write }), items, { trace: true });
    for (const index of [2, 0, 1]) run.complete('work', { x: index }, index);
    run.complete('join');
    return run;
  },
  'a quorum that cancels the rest': () => {
    const run = PlannedRun.started(fan({ strategy: { mOfN: 2 }, merge }, { work: write }), items);
    run.complete('work', { x: 0 });
    run.complete('work', { x: 1 });
    run.complete('join');
    return run;
  },
  'a first arrival that abandons the rest, of which one fails': () => {
    const run = PlannedRun.started(fan({ strategy: 'any', onEarlyComplete: 'abandon' }), items);
    run.complete('work');
    run.fail('work');
    run.complete('work');
    run.complete('join');
    return run;
  },
  'branches that fail and are tolerated, and some that end elsewhere': () => {
    const run = PlannedRun.started(
      flow(
        [node('split'), task('work', write), task('aside', write), task('join')],
        [
          go('split', 'work', { spawnCount: 3, siblingGroup: 'g', onBranchFailure: 'end' }),
          go('work', 'aside', { condition: 'result.x == 1' }),
          go('work', 'join', { priority: 2, synchronization: { siblingGroup: 'g', strategy: 'all', merge } }),
        ],
      ),
    );
    run.fail('work', 0);
    run.complete('work', { x: 1 }, 1);
    run.complete('aside', { x: 2 });
    run.complete('work', { x: 3 }, 2);
    run.complete('join');
    return run;
  },
  'a join that gives up': () => {
    const run = PlannedRun.started(fan({ strategy: 'all', timeoutMs: 50 }), items);
    run.complete('work');
    run.advance(50);
    return run;
  },
  'a join that gives up, and whose node handles it': () => {
    const run = PlannedRun.started(
      flow(
        [node('split'), task('work', write), task('join'), task('late')],
        [
          go('split', 'work', { spawnCount: 3, siblingGroup: 'g', onBranchFailure: 'end' }),
          go('work', 'join', {
            synchronization: { siblingGroup: 'g', timeoutMs: 50, merge: { ...merge, include: 'settled' } },
          }),
          go('join', 'late', { on: 'failure' }),
        ],
      ),
    );
    run.fail('work', 0);
    run.complete('work', { x: 1 }, 1);
    run.advance(50);
    run.complete('late');
    return run;
  },
  'a finished step': () => {
    const run = PlannedRun.started(flow([task('a')]));
    run.send({ type: 'task.step', token: 1, dispatch: 1, step: 'pay', result: { receipt: 7 } });
    run.send({ type: 'recover' });
    run.complete('a');
    return run;
  },
  'retries, a wait and a lost host': () => {
    const retry = { maxAttempts: 2, initialDelayMs: 10 };
    const run = PlannedRun.started(
      flow([task('a', { retry }), node('w', { wait: { seconds: 1 } })], [go('a', 'w')]),
      {},
      { trace: true },
    );
    run.fail('a');
    run.advance(10);
    run.send({ type: 'recover' });
    run.complete('a');
    run.advance(1_000);
    return run;
  },
  'an action that nobody has, and that comes later': () => {
    const run = PlannedRun.started(flow([task('a')]));
    const outcome = {
      type: 'unavailable',
      action: 'work',
      failure: { code: 'ACTION_NOT_FOUND', message: 'none' },
    } as const;
    run.send({ type: 'task.result', token: 1, dispatch: 1, outcome });
    run.send({ type: 'actions.available', names: ['work'] });
    run.complete('a');
    return run;
  },
  'sub-runs that complete and that take too long': () => {
    const call = { workflow: { id: 'child', timeoutMs: 100, onFailure: 'catch' } };
    const run = PlannedRun.started(flow([node('a', call), node('b', call), task('c')], [go('a', 'b'), go('b', 'c')]));
    run.endChild('a', { status: 'completed', output: { n: 1 } });
    run.advance(100);
    const [childRunId = ''] = run.state.givenUp;
    run.send({ type: 'child.ended', token: 2, childRunId, status: 'cancelled', nodesUsed: 1, descendantsUsed: 0 });
    run.complete('c');
    return run;
  },
  'a pause, a result meanwhile, and a cancel': () => {
    const run = PlannedRun.started(flow([task('a'), task('b')], [go('a', 'b')]));
    run.send({ type: 'pause' });
    run.complete('a');
    run.send({ type: 'resume' });
    run.send({ type: 'cancel', reason: 'enough' });
    return run;
  },
  'a run that takes too long': () => {
    const run = PlannedRun.started(flow([task('a')], [], { timeoutMs: 100 }));
    run.advance(100);
    return run;
  },
  'a join over edges': () => {
    const synchronization = { over: 'edges', require: 'some' };
    const run = PlannedRun.started(
      flow(
        [task('a'), task('b'), task('c'), task('d')],
        [
          go('a', 'b'),
          go('a', 'c', { condition: 'result.both' }),
          go('b', 'd', { synchronization }),
          go('c', 'd', { synchronization }),
        ],
      ),
    );
    run.complete('a', { both: false });
    run.complete('b');
    run.complete('d');
    return run;
  },
  'a batch in slices, of which one fails, in a loop': () => {
    const batch = { items: 'input.items', batchSize: 1, parallelBatches: 2, merge: { ...merge, target: 'output.all' } };
    const run = PlannedRun.started(
      flow(
        [node('batch', { batch }), task('work', write), node('done')],
        [
          go('batch', 'work', { on: 'slice', onBranchFailure: 'end' }),
          go('batch', 'batch', { loop: { maxIterations: 1 } }),
          go('batch', 'done', { priority: 2 }),
        ],
      ),
      items,
    );
    for (let round = 0; round < 2; round++) {
      run.complete('work', { x: 1 }, 1);
      run.fail('work', 0);
      run.complete('work', { x: 2 });
    }
    return run;
  },
  'open prompts: one is answered while the run is paused, one expires': () => {
    const ask = node('ask', { input: { title: 'Go on?', schema: { type: 'object' }, deadlineMs: 100 } });
    const run = PlannedRun.started(
      flow(
        [node('split'), ask, task('after')],
        [go('split', 'ask', { spawnCount: 2, onBranchFailure: 'end' }), go('ask', 'after')],
      ),
    );
    run.send({ type: 'pause' });
    run.reply('ask', { yes: true });
    run.send({ type: 'resume' });
    run.advance(100);
    run.complete('after');
    return run;
  },
  'serial prompts of a root and its sub-run': () => {
    const run = PlannedRun.started(
      flow(
        [node('start'), node('ask', { input: true }), node('sub', { workflow: 'child' })],
        [go('start', 'ask'), go('start', 'sub')],
        { inputPolicy: 'serial' },
      ),
    );
    const theirs = { askingRunId: 'child-1', token: 4, correlationId: 'theirs' };
    run.send({ type: 'input.enqueue', ...theirs });
    const childRunId = run.waiting('sub').childRunId ?? '';
    run.send({ type: 'child.suspended', token: 3, childRunId });
    run.reply('ask');
    run.send({ type: 'child.resumed', token: 3, childRunId });
    run.send({ type: 'input.release', ...theirs });
    run.endChild('sub', { status: 'completed' });
    return run;
  },
  'a sub-run that waits for its turn to ask, and is cancelled': () => {
    const run = PlannedRun.started(
      flow([node('split'), node('ask', { input: true })], [go('split', 'ask', { spawnCount: 2 })], {
        inputPolicy: 'serial',
      }),
      {},
      { rootRunId: 'run-0', parent: { runId: 'run-0', token: 5 } },
    );
    run.send({ type: 'input.grant', token: 2 });
    run.reply('ask');
    run.send({ type: 'cancel', reason: 'enough' });
    return run;
  },
  'waits for events, the same again in a loop, and one that comes too late': () => {
    const run = PlannedRun.started(
      flow(
        [node('wait', { wait: { event: 'paid', correlation: 'input.order', timeoutMs: 500 } }), node('done')],
        [go('wait', 'wait', { loop: { maxIterations: 2 } }), go('wait', 'done', { priority: 2, on: 'any' })],
      ),
      { order: 7 },
    );
    run.publish('wait', 'paid', 'e1');
    run.publish('wait', 'paid', 'e1');
    run.publish('wait', 'paid', 'e2');
    run.advance(500);
    return run;
  },
  'credits node by node, until there are no more': () => {
    const run = PlannedRun.started(
      flow([task('a', { cost: 2 }), task('b', { cost: 3 })], [go('a', 'b')]),
      {},
      { organization: 'org' },
    );
    run.credit('a', 2);
    run.complete('a');
    run.credit('b', 3, false);
    return run;
  },
  'a dataflow whose credits are granted as a whole, and of which a node fails': () => {
    const run = PlannedRun.started(dataflow, {}, { organization: 'org', reserve: 4 });
    run.credit(null, 4);
    run.fail('a');
    run.complete('b', { x: 1 });
    run.complete('d', { x: 2 });
    return run;
  },
  'threads that end without meeting, and a result': () => {
    const run = PlannedRun.started(threads, items);
    run.complete('a', { done: true });
    return run;
  },
  'handles, one node at a time, with a wait and a handle that leads nowhere': () => {
    const run = PlannedRun.started(handles);
    run.complete('a', { x: 1 });
    run.complete('b', { x: 2, _wait: { seconds: 1 } });
    run.advance(1_000);
    run.complete('c', { x: 3, _branch: 'nowhere', _wait: 'a while' });
    run.complete('d', { x: 4 });
    return run;
  },
  'a run that goes on from where another one was': () => {
    const definition = flow([task('a', write), task('b')], [go('a', 'b')]);
    const first = PlannedRun.started(definition);
    first.complete('a', { x: 1 });
    first.send({ type: 'pause' });
    first.send({ type: 'recover' });
    const run = new PlannedRun(definition);
    run.start({}, { retryOf: 'run-0' }, encoded(first.state));
    run.complete('b');
    return run;
  },
};

export const scenarioNames = Object.keys(scenarios);

export function scenario(name: string): PlannedRun {
  const play = scenarios[name];
  if (!play) throw new Error(`Expected a scenario called ${name}, but there is none`);
  return play();
}
