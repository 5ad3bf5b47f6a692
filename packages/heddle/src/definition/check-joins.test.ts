import { describe, expect, test } from 'vitest';
import { parseDefinition } from '../dialects/parse.ts';
import { defaultLimits } from './limits.ts';

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

describe('a join without a merge', () => {
  const working = (outputMapping: object, more: object = {}, synchronization: object = {}) =>
    fan(synchronization, { nodes: [{ id: 'a' }, { id: 'b', action: 'x', outputMapping, ...more }, { id: 'c' }] });

  test('[DF83] is a warning where its branches write what nothing inside them reads', () => {
    expect(parse(working({ 'state.score': 'result.score' })).problems).toEqual([
      {
        severity: 'warning',
        code: 'JOIN_WITHOUT_MERGE',
        pointer: '/transitions/1/synchronization',
        message:
          'Expected a "merge" on transition "b->c", since node "b" writes "state.score" in the branches that it joins, but there is none: it will be dropped',
        hint: 'Add "merge": {"source": "_branch.output.score", "target": "state.<key>", "strategy": "append"}, or "merge": [] if it is not needed behind the join.',
      },
    ]);
  });

  test.each([
    ['they write nothing', working({})],
    ['there is a merge', working({ 'state.x': 'result' }, {}, { merge: { target: 'state.x', strategy: 'append' } })],
    ['its author says that nothing is to be merged', working({ 'state.x': 'result' }, {}, { merge: [] })],
    ['its merge is wrong, which is reported', working({ 'state.x': 'result' }, {}, { merge: { target: 'state.x' } })],
    ['a mapping inside reads it', working({ 'state.x': 'result' }, { inputMapping: { old: 'state.?x' } })],
    ['all that was written is read', working({ 'state.x': 'result' }, { inputMapping: { all: '_branch.output' } })],
  ])('[DF83] not where %s', (_, source) => {
    expect(problemsOf(source).filter((line) => line.startsWith('JOIN_WITHOUT_MERGE'))).toEqual([]);
  });

  test('[DF83] nor of what ends elsewhere, or is written outside the branches', () => {
    const nodes = [
      { id: 'a', action: 'x', outputMapping: { 'state.before': 'result' } },
      { id: 'b' },
      { id: 'aside', action: 'x', outputMapping: { 'state.lost': 'result' } },
      { id: 'c', action: 'x', outputMapping: { 'state.after': 'result' } },
    ];
    const transitions = [
      { from: 'a', to: 'b', spawnCount: 2 },
      { from: 'b', to: 'aside', priority: 1, condition: 'input.x' },
      { from: 'b', to: 'c', priority: 2, synchronization: {} },
    ];
    expect(problemsOf(fan({}, { nodes, transitions }))).toEqual([]);
  });

  test('[DF83] what an inner join merges is written in the outer branch', () => {
    const nodes = [
      { id: 'a' },
      { id: 'row' },
      { id: 'cell', action: 'x', outputMapping: { 'state.v': 'result.v' } },
      { id: 'sum' },
      { id: 'end' },
    ];
    const inner = (merge: unknown) => ({ siblingGroup: 'cells', merge });
    const nested = (merge: unknown) => [
      { from: 'a', to: 'row', spawnCount: 2, siblingGroup: 'rows' },
      { from: 'row', to: 'cell', spawnCount: 2, siblingGroup: 'cells' },
      { from: 'cell', to: 'sum', synchronization: inner(merge) },
      { from: 'sum', to: 'end', synchronization: { siblingGroup: 'rows' } },
    ];
    const list = { source: '_branch.output.v', target: 'state.row', strategy: 'append' };
    expect(problemsOf(fan({}, { nodes, transitions: nested(list) }))).toEqual([
      'JOIN_WITHOUT_MERGE /transitions/3/synchronization',
    ]);
    expect(problemsOf(fan({}, { nodes, transitions: nested([]) }))).toEqual([]);
  });
});

describe('a quorum above what can arrive', () => {
  const group = (to: string, more: object = {}) => ({ from: 'a', to, siblingGroup: 'g', ...more });
  const meet = (from: string, mOfN: number, to = 'j') => ({ from, to, synchronization: { strategy: { mOfN } } });
  const told = (transitions: readonly object[]) => {
    const nodes = ['a', 'b', 'c', 'd', 'j', 'k'].map((id) => ({ id }));
    return parse(fan({}, { nodes, transitions })).problems.filter(({ code }) => code === 'QUORUM_ABOVE_TOTAL');
  };

  test('[DF87] only branches whose ways lead to the join count', () => {
    const ways = [group('b'), group('c'), group('d'), meet('b', 3), meet('c', 3)];
    expect(told(ways)).toEqual([
      {
        severity: 'error',
        code: 'QUORUM_ABOVE_TOTAL',
        pointer: '/transitions/3/synchronization/strategy/mOfN',
        message:
          'Expected the quorum of transition "b->j" to be at most the 2 branches that can come there, but found 3',
        hint: 'Lower the quorum, or lead more branches to node "j".',
      },
      expect.objectContaining({ pointer: '/transitions/4/synchronization/strategy/mOfN' }),
    ]);
    expect(told([...ways, { from: 'd', to: 'c', condition: 'input.x' }])).toEqual([]);
    expect(told([group('b'), group('c'), meet('b', 1, 'k'), meet('c', 1), { from: 'k', to: 'j' }])).toEqual([]);
    expect(told([group('b'), group('c'), meet('b', 1, 'k'), meet('c', 2), { from: 'k', to: 'c' }])).toHaveLength(1);
  });

  test('[DF87] branches of one outcome, and those that can begin', () => {
    const outcomes = [group('b'), group('c', { on: 'failure' }), group('d', { on: 'any' })];
    expect(told([...outcomes, meet('b', 2), meet('c', 2), meet('d', 2)])).toEqual([]);
    expect(told([...outcomes, meet('b', 3), meet('c', 3), meet('d', 3)])).toHaveLength(3);
    expect(
      told([group('b', { spawnCount: 2 }), group('c', { condition: false }), meet('b', 3), meet('c', 3)]),
    ).toHaveLength(2);
    const written = (collection: string) => [group('b', { foreach: { collection } }), meet('b', 3)];
    expect(told(written('[1, input.x]'))).toHaveLength(1);
    expect(told(written('[1, 2, 3]'))).toEqual([]);
    expect(told(written('input.list'))).toEqual([]);
  });

  test('[DF87] nothing is said where groups are opened inside themselves', () => {
    const round = [group('b'), group('c'), { from: 'b', to: 'a', condition: 'input.x' }, meet('c', 2)];
    expect(told(round)).toEqual([]);
  });
});
