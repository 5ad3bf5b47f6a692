import { expect, test } from 'vitest';
import { completeDefinition } from './complete-definition.ts';

const complete = (value: unknown, file = 'flow.json') => completeDefinition(value, { file, dialect: 'handle' });

test('a graph gets the name of its file, as a workflow may be called', () => {
  const nameOf = (file: string) => (completeDefinition({ edges: [] }, { file }) as { readonly id: string }).id;
  expect(nameOf('a/b/My flow (2).final.json')).toBe('My-flow-2-final');
  expect(nameOf('2026.json')).toBe('graph-2026');
  expect(nameOf('Über.json')).toBe('ber');
  expect(nameOf('图.json')).toBe('graph');
  expect(nameOf(`${'x'.repeat(200)}.json`)).toHaveLength(128);
});

test('what is written stays; only what does not say how to read it is told', () => {
  expect(complete({ edges: [], nodes: [] })).toEqual({ edges: [], nodes: [], id: 'flow', dialect: 'handle' });
  expect(complete({ id: 'mine', edges: [], dialect: 'dataflow' })).toEqual({
    id: 'mine',
    edges: [],
    dialect: 'dataflow',
  });
  for (const field of ['initialNode', 'transitions', 'connectors', 'connections'])
    expect(complete({ [field]: [] })).toEqual({ [field]: [] });
  for (const value of [null, 7, 'x', [{ edges: [] }]]) expect(complete(value)).toEqual(value);
});
