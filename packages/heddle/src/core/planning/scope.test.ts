import { describe, expect, test } from 'vitest';
import { flow, Trial, task } from './planning.testsuite.ts';

const seen = (trial: Trial, node: string) =>
  trial.journal.flatMap((event) =>
    event.type === 'task.dispatched' &&
    trial.journal.some(
      (e) =>
        e.type === 'token.created' &&
        e.node === node &&
        event.token >= e.token &&
        event.token < e.token + (e.count ?? 1),
    )
      ? [event.input]
      : [],
  );

describe('what a branch reads', () => {
  const layered = flow(
    [
      task('start', { outputMapping: { 'state.a.x': "'root'", 'state.a.y': "'root'", 'output.o': "'root'" } }),
      task('outer', { outputMapping: { 'state.a.x': '_branch.index', 'output.o': "'outer'" } }),
      task('inner', { outputMapping: { 'state.a.z': '_branch.index' } }),
      task('look', { inputMapping: { state: 'state', output: 'output', branch: '_branch' } }),
    ],
    [
      { from: 'start', to: 'outer', spawnCount: 2, siblingGroup: 'g' },
      { from: 'outer', to: 'inner', spawnCount: 2, siblingGroup: 'h' },
      { from: 'inner', to: 'look' },
    ],
  );

  test('[CX1] its own writes over those of the enclosing branches, over the run, path by path', () => {
    const trial = new Trial(layered);
    trial.complete(1);
    trial.complete(3);
    trial.complete(trial.ids('inner')[0] ?? 0);
    expect(trial.of('task.dispatched')[0]?.input).toMatchObject({
      state: { a: { x: 1, y: 'root', z: 0 } },
      output: { o: 'outer' },
    });
    expect(trial.context).toEqual({ state: { a: { x: 'root', y: 'root' } }, output: { o: 'root' } });
  });

  test('[CX5] _branch tells index, total, where it fanned out, what was written, and the branch around it', () => {
    const trial = new Trial(layered);
    trial.complete(1);
    trial.complete(3);
    trial.complete(trial.ids('inner')[0] ?? 0);
    expect(trial.of('task.dispatched')[0]?.input).toMatchObject({
      branch: {
        index: 0,
        total: 2,
        fanOutNodeId: 'outer',
        output: { a: { z: 0 } },
        parent: { index: 1, total: 2, fanOutNodeId: 'start', output: { a: { x: 1 }, o: 'outer' } },
      },
    });
  });

  test('[CX5] outside every group there is no _branch', () => {
    const trial = new Trial(flow([task('a', { inputMapping: { branch: '_branch', index: '_branch.index' } })]));
    expect(trial.of('task.dispatched')).toMatchObject([{ input: {} }]);
  });

  test('[CX4] an item variable is the item of the nearest foreach of that name', () => {
    const trial = new Trial(
      flow(
        ['a', 'b', task('c', { inputMapping: { x: 'x', y: 'y' } })],
        [
          { from: 'a', to: 'b', foreach: { collection: 'input.rows', itemVar: 'x' } },
          {
            from: 'b',
            to: 'c',
            foreach: { collection: 'x.cells', itemVar: 'y' },
            priority: 1,
            condition: 'has(x.cells)',
          },
          { from: 'b', to: 'c', foreach: { collection: 'x.again', itemVar: 'x' }, priority: 2 },
        ],
      ),
      { input: { rows: [{ cells: [1] }, { again: ['inner'] }] } },
    );
    expect(seen(trial, 'c')).toEqual([{ x: { cells: [1] }, y: 1 }, { x: 'inner' }]);
  });
});

describe('what a branch gives', () => {
  const fan = (outputMapping: Record<string, string> | undefined) =>
    flow(
      [
        'start',
        task('one', outputMapping ? { outputMapping } : {}),
        'pass',
        task('look', { inputMapping: { b: '_branch.output', s: 'state' } }),
      ],
      [
        { from: 'start', to: 'one', spawnCount: 2, siblingGroup: 'g' },
        { from: 'one', to: 'pass' },
        { from: 'pass', to: 'look' },
      ],
    );

  test('[CX2] what its mappings wrote, without the leading section, state winning over output', () => {
    const trial = new Trial(fan({ 'state.a': 'result.n', 'output.b': "'out'", 'output.a': "'lost'" }));
    trial.complete(2, { n: 5 });
    expect(trial.of('task.dispatched')).toMatchObject([{ input: { b: { a: 5, b: 'out' }, s: { a: 5 } } }]);
  });

  test('[CX2] if no mapping wrote, the last raw output of a task, which is never readable as state', () => {
    const trial = new Trial(fan(undefined));
    trial.complete(2, { raw: 1 });
    expect(trial.of('task.dispatched')).toMatchObject([{ input: { b: { raw: 1 }, s: {} } }]);
  });

  test('[CX2] what a caught sub-workflow gave counts as raw output too', () => {
    const trial = new Trial(
      flow(
        [
          'start',
          { id: 'sub', workflow: { id: 'other', onFailure: 'catch' } },
          task('look', { inputMapping: { b: '_branch.output.status' } }),
        ],
        [
          { from: 'start', to: 'sub', spawnCount: 2, siblingGroup: 'g' },
          { from: 'sub', to: 'look' },
        ],
      ),
    );
    trial.childEnded(2, { status: 'failed', error: { code: 'X', message: 'x' } });
    expect(trial.of('task.dispatched')).toMatchObject([{ input: { b: 'failed' } }]);
  });

  test('[CX3] outside every group values are written to the run, inside to the branch alone', () => {
    const trial = new Trial(
      flow(
        [
          task('start', { outputMapping: { 'state.n': 'result.n' } }),
          task('work', { outputMapping: { 'state.n': 'result.n' } }),
          task('after'),
        ],
        [
          { from: 'start', to: 'work', spawnCount: 2, siblingGroup: 'g' },
          { from: 'work', to: 'after', synchronization: { siblingGroup: 'g', strategy: 'all' } },
        ],
      ),
    );
    trial.complete(1, { n: 'root' });
    expect(trial.told).toContain('0:0 state.n="root"');
    trial.complete(2, { n: 'branch' });
    expect(trial.told).toContain('1:0 state.n="branch"');
    trial.complete(3, { n: 'other' });
    expect(trial.context.state).toEqual({ n: 'root' });
  });

  test('[CX3] parallel tokens that share no group write to the scope they came from', () => {
    const trial = new Trial(
      flow(
        [
          'a',
          task('b', { outputMapping: { 'state.b': 'result' } }),
          task('c', { outputMapping: { 'state.c': 'result' } }),
        ],
        [
          { from: 'a', to: 'b' },
          { from: 'a', to: 'c' },
        ],
      ),
    );
    trial.complete(2, 1);
    trial.complete(3, 2);
    expect(trial.context.state).toEqual({ b: 1, c: 2 });
  });
});

describe('the last error', () => {
  const repair = flow(
    [
      task('a'),
      task('mend', {
        inputMapping: { e: 'state._last_error', all: 'state' },
        outputMapping: { 'state.why': 'state._last_error.code' },
      }),
      task('next', { inputMapping: { e: 'state._last_error' } }),
    ],
    [
      { from: 'a', to: 'mend', on: 'failure', condition: "state._last_error.code == 'BROKEN'" },
      { from: 'mend', to: 'next' },
    ],
  );

  test('[FL2] it is read as state._last_error, along the path of the failure, and is never part of the state', () => {
    const trial = new Trial(repair);
    trial.fail(1);
    expect(trial.of('token.created')[0]?.lastError).toEqual({
      code: 'BROKEN',
      message: 'BROKEN it is',
      nodeId: 'a',
      attempts: 1,
    });
    expect(trial.of('task.dispatched')).toMatchObject([
      { input: { e: { code: 'BROKEN', message: 'BROKEN it is', nodeId: 'a', attempts: 1 } } },
    ]);
    trial.complete(2);
    expect(trial.context.state).toEqual({ why: 'BROKEN' });
  });

  test('[FL3] the next success on the path clears it', () => {
    const trial = new Trial(repair);
    trial.fail(1);
    trial.complete(2);
    expect(trial.of('task.dispatched')).toMatchObject([{ token: 3, input: {} }]);
    expect(trial.of('token.created')[0]).not.toHaveProperty('lastError');
  });

  test('[FL3] it ends at a join', () => {
    const trial = new Trial(
      flow(
        ['s', task('a'), task('j', { inputMapping: { e: 'state._last_error' } })],
        [
          { from: 's', to: 'a', spawnCount: 1, siblingGroup: 'g' },
          { from: 'a', to: 'j', on: 'failure', synchronization: { siblingGroup: 'g', strategy: 'all' } },
        ],
      ),
    );
    trial.fail(2);
    expect(trial.of('task.dispatched')).toMatchObject([{ input: {} }]);
  });
});
