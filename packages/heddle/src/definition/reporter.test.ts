import { expect, test } from 'vitest';
import { parseDefinition } from '../dialects/parse.ts';
import { defaultLimits } from './limits.ts';
import { Reporter } from './reporter.ts';

const names = (count: number, start: string) => Array.from({ length: count }, (_, index) => `${start}${index}`);
const problemsOf = (source: object) => parseDefinition(source, { limits: defaultLimits }).problems;

test('[DF58] the first thousand problems are told, and how many more there are', () => {
  const reporter = new Reporter();
  for (let count = 0; count < 1_234; count++)
    reporter.warning('NO_EFFECT', `/${count}`, { message: 'Expected a, but b' });
  expect(reporter.problems).toHaveLength(1_001);
  expect(reporter.problems.at(-1)).toEqual({
    severity: 'warning',
    code: 'MORE_PROBLEMS',
    pointer: '',
    message: 'Expected at most 1000 problems, but there are 234 more, which are not told',
  });
  reporter.error('UNKNOWN_NODE', '', { message: 'Expected a, but b' });
  expect(reporter).toMatchObject({ hasErrors: true });
  expect(reporter.problems.at(-1)).toMatchObject({ severity: 'error' });
});

test('[DF58] a hint is looked for only where it is told, and only for the first hundred', () => {
  const reporter = new Reporter();
  let looks = 0;
  const hint = (): string => `Look ${++looks}`;
  for (let count = 0; count < 2_000; count++)
    reporter.error('UNKNOWN_NODE', '', { message: 'Expected a, but b', hint });
  expect(looks).toBe(100);
  expect(reporter.problems[99]).toMatchObject({ hint: 'Look 100' });
  expect(reporter.problems[100]).not.toHaveProperty('hint');
});

test('[DF58] thousands of ends that lead nowhere, in a graph of thousands of nodes, are told in a moment', () => {
  const nodes = names(3_000, 'node').map((id) => ({ id }));
  const transitions = names(3_000, 'gone').map((name) => ({ from: name, to: `${name}x` }));
  // 18 million pairs of names to compare: most of a minute, if each were looked at.
  expect(problemsOf({ id: 'w', initialNode: 'node0', nodes, transitions })).toHaveLength(1_001);
});

test('[DF58] a name without end is cut wherever it is quoted', () => {
  const long = 'x'.repeat(1_000_000);
  const problems = problemsOf({
    id: 'w',
    initialNode: long,
    nodes: [
      { id: long, ...Object.fromEntries(names(500, 'field').map((key) => [key, 1])) },
      ...names(500, 'n').map((id) => ({ id })),
    ],
  });
  expect(Math.max(...problems.map(({ message }) => message.length))).toBeLessThan(600);
});

test('[DF47] a hundred schemas that each take for ever take no longer together than one, and right ones beside them are right', () => {
  const twice = (name: string) => ({ allOf: [{ $ref: `#/$defs/${name}` }, { $ref: `#/$defs/${name}` }] });
  const $defs = Object.fromEntries(
    names(40, 'd').map((name, level) => [name, level === 0 ? {} : twice(`d${level - 1}`)]),
  );
  const slow = names(100, 'slow').map((id) => ({ id, input: { schema: { $defs, ...twice('d39') } } }));
  const right = { id: 'right', input: { schema: { anyOf: names(2_000, 'x').map((word) => ({ const: word })) } } };
  const problems = problemsOf({ id: 'w', initialNode: 'right', nodes: [right, ...slow] }).filter(
    ({ code }) => code !== 'UNREACHABLE_NODE',
  );
  expect(problems).toHaveLength(100);
  expect(new Set(problems.map(({ code }) => code))).toEqual(new Set(['INVALID_SCHEMA']));
});

test('what only follows from nodes that are not there is not told', () => {
  const ways = [{ from: 'a', to: 'b', on: 'slice' }];
  const codesOf = (source: object) => problemsOf(source).map(({ code, pointer }) => `${code} ${pointer}`);
  expect(codesOf({ id: 'w', initialNode: 'a', nodes: [], transitions: ways })).toEqual(['OUT_OF_RANGE /nodes']);
  expect(codesOf({ id: 'w', initialNode: 'a', nodes: 5, transitions: ways })).toEqual(['WRONG_TYPE /nodes']);
  expect(codesOf({ id: 'w', nodes: 5, connectors: [{ from: 'a', to: 'b' }] })).toEqual(['WRONG_TYPE /nodes']);
  expect(codesOf({ id: 'w', nodes: [], connections: [{ fromNodeId: 'a', toNodeId: 'b' }] })).toEqual([
    'OUT_OF_RANGE /nodes',
  ]);
});
