import { describe, expect, test } from 'vitest';
import { findReads } from './reads.ts';

/** `state.a` for a certain read, `state.a?` for one that is made only sometimes. */
const reads = (source: string): string[] =>
  findReads(source)
    .reads.map(({ root, keys, isCertain }) => [root, ...keys].join('.') + (isCertain ? '' : '?'))
    .toSorted();

test.each([
  ['a literal', '3', []],
  ['a path', 'state.a.b', ['state.a.b']],
  ['a path with a key in quotes and an index', `state["a b"].c[0].d`, ['state.a b.c.0.d']],
  ['a computed key ends the path', 'state.list[input.i].name', ['input.i', 'state.list']],
  ['operators', '!(state.a + 1 > -state.b)', ['state.a', 'state.b']],
  ['lists and objects', `[state.a, {'k': state.b}]`, ['state.a', 'state.b']],
  ['a call', 'size(state.a)', ['state.a']],
  ['a method', 'state.a.contains(input.b)', ['input.b', 'state.a']],
  ['only one side of a choice', 'state.a ? state.b : state.c', ['state.a', 'state.b?', 'state.c?']],
  ['what the other side may decide', 'state.a && state.b || state.c', ['state.a?', 'state.b?', 'state.c?']],
  ['the body of a macro', 'state.l.filter(x, x.n > state.m)', ['state.l', 'state.m?']],
  ['a variable of a macro hides a name', 'state.l.map(state, state.n)', ['state.l']],
  ['a binding', 'cel.bind(x, state.a, x.b + state.c)', ['state.a', 'state.c']],
  ['the argument of orValue', 'state.?a.orValue(state.b)', ['state.b?']],
  ['optional.of', 'optional.of(state.a)', ['state.a']],
])('%s: %s', (_, source, expected) => {
  expect(reads(source)).toEqual(expected);
});

describe('[DF66] what is asked for first is no read', () => {
  test.each([
    'has(state.a)',
    'has(state.a) && state.a > 3',
    'has(state.a.b) ? state.a.b.c : 0',
    'has(state.a.b) ? state.a : 0',
    'state.?a.b.orValue(0)',
    'state[?"a"].hasValue()',
    'state.a.?b.orValue(0)',
    `'a' in state && state.a > 3`,
    'state.l.filter(x, x.ok)[?0].orValue(1)',
  ])('%s', (source) => {
    expect(reads(source)).toEqual([]);
  });

  test('but something else is', () => {
    expect(reads('has(state.a) && state.b')).toEqual(['state.b?']);
    expect(reads('has(state.a) ? state.ab : 0')).toEqual(['state.ab?']);
  });
});

test('what a value is made of', () => {
  const form = (source: string) => findReads(source).form;
  expect(form('state.a')).toEqual({ type: 'path', path: { root: 'state', keys: ['a'] } });
  expect(form(`{'a': 1, 'b': [input.x]}`)).toEqual({
    type: 'object',
    members: new Map<string, unknown>([
      ['a', { type: 'scalar', value: 1 }],
      ['b', { type: 'list', items: [{ type: 'path', path: { root: 'input', keys: ['x'] } }] }],
    ]),
  });
  const literals: [string, unknown][] = [
    ['null', null],
    [' true ', true],
    ['-1.5', -1.5],
    [`'a "b"'`, 'a "b"'],
    [String.raw`'\n'`, '\n'],
    ['[2][0]', undefined],
  ];
  for (const [source, value] of literals) {
    const made = form(source);
    expect(made.type === 'scalar' ? made.value : undefined).toBe(value);
  }
  for (const source of ['state.?a', 'state[input.k]', 'size(state.a)', '{input.k: 1}', 'state.a.?b.c'])
    expect(form(source)).toEqual({ type: 'unknown' });
});

test('a deep expression costs no stack, and what does not parse says nothing', () => {
  expect(reads(`${'('.repeat(200)}state.a${')'.repeat(200)}`)).toEqual(['state.a']);
  expect(reads(Array.from({ length: 2_000 }, () => 'state.a').join(' + '))).toHaveLength(2_000);
  expect(reads('state.a +')).toEqual([]);
});
