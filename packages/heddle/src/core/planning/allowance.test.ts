import { describe, expect, test } from 'vitest';
import { hasSpawnable } from '../run-class.ts';
import { flow, lowered, Trial, task } from './planning.testsuite.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
/** About 4,000 steps of 40 items. */
const squares = 'input.l.map(x, input.l.map(y, x + y))';
const l = numbers(40);
const times = (count: number, entry: (index: number) => string) =>
  Object.fromEntries(numbers(count).map((index) => [`state.k${index}`, entry(index)]));
const exceeded = (limit: string) => ({ code: 'LIMIT_EXCEEDED', limit, message: expect.stringContaining(limit) });

describe('what one command may take', () => {
  const limits = { commandCostMax: 100_000 };

  test('[PL5] the mappings of a command are counted together, and what was decided before stays', () => {
    const nodes = ['a', { id: 'b', outputMapping: times(100, () => squares) }];
    const trial = new Trial(flow(nodes, [{ from: 'a', to: 'b' }]), { input: { l }, limits });
    expect(trial.error).toMatchObject(exceeded('commandCostMax'));
    expect(trial.told).toEqual([
      'workflow.started',
      '1 created at a',
      '1 completed',
      '2 created at b',
      '2 task.failed',
      'workflow.failed',
    ]);
    const few = flow(['a', { id: 'b', outputMapping: times(10, () => squares) }], [{ from: 'a', to: 'b' }]);
    expect(new Trial(few, { input: { l }, limits }).state.outcome).toBe('completed');
  });

  test('[PL5] so are conditions, merges and the output of the run', () => {
    const conditions = flow(
      ['a', 'b'],
      numbers(100).map((index) => ({ id: `t${index}`, from: 'a', to: 'b', condition: `size(${squares}) == ${index}` })),
    );
    const merge = { source: squares, target: 'state.m', strategy: 'append' as const };
    const joined = flow(
      ['a', 'b', 'c'],
      [
        { from: 'a', to: 'b', spawnCount: 100, siblingGroup: 'g' },
        { from: 'b', to: 'c', synchronization: { strategy: 'all', siblingGroup: 'g', merge } },
      ],
    );
    const output = flow(['a'], [], { outputMapping: times(100, () => squares) });
    for (const definition of [conditions, joined, output])
      expect(new Trial(definition, { input: { l }, limits }).error).toMatchObject(exceeded('commandCostMax'));
  });

  test('[PL5] so are tokens: a loop without work ends', () => {
    const loop = flow(['a'], [{ from: 'a', to: 'a' }]);
    const trial = new Trial(loop, { limits });
    expect(trial.error).toMatchObject(exceeded('commandCostMax'));
    expect(trial.state.lastToken).toBe(1_001);
  });

  test('[PL5] so are checks against the schema of the state', () => {
    const stateSchema = { properties: { l: { type: 'array', items: { type: 'number' } } } };
    const looped = flow(
      [{ id: 'a', outputMapping: { 'state.l': 'input.l' } }],
      [{ from: 'a', to: 'a', loop: { maxIterations: 100 } }],
      { stateSchema },
    );
    const plain = flow(looped.nodes, looped.transitions);
    const input = { l: numbers(200) };
    expect(new Trial(looped, { input, limits }).error).toMatchObject(exceeded('commandCostMax'));
    expect(new Trial(plain, { input, limits }).error).toMatchObject({ code: 'NO_TRANSITION_MATCHED' });
  });

  test('[PL5] so is what a branch reads through many writes', () => {
    const nodes = [
      'a',
      { id: 'b', outputMapping: times(500, String) },
      { id: 'c', outputMapping: { 'state.x': 'state.k1' } },
      task('d'),
    ];
    const looped = flow(nodes, [
      { from: 'a', to: 'b', siblingGroup: 'g' },
      { from: 'b', to: 'c' },
      { from: 'c', to: 'c', priority: 1, loop: { maxIterations: 200 } },
      { from: 'c', to: 'd', priority: 2 },
    ]);
    expect(new Trial(looped, { limits }).error).toMatchObject(exceeded('commandCostMax'));
    expect(new Trial(looped).state.dispatched).toBe(1);
  });

  test('[PL5] no failure is tolerated in place of the run: the limit is the error', () => {
    const nodes = ['a', { id: 'b', outputMapping: times(100, () => squares) }, 'c'];
    const tolerant = flow(nodes, [
      { from: 'a', to: 'b', siblingGroup: 'g', spawnCount: 3, onBranchFailure: 'end' },
      { from: 'b', to: 'c', on: 'failure' },
    ]);
    expect(new Trial(tolerant, { input: { l }, limits }).error).toMatchObject(exceeded('commandCostMax'));
  });

  test('[PL6] the values of a command are counted together: a long loop of large states', () => {
    const loop = flow(
      [{ id: 'a', outputMapping: { 'state.text': 'input.text' } }],
      [{ from: 'a', to: 'a', loop: { maxIterations: 1_000 } }],
    );
    const trial = new Trial(loop, { input: { text: 'x'.repeat(1_000) }, limits: { commandBytesMax: 50_000 } });
    expect(trial.error).toMatchObject(exceeded('commandBytesMax'));
    expect(trial.of('context.updated')).toHaveLength(49);
  });

  test('[PL6] and so are values that no expression makes', () => {
    const edits = [{ set: ['t'], to: { literal: 'x'.repeat(1_000) } }];
    const loop = lowered([{ id: 'a', edits }], [{ from: 'a', to: 'a', loop: { maxIterations: 1_000 } }]);
    expect(new Trial(loop, { limits: { commandBytesMax: 50_000 } }).error).toMatchObject(exceeded('commandBytesMax'));
  });
});

describe('what is left to the next command', () => {
  const fan = flow(
    ['s', task('w', { inputMapping: { text: 'input.text', i: '_branch.index' } }), 'end'],
    [
      { from: 's', to: 'w', spawnCount: 6, siblingGroup: 'g' },
      { from: 'w', to: 'end', synchronization: { strategy: 'all', siblingGroup: 'g' } },
    ],
  );

  test('[PL7] tasks are handed out by bytes too; the rest follow in commands of their own', () => {
    const trial = new Trial(fan, { input: { text: 'x'.repeat(998) }, limits: { commandBytesMax: 160_000 } });
    expect(trial.of('task.dispatched').map(({ token }) => token)).toEqual([2, 3, 4]);
    expect(trial.isUnfinished).toBe(true);
    trial.send({ type: 'continue' });
    expect(trial.told).toEqual(['5 handed out 1.1', '6 handed out 1.1', '7 handed out 1.1']);
    expect(trial.isUnfinished).toBe(false);
    trial.send({ type: 'continue' });
    expect([trial.told, trial.isUnfinished]).toEqual([[], false]);
  });

  test('[TS14] the inputs of tasks that have not ended are bounded; one task is always handed out', () => {
    const text = 'x'.repeat(998);
    const trial = new Trial(fan, { input: { text }, limits: { dispatchWindowBytes: 2_000 } });
    expect([trial.state.dispatched, trial.isUnfinished]).toEqual([2, false]);
    trial.complete(2);
    expect(trial.of('task.dispatched').map(({ token }) => token)).toEqual([4]);
    expect(new Trial(fan, { input: { text }, limits: { dispatchWindowBytes: 10 } }).state.dispatched).toBe(1);
  });

  test('[PL7] a paused run takes nothing on, and continues when it is resumed', () => {
    const trial = new Trial(fan, { input: { text: 'x'.repeat(998) }, limits: { commandBytesMax: 160_000 } });
    trial.send({ type: 'pause' });
    expect(trial.isUnfinished).toBe(false);
    trial.send({ type: 'continue' });
    expect(trial.reply).toEqual({ applied: false, reason: 'nothing was left to do' });
    trial.send({ type: 'resume' });
    expect(trial.of('task.dispatched')).toHaveLength(3);
  });

  test('[PL7] due timers', () => {
    const waits = flow(
      ['s', { id: 'w', wait: { seconds: 1 } }, { id: 'x', outputMapping: { 'state.text': squares } }, task('end')],
      [
        { from: 's', to: 'w', spawnCount: 10, siblingGroup: 'g' },
        { from: 'w', to: 'x' },
        { from: 'x', to: 'end' },
      ],
    );
    const trial = new Trial(waits, { input: { l }, limits: { commandCostMax: 200_000 } });
    const fired: number[] = [];
    for (let ring = 0; ring < 5; ring++) {
      trial.alarmAt(10_000);
      fired.push(trial.of('timer.fired').length);
    }
    expect(fired.reduce((sum, count) => sum + count)).toBe(10);
    expect(Math.max(...fired)).toBeLessThan(5);
  });

  test('[FO13] branches begin in windows, each when those before it have come to rest', () => {
    const trial = new Trial(fan, { limits: { spawnWindow: 4 } });
    expect(trial.told.filter((line) => !line.includes('workflow'))).toEqual([
      '1 created at s',
      '1 completed',
      'group 1 fan_out.started',
      '2-5 created at w in 1:0',
      ...[2, 3, 4, 5].map((token) => `${token} handed out 1.1`),
      '6-7 created at w in 1:4',
      '6 handed out 1.1',
      '7 handed out 1.1',
    ]);
    expect(trial.isUnfinished).toBe(false);
  });

  const narrow = { spawnWindow: 2, commandCostMax: 6_000 };

  test('[FO13] and in the commands that follow', () => {
    const trial = new Trial(fan, { limits: narrow });
    expect([trial.isUnfinished, trial.tokensAt('w').length]).toEqual([true, 2]);
    trial.send({ type: 'continue' });
    expect([trial.isUnfinished, trial.tokensAt('w').length]).toEqual([true, 4]);
    for (const id of trial.ids('w')) trial.complete(id);
    while (trial.isUnfinished) trial.send({ type: 'continue' });
    for (const id of trial.ids('w')) trial.complete(id);
    expect(trial.state.outcome).toBe('completed');
  });

  test('[FO13] branches without work all begin before the run completes', () => {
    const pass = flow(
      ['s', 'b', 'c'],
      [
        { from: 's', to: 'b', spawnCount: 20 },
        { from: 'b', to: 'c' },
      ],
    );
    const trial = new Trial(pass, { limits: narrow });
    expect([trial.state.outcome, trial.state.tokens.size, trial.isUnfinished]).toEqual([null, 0, true]);
    while (trial.isUnfinished) trial.send({ type: 'continue' });
    expect([trial.state.outcome, trial.state.lastToken]).toEqual(['completed', 41]);
  });

  test.each([
    ['cancel', 5],
    ['abandon', 6],
  ] as const)('[FO13] a join that acts before they begin: %s', (onEarlyComplete, tokens) => {
    const any = flow(
      ['s', task('w'), 'end'],
      [
        { from: 's', to: 'w', spawnCount: 6, siblingGroup: 'g' },
        { from: 'w', to: 'end', synchronization: { strategy: 'any', siblingGroup: 'g', onEarlyComplete } },
      ],
    );
    const trial = new Trial(any, { limits: narrow });
    trial.complete(2);
    expect([trial.isUnfinished, hasSpawnable(trial.state)]).toEqual([false, false]);
    if (onEarlyComplete === 'abandon') trial.complete(3);
    expect([trial.state.outcome, trial.state.lastToken]).toEqual(['completed', tokens]);
  });
});
