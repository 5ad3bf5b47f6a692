import { describe, expect, test } from 'vitest';
import type { MergeDefinition, SiblingSynchronization } from '../../definition/definition.ts';
import { encodeState } from '../apply/snapshot.ts';
import { flow, Trial, task } from './planning.testsuite.ts';

const all: MergeDefinition = { target: 'state.all', strategy: 'append', include: 'settled' };

/** Branches of a list, of which each may fail, arrive at `after`, or end at `aside`. */
const fan = (synchronization: Partial<SiblingSynchronization>, list = [1, 2, 3]) =>
  new Trial(
    flow(
      ['start', task('work', { outputMapping: { 'state.v': 'result.v' } }), 'aside', task('after')],
      [
        {
          from: 'start',
          to: 'work',
          foreach: { collection: 'input.list', itemVar: 'item' },
          siblingGroup: 'g',
          onBranchFailure: 'end',
        },
        { from: 'work', to: 'aside', priority: 1, condition: 'has(result.aside)' },
        { from: 'work', to: 'after', priority: 2, synchronization: { siblingGroup: 'g', ...synchronization } },
      ],
    ),
    { input: { list } },
  );

const broken = (message = 'BROKEN it is') => ({ code: 'BROKEN', message, nodeId: 'work', attempts: 1 });

describe('branches that did not arrive', () => {
  test('[MG16][MG17] with include: settled each contributes how it settled, in the order of the index', () => {
    const trial = fan({ merge: all });
    const [first = 0, second = 0, third = 0] = trial.ids('work');
    trial.complete(third, { v: 'x', aside: true });
    trial.fail(second);
    trial.complete(first, { v: 'p' });
    expect(trial.context.state).toEqual({
      all: [
        { index: 0, status: 'completed', output: { v: 'p' } },
        { index: 1, status: 'failed', error: broken() },
        { index: 2, status: 'ended' },
      ],
    });
  });

  test('[MG16] without it only those that arrived contribute, whatever the source', () => {
    const trial = fan({ merge: [{ ...all, include: 'arrived', source: '_branch.status' }] });
    const [first = 0, second = 0, third = 0] = trial.ids('work');
    trial.fail(second);
    trial.complete(first);
    trial.complete(third);
    expect(trial.context.state).toEqual({ all: ['completed', 'completed'] });
  });

  test('[CX6][MG16] a source reads status and error beside what every branch has', () => {
    const trial = fan({
      merge: [
        { source: '_branch.output.v', target: 'state.results', strategy: 'append' },
        { ...all, source: "{'item': item, 'code': _branch.error.code}", target: 'state.errors' },
        { ...all, source: '_branch.status', target: 'state.statuses', strategy: 'keyed_by_branch' },
      ],
    });
    const [first = 0, second = 0, third = 0] = trial.ids('work');
    trial.complete(first, { v: 'p' });
    trial.fail(third, 'LATE');
    trial.fail(second);
    expect(trial.context.state).toEqual({
      results: ['p'],
      errors: [
        { item: 2, code: 'BROKEN' },
        { item: 3, code: 'LATE' },
      ],
      statuses: { 0: 'completed', 1: 'failed', 2: 'failed' },
    });
  });

  test('[MG16] a join that does not wait for all tells of those that had settled when it acted', () => {
    const trial = fan({ strategy: 'any', merge: all }, [1, 2, 3, 4]);
    const [first = 0, second = 0] = trial.ids('work');
    trial.fail(second);
    trial.complete(first, { v: 'p' });
    expect(trial.context.state).toEqual({
      all: [
        { index: 0, status: 'completed', output: { v: 'p' } },
        { index: 1, status: 'failed', error: broken() },
      ],
    });
  });

  test('[MG16] so does one whose time is up, and one that nobody reached', () => {
    const late = fan({ timeoutMs: 50, onTimeout: 'proceed_with_available', merge: all });
    late.complete(late.ids('work')[0] ?? 0, { v: 'p' });
    late.alarmAt(late.at + 50);
    expect(late.context.state['all']).toHaveLength(1);
    const none = fan({ merge: all }, [1]);
    none.fail(none.ids('work')[0] ?? 0);
    expect(none.context.state['all']).toEqual([{ index: 0, status: 'failed', error: broken() }]);
  });

  test('[MG17] what an action gave without an output mapping is its output', () => {
    const trial = new Trial(
      flow(
        ['start', task('work'), 'after'],
        [
          { from: 'start', to: 'work', spawnCount: 1, siblingGroup: 'g' },
          { from: 'work', to: 'after', synchronization: { siblingGroup: 'g', merge: all } },
        ],
      ),
    );
    trial.complete(2, { raw: 1 });
    expect(trial.context.state).toEqual({ all: [{ index: 0, status: 'completed', output: { raw: 1 } }] });
  });

  test('[BR5] of a failure a bounded part is kept, until its group is joined; the journal has it all', () => {
    const trial = fan({ merge: all }, [1, 2]);
    const message = 'x'.repeat(2_000);
    const [first = 0, second = 0] = trial.ids('work');
    const failure = { code: 'LONG', message, details: { more: message } };
    trial.answer(first, { type: 'failed', failure, retryable: true, retryAfterMs: null, retry: null });
    expect(trial.of('branch.ended')[0]?.error).toMatchObject(failure);
    const kept = encodeState(trial.state).groups[0]?.branches[0]?.error;
    expect(kept).toEqual({ code: 'LONG', message: `${'x'.repeat(499)}…`, nodeId: 'work', attempts: 1 });
    trial.complete(second);
    expect(encodeState(trial.state).groups).toEqual([]);
    expect(trial.context.state['all']).toMatchObject([{ error: kept }, {}]);
  });
});

describe('a join without a merge', () => {
  test('[BR6] says once what its branches had written, in how many of them, and the first paths', () => {
    const many = Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`state.k${n}`, `result.k${n}`]));
    const dropped = (outputMapping: Readonly<Record<string, string>>, merge?: readonly MergeDefinition[]) => {
      const trial = new Trial(
        flow(
          ['start', task('work', { outputMapping }), task('after')],
          [
            { from: 'start', to: 'work', spawnCount: 3, siblingGroup: 'g' },
            { from: 'work', to: 'after', synchronization: { siblingGroup: 'g', ...(merge ? { merge } : {}) } },
          ],
        ),
      );
      const result = Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`k${n}`, n]));
      for (const [index, id] of trial.ids('work').entries()) trial.complete(id, index === 1 ? {} : result);
      return trial.of('fan_in.completed')[0]?.discarded;
    };
    expect(dropped({ 'state.a': 'result.k1', 'output.b': 'result.k2' })).toEqual({
      branches: 2,
      paths: ['state.a', 'output.b'],
    });
    expect(dropped(many)).toMatchObject({ branches: 2, paths: Object.keys(many).slice(0, 20), morePaths: 5 });
    expect(dropped({})).toBeUndefined();
    expect(dropped(many, [all])).toBeUndefined();
    expect(dropped({ 'state.a': 'result.k1' }, [])).toEqual({ branches: 2, paths: ['state.a'] });
  });
});
