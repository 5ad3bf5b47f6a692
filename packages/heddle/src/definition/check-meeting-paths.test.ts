import { describe, expect, test } from 'vitest';
import { parseDefinition } from '../dialects/parse.ts';
import type { NodeDefinition, TransitionDefinition } from './definition.ts';
import { defaultLimits } from './limits.ts';

const work = (id: string): NodeDefinition => ({ id, action: 'x' });
const go = (from: string, to: string, more: Partial<TransitionDefinition> = {}): TransitionDefinition => ({
  from,
  to,
  ...more,
});
const over = (from: string, to: string) => go(from, to, { synchronization: { over: 'edges' } });

function problemsOf(transitions: readonly TransitionDefinition[], nodes = 'abcdef'): string[] {
  const all = nodes.split('').map(work);
  const source = { id: 'w', initialNode: 'a', nodes: [...all, { id: 'pass' }], transitions };
  const { problems } = parseDefinition(source, { limits: defaultLimits });
  return problems.filter(({ code }) => code === 'PATHS_MEET_UNJOINED').map(({ pointer }) => pointer);
}

const diamond = [go('b', 'd'), go('c', 'd')];

describe('paths that meet', () => {
  test('[DF85] at a node without a join are a warning that names both remedies', () => {
    const source = {
      id: 'w',
      initialNode: 'a',
      nodes: 'abcd'.split('').map(work),
      transitions: [go('a', 'b'), go('a', 'c'), ...diamond],
    };
    expect(parseDefinition(source, { limits: defaultLimits }).problems).toEqual([
      {
        severity: 'warning',
        code: 'PATHS_MEET_UNJOINED',
        pointer: '/nodes/3',
        message:
          'Expected node "d" to run once for each visit of node "a", but transition "a->b" and transition "a->c" fire together and both lead there: it runs for each of them',
        hint: 'Give both one "siblingGroup" and join it at "d", or join all transitions into "d" with "synchronization": {"over": "edges"}.',
      },
    ]);
  });

  test('[DF85] are found far behind, through nodes without work, and once for all that comes after', () => {
    const ways = [
      go('a', 'b'),
      go('a', 'c'),
      go('b', 'e'),
      go('e', 'pass'),
      go('c', 'pass'),
      go('pass', 'd'),
      go('d', 'f'),
    ];
    expect(problemsOf(ways)).toEqual(['/nodes/3']);
  });

  test.each<[string, readonly TransitionDefinition[]]>([
    ['one of them is unconditional', [go('a', 'b'), go('a', 'c', { condition: 'input.x' }), ...diamond]],
    ['both have the same condition', ['b', 'c'].map((to) => go('a', to, { condition: 'input.x' })).concat(diamond)],
    ['both handle a failure', ['b', 'c'].map((to) => go('a', to, { on: 'failure' })).concat(diamond)],
    [
      'one is a fan-out that is joined',
      [
        go('a', 'b', { spawnCount: 2 }),
        go('b', 'd', { synchronization: { strategy: 'all' } }),
        go('a', 'c'),
        go('c', 'e'),
        go('d', 'e'),
      ],
    ],
    [
      'they meet behind a join over edges that one alone leads to',
      [go('a', 'b'), go('a', 'c'), over('b', 'e'), go('e', 'd'), go('c', 'd')],
    ],
  ])('[DF86] fire together: %s', (_, ways) => {
    expect(problemsOf(ways)).toHaveLength(1);
  });

  test.each<[string, readonly TransitionDefinition[]]>([
    ['priorities differ', [go('a', 'b', { condition: 'input.x' }), go('a', 'c', { priority: 2 }), ...diamond]],
    [
      'two conditions may exclude each other',
      [go('a', 'b', { condition: 'input.x' }), go('a', 'c', { condition: '!input.x' }), ...diamond],
    ],
    ['one is for success, one for failure', [go('a', 'b'), go('a', 'c', { on: 'failure' }), ...diamond]],
    ['one never fires', [go('a', 'b'), go('a', 'c', { condition: false }), ...diamond]],
    ['they are joined over edges', [go('a', 'b'), go('a', 'c'), over('b', 'd'), over('c', 'd'), go('d', 'e')]],
    [
      'they are joined over siblings',
      ['b', 'c'].flatMap((to) => [
        go('a', to, { siblingGroup: 'g' }),
        go(to, 'd', { synchronization: { strategy: 'all', siblingGroup: 'g' } }),
      ]),
    ],
    ['they meet at a node without work', [go('a', 'b'), go('a', 'c'), go('b', 'pass'), go('c', 'pass')]],
    ['one leads back to where they part', [go('a', 'a', { loop: { maxIterations: 3 } }), go('a', 'b'), go('b', 'd')]],
    ['they never meet', [go('a', 'b'), go('a', 'c'), go('b', 'd'), go('c', 'e')]],
  ])('are no warning where %s', (_, ways) => {
    expect(problemsOf(ways)).toEqual([]);
  });

  test('a graph of 1,000 nodes in which all is parallel is checked in bounded time', () => {
    const ids = Array.from({ length: 1_000 }, (_, index) => `n${index}`);
    const transitions = ids
      .slice(0, -40)
      .flatMap((from, index) => Array.from({ length: 40 }, (_, way) => go(from, ids[index + 1 + way] ?? '')));
    const source = { id: 'w', initialNode: 'n0', nodes: ids.map(work), transitions };
    const { problems } = parseDefinition(source, { limits: defaultLimits });
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(problems.length).toBeGreaterThan(0);
  });
});
