import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../base/json.ts';
import { conditionSource } from './condition.ts';
import { outcome } from './evaluation.testsuite.ts';

const scope = {
  state: {
    n: 3,
    name: 'Ada "A"',
    list: ['x', { y: 1 }],
    none: null,
    empty: '',
    blank: {},
    'my-key': [{ v: 1 }],
    in: 1,
  },
};

function holds(condition: JsonObject): Json {
  const made = conditionSource(condition);
  return 'problem' in made ? `${made.problem.code} ${made.problem.pointer}` : outcome(made.source, scope);
}

describe('structured conditions', () => {
  test.each<[string, string, Json | undefined, Json]>([
    ['state.n', '==', 3, true],
    ['state.n', '!=', 3, false],
    ['state.n', '>', 2.5, true],
    ['state.n', '>=', 4, false],
    ['state.n', '<', -1, false],
    ['state.n', '<=', 3, true],
    ['state.n', '<', 1e20, true],
    ['state.n', '==', '3', false],
    ['state.n', '>', 'a', 'EXPRESSION_FAILED'],
    ['state.name', '==', 'Ada "A"', true],
    ['state.name', 'contains', '"A', true],
    ['state.name', 'not_contains', 'z', true],
    ['state.name', 'starts_with', 'Ada', true],
    ['state.name', 'ends_with', 'Ada', false],
    ['state.list', 'contains', 'x', true],
    ['state.list', 'contains', { y: 1 }, true],
    ['state.n', 'in', [1, 2, 3], true],
    ['state.n', 'in', [], false],
    ['state.n', 'exists', undefined, true],
    ['state.none', 'exists', undefined, false],
    ['state.absent.deep', 'exists', undefined, false],
    ['state.absent', 'not_exists', undefined, true],
    ['state.absent', 'is_empty', undefined, true],
    ['state.empty', 'is_empty', undefined, true],
    ['state.blank', 'is_empty', undefined, true],
    ['state.n', 'is_empty', undefined, false],
    ['state.n', 'is_not_empty', undefined, true],
    ['state.none', 'is_not_empty', undefined, false],
    ['state.absent', '==', 1, false],
    ['state.absent', '!=', 1, true],
    ['state.absent', '>', 1, false],
    ['state.absent', 'not_contains', 1, true],
    ['state.my-key.0.v', '==', 1, true],
    ['state.in', '==', 1, true],
    ['state.none', '==', null, true],
  ])('%s %s %j', (field, op, value, expected) => {
    expect(holds(value === undefined ? { field, op } : { field, op, value })).toBe(expected);
  });

  test('and, or, not', () => {
    const yes = { field: 'state.n', op: '==', value: 3 };
    const no = { not: yes };
    expect(holds({ and: [yes, yes] })).toBe(true);
    expect(holds({ and: [yes, no] })).toBe(false);
    expect(holds({ or: [no, { and: [yes, { not: no }] }] })).toBe(true);
    expect(holds({ and: [] })).toBe(true);
    expect(holds({ or: [] })).toBe(false);
    expect(holds({ and: Array.from({ length: 200 }, () => yes) })).toBe(true);
  });

  test.each<[JsonObject, string]>([
    [{}, ''],
    [{ field: 'state.n' }, ''],
    [{ field: 'state.n', op: '=' }, '/op'],
    [{ field: 'state.n', op: '==' }, ''],
    [{ field: 'state.n', op: 'in', value: 3 }, '/value'],
    [{ field: 'state.n', op: 'exists', value: 3 }, '/value'],
    [{ field: '1 == 1 || state.n', op: 'exists' }, '/field'],
    [{ field: 'state..n', op: 'exists' }, '/field'],
    [{ field: 'state.n', op: '==', value: 3, extra: 1 }, '/extra'],
    [{ and: [{ field: 'state.n', op: '==', value: 1 }, { or: [{}] }] }, '/and/1/or/0'],
    [{ and: [], '': 1 }, '/'],
    [{ field: 'state.n', op: 'exists', '': 1 }, '/'],
    [{ and: {} }, '/and'],
    [{ not: [] }, '/not'],
    [{ and: [], or: [] }, '/or'],
    [{ field: 'state.n', op: '==', value: { list: [JSON.parse('{"__proto__":1}') as Json] } }, '/value'],
  ])('%j is refused at %s', (condition, pointer) => {
    expect(holds(condition)).toBe(`INVALID_CONDITION ${pointer}`);
  });

  test('no text escapes from its quotes', () => {
    const hostile = fc.oneof(
      fc.string(),
      fc.constantFrom('" || true || "', "' || true || '", '\\" || true', '\\', '\n', '${1}', '\u2028'),
    );
    fc.assert(
      fc.property(hostile, (text) => {
        expect(holds({ field: 'state.name', op: '==', value: text })).toBe(text === scope.state.name);
        const key = text.replaceAll('.', '_');
        if (key !== '' && !Object.hasOwn(scope.state, key))
          expect(holds({ field: `state.${key}`, op: 'exists' })).toBe(false);
      }),
    );
  });
});
