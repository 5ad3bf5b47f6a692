// Runs that together do everything a run can do: what holds for planning as such is tested on each of their steps.

import { encoded, fan, flow, go, node, PlannedRun, task } from './planning.testsuite.ts';

const items = { items: ['a', 'b', 'c'] };
const merge = { source: '_branch.output.x', target: 'state.all', strategy: 'append' };
const write = { outputMapping: { 'state.x': 'result.x' } };

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
