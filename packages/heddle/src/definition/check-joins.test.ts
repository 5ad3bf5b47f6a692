import { describe, expect, test } from 'vitest';
import { defaultLimits } from './limits.ts';
import { parseDefinition } from './parse.ts';

/** Two branches `b` of `a`, which meet at `c` as the synchronization says. */
const fan = (synchronization: unknown, more: object = {}): object => ({
  id: 'w',
  initialNode: 'a',
  nodes: [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
  transitions: [
    { from: 'a', to: 'b', spawnCount: 2 },
    { from: 'b', to: 'c', synchronization },
  ],
  ...more,
});

const parse = (source: object) => parseDefinition(source, { limits: defaultLimits });
const problemsOf = (source: object): string[] =>
  parse(source).problems.map(({ code, pointer }) => `${code} ${pointer}`);

describe('a join that says little', () => {
  test('[DF80] without a strategy it waits for all, and is the same definition', () => {
    expect(problemsOf(fan({}))).toEqual([]);
    expect(parse(fan({})).definition).toEqual(parse(fan({ strategy: 'all' })).definition);
  });

  test('[DF80] transitions into one join that say it and that do not agree', () => {
    const transitions = [
      { from: 'a', to: 'b', spawnCount: 2 },
      { from: 'b', to: 'c', condition: 'input.x', synchronization: {} },
      { from: 'b', to: 'c', priority: 2, synchronization: { strategy: 'all' } },
    ];
    expect(problemsOf(fan({}, { transitions }))).toEqual([]);
  });

  test('[DF80] it is none over edges', () => {
    expect(problemsOf(fan({ over: 'edges' }))).toEqual(['FAN_OUT_UNJOINED /transitions/0']);
    expect(problemsOf(fan({ require: 'all' }))).toEqual(['NOT_ALLOWED /transitions/1/synchronization/require']);
  });
});

describe('a join that cannot be read', () => {
  test.each([
    ['an unknown strategy', { strategy: 'al' }, 'UNKNOWN_VALUE /transitions/1/synchronization/strategy'],
    ['a quorum without a number', { strategy: {} }, 'MISSING_FIELD /transitions/1/synchronization/strategy'],
    [
      'a merge without a strategy',
      { merge: { target: 'state.x' } },
      'MISSING_FIELD /transitions/1/synchronization/merge',
    ],
    ['a word in place of an object', 'all', 'WRONG_TYPE /transitions/1/synchronization'],
  ])('[DF81] %s is all that is reported: the fan-out is not called unjoined', (_, synchronization, problem) => {
    expect(problemsOf(fan(synchronization))).toEqual([problem]);
  });

  test('[DF81] nor where the join leads to a node that is not there, or stands on a node', () => {
    const astray = [
      { from: 'a', to: 'b', spawnCount: 2 },
      { from: 'b', to: 'd', synchronization: {} },
    ];
    expect(problemsOf(fan({}, { transitions: astray }))).toEqual([
      'UNKNOWN_NODE /transitions/1/to',
      'UNREACHABLE_NODE /nodes/2',
    ]);
    const nodes = [{ id: 'a' }, { id: 'b' }, { id: 'c', fan_in: 'al' }];
    const plain = [
      { from: 'a', to: 'b', spawnCount: 2 },
      { from: 'b', to: 'c' },
    ];
    expect(problemsOf(fan({}, { nodes, transitions: plain }))).toEqual(['UNKNOWN_VALUE /nodes/2/fan_in']);
  });

  test('[DF81] it does not disagree with others at the same join', () => {
    const transitions = [
      { from: 'a', to: 'b', spawnCount: 2 },
      { from: 'b', to: 'c', condition: 'input.x', synchronization: { strategy: 'ani' } },
      { from: 'b', to: 'c', priority: 2, synchronization: { strategy: 'any' } },
    ];
    expect(problemsOf(fan({}, { transitions }))).toEqual(['UNKNOWN_VALUE /transitions/1/synchronization/strategy']);
  });
});

describe('the merges of a join', () => {
  const list = { target: 'state.list', strategy: 'append' };

  test('[DF82] are one object or a list of them, also beside a node-level fan-in', () => {
    for (const merge of [list, [list], [list, { ...list, target: 'output.all', existing: 'extend' }], []])
      expect(problemsOf(fan({ merge }))).toEqual([]);
    const nodes = [{ id: 'a' }, { id: 'b' }, { id: 'c', fan_in: 'all', merge: [{ ...list, target: 'list' }] }];
    const transitions = [
      { from: 'a', to: 'b', spawnCount: 2 },
      { from: 'b', to: 'c' },
    ];
    expect(parse(fan({}, { nodes, transitions })).definition).toMatchObject({
      transitions: [{}, { synchronization: { merge: [{ target: 'state.list' }] } }],
    });
  });

  test('[DF82] each is checked at its own place', () => {
    const merge = [list, { ...list, target: 'list' }, { ...list, source: 'result.x' }, { ...list, existing: 'append' }];
    expect(problemsOf(fan({ merge }))).toEqual([
      'UNKNOWN_VALUE /transitions/1/synchronization/merge/3/existing',
      'INVALID_TARGET /transitions/1/synchronization/merge/1/target',
      'EXPRESSION_UNKNOWN_NAME /transitions/1/synchronization/merge/2/source',
    ]);
  });
});
