import { describe, expect, test } from 'vitest';
import { defaultLimits } from '../../definition/limits.ts';
import { parseDefinition } from '../../dialects/parse.ts';
import { flow, Trial, task } from './planning.testsuite.ts';

const seen = { last: 'state._last_error.code', failure: 'state._failure.code' };
const look = (id: string) => task(id, { inputMapping: seen });
const inputs = (trial: Trial) => trial.of('task.dispatched').map(({ input }) => input);

describe('the failure that a failure route was taken for', () => {
  test('[FL5] a saga: it is read behind the next success, until the path ends', () => {
    const trial = new Trial(
      flow(
        [task('ship'), look('refund'), look('unreserve'), task('done')],
        [
          { from: 'ship', to: 'refund', on: 'failure' },
          { from: 'ship', to: 'done' },
          { from: 'refund', to: 'unreserve', condition: "state._failure.code == 'LOST' && !has(state._last_error)" },
        ],
      ),
    );
    trial.fail(1, 'LOST');
    expect(inputs(trial)).toEqual([{ last: 'LOST', failure: 'LOST' }]);
    trial.complete(2);
    expect(inputs(trial)).toEqual([{ failure: 'LOST' }]);
    expect(trial.of('token.created')[0]).toMatchObject({ failure: { code: 'LOST', nodeId: 'ship', attempts: 1 } });
    trial.complete(3);
    expect([trial.state.outcome, trial.context.state]).toEqual(['completed', {}]);
  });

  test('[FL5] is in no state, output or merge, and nobody writes it', () => {
    const trial = new Trial(
      flow(
        [task('a'), task('b', { outputMapping: { 'output.all': 'state', 'output.why': 'state._failure' } })],
        [{ from: 'a', to: 'b', on: 'failure' }],
      ),
    );
    trial.fail(1, 'LOST');
    trial.complete(2);
    const written = flow([task('a', { outputMapping: { 'state._failure': 'result' } })]);
    const { problems } = parseDefinition(written, { limits: defaultLimits });
    expect(problems.map(({ code, pointer }) => [code, pointer])).toEqual([
      ['INVALID_TARGET', '/nodes/0/outputMapping/state._failure'],
    ]);
    expect(trial.context.state).toEqual({});
    expect(trial.context.output).toMatchObject({
      why: { code: 'LOST', message: 'LOST it is', nodeId: 'a', attempts: 1 },
    });
  });

  test('[FL6] a later failure that is handled replaces it; a path without a failure has none', () => {
    const trial = new Trial(
      flow(
        [look('a'), look('b'), look('c'), look('d')],
        [
          { from: 'a', to: 'b', on: 'any' },
          { from: 'b', to: 'c', on: 'any' },
          { from: 'c', to: 'd', on: 'any' },
        ],
      ),
    );
    expect(inputs(trial)).toEqual([{}]);
    trial.fail(1, 'FIRST');
    trial.fail(2, 'SECOND');
    expect(inputs(trial)).toEqual([{ last: 'SECOND', failure: 'SECOND' }]);
    trial.complete(3);
    expect(inputs(trial)).toEqual([{ failure: 'SECOND' }]);
  });

  test('[FL7] a fan-out hands it to its branches, and behind the join it is that of the path that fanned out', () => {
    const trial = new Trial(
      flow(
        [task('ship'), 'undo', look('refund'), look('mend'), look('after')],
        [
          { from: 'ship', to: 'undo', on: 'failure' },
          { from: 'undo', to: 'refund', spawnCount: 2, siblingGroup: 'g' },
          { from: 'refund', to: 'mend', on: 'failure', priority: 1 },
          { from: 'refund', to: 'after', priority: 2, synchronization: { siblingGroup: 'g' } },
          { from: 'mend', to: 'after', synchronization: { siblingGroup: 'g' } },
        ],
      ),
    );
    trial.fail(1, 'LOST');
    expect(inputs(trial)).toEqual([{ failure: 'LOST' }, { failure: 'LOST' }]);
    const [first = 0, second = 0] = trial.ids('refund');
    trial.fail(first, 'REFUSED');
    expect(inputs(trial)).toEqual([{ last: 'REFUSED', failure: 'REFUSED' }]);
    trial.complete(trial.ids('mend')[0] ?? 0);
    trial.complete(second);
    expect(inputs(trial)).toEqual([{ failure: 'LOST' }]);
  });

  test('[FL7] a failure inside a branch ends at its join, and at an edge join', () => {
    const joined = new Trial(
      flow(
        ['split', task('work'), 'mend', look('after')],
        [
          { from: 'split', to: 'work', spawnCount: 1, siblingGroup: 'g' },
          { from: 'work', to: 'mend', on: 'failure' },
          { from: 'mend', to: 'after', synchronization: { siblingGroup: 'g' } },
        ],
      ),
    );
    joined.fail(joined.ids('work')[0] ?? 0);
    expect(inputs(joined)).toEqual([{}]);
    const edges = new Trial(
      flow(
        [task('work'), 'mend', look('after')],
        [
          { from: 'work', to: 'mend', on: 'failure' },
          { from: 'mend', to: 'after', synchronization: { over: 'edges' } },
        ],
      ),
    );
    edges.fail(1);
    expect(inputs(edges)).toEqual([{}]);
  });

  test('[FL7] slices of a batch have it, and so has the batch afterwards', () => {
    const trial = new Trial(
      flow(
        [
          task('ship'),
          'gap',
          { id: 'batch', batch: { items: 'input.list', batchSize: 1 } },
          look('each'),
          look('after'),
        ],
        [
          { from: 'ship', to: 'gap', on: 'failure' },
          { from: 'gap', to: 'batch' },
          { from: 'batch', to: 'each', on: 'slice' },
          { from: 'batch', to: 'after' },
        ],
      ),
      { input: { list: [1] } },
    );
    trial.fail(1, 'LOST');
    expect(inputs(trial)).toEqual([{ failure: 'LOST' }]);
    trial.complete(trial.ids('each')[0] ?? 0);
    expect(inputs(trial)).toEqual([{ failure: 'LOST' }]);
  });

  test('[FL5][SY14] a join that failed is such a failure', () => {
    const trial = new Trial(
      flow(
        ['split', task('work'), 'join', 'handle', look('after')],
        [
          { from: 'split', to: 'work', spawnCount: 1, siblingGroup: 'g', onBranchFailure: 'end' },
          { from: 'work', to: 'join', synchronization: { siblingGroup: 'g', strategy: 'any' } },
          { from: 'join', to: 'handle', on: 'failure' },
          { from: 'handle', to: 'after' },
        ],
      ),
    );
    trial.fail(trial.ids('work')[0] ?? 0);
    expect(inputs(trial)).toEqual([{ failure: 'FAN_IN_UNREACHABLE' }]);
  });
});
