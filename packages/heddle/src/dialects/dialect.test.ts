import { describe, expect, test } from 'vitest';
import { type Dialect, tokenPolicy } from '../definition/graph.ts';
import { defaultLimits } from '../definition/limits.ts';
import { lowerDefinition } from './dialect.ts';
import { parseDefinition } from './parse.ts';

const parse = (source: object) => {
  const { problems, definition } = parseDefinition(source, { limits: defaultLimits });
  return { problems, definition };
};

const sources: Readonly<Record<Dialect, object>> = {
  token: { id: 'w', initialNode: 'a', nodes: [{ id: 'a' }] },
  dataflow: { id: 'w', nodes: [{ id: 'a', type: 'x' }], edges: [] },
  thread: { id: 'w', nodes: [{ id: 'a', type: 'start' }], connectors: [] },
  handle: { id: 'w', nodes: [{ id: 'a', type: 'x' }], connections: [] },
};

describe('which dialect a definition is drawn in', () => {
  test.each(Object.entries(sources))('[DL1] as it says: %s', (dialect, source) => {
    const { problems, definition } = parse({ dialect, ...source });
    expect(problems).toEqual([]);
    expect(definition?.dialect).toBe(dialect === 'token' ? undefined : dialect);
    expect(definition && lowerDefinition(definition).policy.dialect).toBe(dialect);
  });

  test.each(['token', 'thread', 'handle'] as const)('[DL1] without a word, by what it has: %s', (dialect) => {
    const { problems, definition } = parse(sources[dialect]);
    expect(problems).toEqual([]);
    expect(definition && lowerDefinition(definition).policy.dialect).toBe(dialect);
  });

  test('[DL1] edges alone are asked about', () => {
    expect(parse(sources.dataflow)).toEqual({
      definition: null,
      problems: [
        {
          severity: 'error',
          code: 'DIALECT_MISSING',
          pointer: '',
          message: 'Expected "dialect" beside "edges", but it is missing',
          hint: 'Add "dialect": "dataflow" (nodes run when all before them have) or "dialect": "handle" (one path at a time).',
        },
      ],
    });
  });

  test.each([
    ['flow', 'the text "flow"'],
    [null, 'null'],
    [3, '3'],
    ['constructor', 'the text "constructor"'],
  ])('[DL1] one that does not exist: %j', (dialect, found) => {
    expect(parse({ dialect, ...sources.token })).toEqual({
      definition: null,
      problems: [
        {
          severity: 'error',
          code: 'UNKNOWN_DIALECT',
          pointer: '/dialect',
          message: `Expected "dialect" to be one of token, dataflow, thread, handle, but found ${found}`,
        },
      ],
    });
  });

  test.each([
    ['handel', 'handle'],
    ['Token', 'token'],
    ['threads', 'thread'],
    ['data-flow', 'dataflow'],
  ])('[DL1] one that is nearly right is guessed: %s', (dialect, nearest) => {
    expect(parse({ dialect, ...sources.token }).problems).toMatchObject([
      { code: 'UNKNOWN_DIALECT', hint: `Did you mean "${nearest}"?` },
    ]);
  });

  test('[DL1] what is no object is a token definition with mistakes', () => {
    expect(parse([]).problems).toMatchObject([{ severity: 'error', pointer: '' }]);
  });
});

describe('what a dialect compiles to', () => {
  test('[DL2] a token definition stays as it is, with the policy of tokens', () => {
    const { definition } = parse(sources.token);
    expect(definition && lowerDefinition(definition)).toEqual({
      ...sources.token,
      transitions: [],
      policy: tokenPolicy,
    });
  });

  test.each(['dataflow', 'thread', 'handle'] as const)('[DL2] %s: a token definition with a policy', (dialect) => {
    const { definition } = parse({ dialect, ...sources[dialect] });
    const lowered = definition && lowerDefinition(definition);
    expect(lowered).toMatchObject({ id: 'w', policy: { dialect } });
    expect(lowered?.nodes.map(({ id }) => id)).toContain('a');
    expect(lowered).not.toHaveProperty('dialect');
  });

  test.each([
    ['dataflow', { nodes: [{ id: 'a', type: 'x', color: 1 }] }, '/nodes/0/color'],
    ['thread', { connectors: [{ from: 'a', to: 'nowhere' }] }, '/connectors/0/to'],
    ['handle', { connections: [{ fromNodeId: 'a', toNodeId: 'nowhere' }] }, '/connections/0/toNodeId'],
  ] as const)('[DL2] problems point into its own JSON: %s', (dialect, parts, pointer) => {
    const { problems, definition } = parse({ dialect, ...sources[dialect], ...parts });
    expect(definition).toBeNull();
    expect(problems.filter(({ severity }) => severity === 'error').map((problem) => problem.pointer)).toEqual([
      pointer,
    ]);
  });
});
