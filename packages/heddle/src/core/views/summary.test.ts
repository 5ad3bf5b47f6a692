import { describe, expect, test } from 'vitest';
import { defaultLimits } from '../../definition/limits.ts';
import { compileExpression } from '../../expression/compile.ts';
import { summarize } from './summary.ts';

function summaryOf(source: string, state: object): string | undefined {
  const compiled = compileExpression(source, { limits: defaultLimits, names: new Set(['state']) });
  if ('problem' in compiled) throw new Error(compiled.problem.message);
  return summarize(compiled.expression, { state: { ...state } });
}

describe('[VW24] a summary', () => {
  test.each([
    ["'Order ' + state.a", { a: '7' }, 'Order 7'],
    ['state.a', { a: ' as it is\n' }, ' as it is\n'],
    ['state.a', { a: '' }, ''],
    ['state.a', { a: 7 }, '7'],
    ['state.a', { a: null }, 'null'],
    ['state', { a: [1, { b: 'c' }] }, '{"a":[1,{"b":"c"}]}'],
  ])('%s of %j is a text as it is, or compact JSON', (source, state, shown) => {
    expect(summaryOf(source, state)).toBe(shown);
  });

  test('has up to 200 characters', () => {
    expect(summaryOf('state.a', { a: 'x'.repeat(200) })).toBe('x'.repeat(200));
    expect(summaryOf('state.a', { a: 'x'.repeat(201) })).toBe(`${'x'.repeat(199)}…`);
    expect(summaryOf('state.a', { a: Array.from({ length: 1_000 }, () => 1) })).toBe(`[${'1,'.repeat(99)}…`);
  });

  test('is not cut inside a character', () => {
    expect(summaryOf('state.a', { a: `${'x'.repeat(198)}😀😀` })).toBe(`${'x'.repeat(198)}…`);
  });

  test('that fails says why; one that reads what is not there says nothing', () => {
    expect(summaryOf('state.a - 1', { a: 'b' })).toMatch(/^No summary: Expected .*, in state\.a - 1$/);
    expect(summaryOf('state.a - 1', {})).toBeUndefined();
    expect(summarize(null, {})).toBeUndefined();
  });
});
