import { describe, expect, test } from 'vitest';
import { problemsOf } from './problems.testsuite.ts';

const workflow = (nodes: readonly (string | object)[], transitions: readonly object[]) => ({
  id: 'w',
  initialNode: 'a',
  nodes: nodes.map((node) => (typeof node === 'string' ? { id: node } : node)),
  transitions,
});
const found = (code: string, source: object): string[] => problemsOf(source).filter((line) => line.includes(code));
const go = (from: string, to: string, more: object = {}) => ({ from, to, ...more });

describe('[DF61] a workflow that calls itself', () => {
  const calls = (nodes: readonly (string | object)[], transitions: readonly object[] = []) =>
    found('CALLS_ITSELF', workflow(nodes, transitions)).map((line) => line.slice(0, line.indexOf(':')));
  const self = { id: 'b', workflow: 'w' };

  test('on every way', () => {
    expect(calls([{ id: 'a', workflow: 'w' }])).toEqual(['warning CALLS_ITSELF /nodes/0/workflow']);
    expect(calls(['a', self], [go('a', 'b')])).toEqual(['warning CALLS_ITSELF /nodes/1/workflow']);
    const unreached = found('CALLS_ITSELF', workflow(['a', { id: 'd', workflow: 'w' }, self], [go('a', 'b')]));
    expect(unreached).toEqual([expect.stringContaining('every way leads to node "b"')]);
    const both = [go('a', 'b', { condition: 'input.x' }), go('a', 'c', { priority: 2 }), go('c', 'b')];
    expect(calls(['a', self, 'c'], both)).toEqual(['warning CALLS_ITSELF /nodes/1/workflow']);
  });

  test('also where a failure may end it', () => {
    expect(calls(['a', { id: 'b', workflow: { id: 'w', onFailure: 'catch' } }], [go('a', 'b')])).toEqual([
      'warning CALLS_ITSELF /nodes/1/workflow',
    ]);
    expect(calls(['a', self, 'c'], [go('a', 'b'), go('b', 'c', { on: 'failure' })])).toEqual([
      'warning CALLS_ITSELF /nodes/1/workflow',
    ]);
  });

  test('not where something decides', () => {
    expect(calls(['a', self], [go('a', 'b', { condition: 'input.x' })])).toEqual([]);
    expect(calls(['a', self, 'c'], [go('a', 'c', { condition: 'input.x' }), go('a', 'b', { priority: 2 })])).toEqual(
      [],
    );
    expect(calls(['a', self, 'c'], [go('a', 'b'), go('a', 'c', { on: 'failure' })])).toEqual([]);
    expect(calls(['a', self], [go('a', 'b', { foreach: { collection: 'input.l' } })])).toEqual([]);
    expect(calls([{ id: 'a', workflow: { id: 'w', version: 3 } }])).toEqual([]);
    expect(calls([{ id: 'a', workflow: 'other' }])).toEqual([]);
  });
});

describe('[DF62] an edge join that requires all', () => {
  const all = (from: string, to: string, more: object = {}) =>
    go(from, to, { synchronization: { over: 'edges', require: 'all' }, ...more });
  const never = (nodes: readonly string[], transitions: readonly object[]) =>
    found('JOIN_NEVER_MET', workflow(nodes, transitions));

  test('exclusive ways', () => {
    const ways = [go('a', 'b', { priority: 1, condition: 'input.x' }), go('a', 'c', { priority: 2 })];
    expect(never(['a', 'b', 'c', 'j'], [...ways, all('b', 'j'), all('c', 'j')])).toEqual([
      'warning JOIN_NEVER_MET /transitions/3: Expected all transitions into node "j" to be taken, since its join requires all, but transition "b->j" and transition "c->j" exclude each other: only one of transition "a->b" and transition "a->c" is taken | Write "require": "some", or lead there by ways that are all taken.',
    ]);
    const outcomes = [go('a', 'b'), go('a', 'c', { on: 'failure' }), all('b', 'j'), all('c', 'j')];
    expect(never(['a', 'b', 'c', 'j'], outcomes)).toHaveLength(1);
    const deeper = [
      ...ways,
      go('b', 'd'),
      go('c', 'd', { priority: 1 }),
      all('c', 'j', { priority: 2 }),
      all('b', 'j'),
    ];
    expect(never(['a', 'b', 'c', 'd', 'j'], deeper)).toHaveLength(1);
  });

  test('a way that is never taken', () => {
    expect(never(['a', 'b', 'j'], [go('a', 'b'), all('b', 'j'), all('a', 'j', { condition: false })])).toHaveLength(1);
    expect(never(['a', 'b', 'j'], [all('b', 'j'), all('a', 'j')])).toHaveLength(1);
  });

  test('not where all can be taken, in one visit or in several', () => {
    const parallel = [go('a', 'b'), go('a', 'c'), all('b', 'j'), all('c', 'j')];
    expect(never(['a', 'b', 'c', 'j'], parallel)).toEqual([]);
    const ways = [go('a', 'b', { priority: 1, condition: 'input.x' }), go('a', 'c', { priority: 2 })];
    const loop = [...ways, go('b', 'a', { loop: { maxIterations: 2 } }), all('b', 'j'), all('c', 'j')];
    expect(never(['a', 'b', 'c', 'j'], loop)).toEqual([]);
  });
});
