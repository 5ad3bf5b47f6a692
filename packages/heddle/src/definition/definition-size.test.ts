import { expect, test } from 'vitest';
import { compileGraph } from '../dialects/compile-graph.ts';
import { parseDefinition } from '../dialects/parse.ts';
import type { Definition, TransitionDefinition } from './definition.ts';
import { defaultLimits } from './limits.ts';
import { findRegions } from './regions.ts';

const ids = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);

function chain(count: number, more: readonly TransitionDefinition[] = []): Definition {
  const names = ids(count);
  const transitions = names.slice(1).map((to, index) => ({ from: names[index] ?? '', to, priority: 9 }));
  return { id: 'w', initialNode: 'n0', nodes: names.map((id) => ({ id })), transitions: [...transitions, ...more] };
}

test('[DF42] JSON that is too deep is refused, naming the limit', () => {
  let deep: unknown = 1;
  for (let level = 0; level < 5_000; level += 1) deep = { a: deep };
  const { problems, definition } = parseDefinition({ ...chain(1), meta: deep }, { limits: defaultLimits });
  expect(definition).toBeNull();
  expect(problems.map(({ code }) => code)).toEqual(['TOO_DEEP']);
  expect(problems[0]?.message).toContain('jsonDepthMax');
});

test('[DF42] JSON that is too large is refused, naming the limit', () => {
  const { problems } = parseDefinition({ ...chain(1), meta: 'x'.repeat(5_000_000) }, { limits: defaultLimits });
  expect(problems.map(({ code }) => code)).toEqual(['TOO_LARGE']);
  expect(problems[0]?.message).toContain('definitionBytesMax');
});

test('[DF4] too many nodes and transitions are refused, naming the limit', () => {
  const limits = { ...defaultLimits, definitionNodesMax: 3, definitionTransitionsMax: 1 };
  const { problems } = parseDefinition(chain(4), { limits });
  expect(problems.map(({ code, pointer, message }) => `${code} ${pointer}: ${message}`)).toEqual([
    'LIMIT_EXCEEDED /nodes: Expected "nodes" to be at most 3 (limit definitionNodesMax), but found 4 items',
    'LIMIT_EXCEEDED /transitions: Expected "transitions" to be at most 1 (limit definitionTransitionsMax), but found 3 items',
  ]);
});

test('a definition with 10,000 nodes in a row', () => {
  const { problems, definition } = parseDefinition(chain(10_000), { limits: defaultLimits });
  expect(problems).toEqual([]);
  expect(compileGraph(definition!, { version: 1, limits: defaultLimits }).nodes.size).toBe(10_000);
});

test('a definition with 3,000 fan-outs and joins in a row', () => {
  const nodes = ids(9_000);
  const transitions = nodes.slice(1).map((to, index): TransitionDefinition => {
    const from = nodes[index] ?? '';
    if (index % 3 === 0) return { from, to, foreach: { collection: 'input.list', itemVar: 'it' } };
    return index % 3 === 1 ? { from, to, synchronization: { strategy: 'all' } } : { from, to };
  });
  const source = { id: 'w', initialNode: 'n0', nodes: nodes.map((id) => ({ id })), transitions };
  const { problems, definition } = parseDefinition(source, { limits: defaultLimits });
  expect(problems).toEqual([]);
  const graph = compileGraph(definition!, { version: 1, limits: defaultLimits });
  expect(graph.transitions[0]?.opens?.homeJoin?.id).toBe('n2');
});

test('2,000 ways back to one node', () => {
  const names = ids(2_000);
  const loops = names.slice(1).map((from) => ({ from, to: 'n0', loop: { maxIterations: 2 } }));
  const { problems, definition } = parseDefinition(chain(2_000, loops), { limits: defaultLimits });
  expect(problems).toEqual([]);
  const { transitions } = compileGraph(definition!, { version: 1, limits: defaultLimits });
  expect(transitions.at(-1)?.loop?.resets).toHaveLength(1_998);
});

test('[DF43] what cannot be traced in bounded time is refused', () => {
  const loops = ids(200).flatMap((from) => [{ from, to: 'n0', loop: { maxIterations: 2 } }]);
  const limits = { ...defaultLimits, definitionAnalysisMax: 1_000 };
  const { problems } = parseDefinition(chain(200, loops), { limits });
  expect(problems.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual(['LIMIT_EXCEEDED /transitions']);
  expect(problems[0]?.message).toContain('definitionAnalysisMax');
});

test('unjoined fan-outs that open each other in every order come to an end', () => {
  const names = ids(12);
  const transitions = names.flatMap((from) => names.map((to) => ({ from, to, spawnCount: 2, siblingGroup: from })));
  const source = { id: 'w', initialNode: 'n0', nodes: names.map((id) => ({ id })), transitions };
  const { problems } = parseDefinition(source, { limits: { ...defaultLimits, definitionAnalysisMax: 100_000 } });
  expect(problems.map(({ code }) => code)).toContain('LIMIT_EXCEEDED');
});

test('regions: cycles share one, and every way leads to a lower number', () => {
  //  0 → 1 ⇄ 2 → 3, 3 → 3, 4 → 0, 5 alone
  const region = findRegions([[1], [2], [1, 3], [3], [0], []]);
  expect(region[1]).toBe(region[2]);
  expect(new Set(region).size).toBe(5);
  expect([region[0]! > region[1]!, region[2]! > region[3]!, region[4]! > region[0]!]).toEqual([true, true, true]);
});

test('regions: a cycle of 100,000 nodes', () => {
  const count = 100_000;
  const region = findRegions(Array.from({ length: count }, (_, node) => [(node + 1) % count]));
  expect(new Set(region).size).toBe(1);
});
