import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../base/json.ts';
import { flowNodes } from './flow-nodes.ts';
import type { NodeExecutorParams } from './node-executor.ts';

function run(type: keyof typeof flowNodes, data: JsonObject, context: JsonObject = {}): unknown {
  return flowNodes[type]({ data, context, nodeId: 'n' } as NodeExecutorParams); // they use nothing else
}

test.each([
  'INITIAL',
  'MANUAL_TRIGGER',
  'WEBHOOK_TRIGGER',
  'SCHEDULE_TRIGGER',
  'EVENT_TRIGGER',
  'WORKFLOW_FINISHED_TRIGGER',
] as const)('[HN40] %s hands the context on', (type) => {
  expect(run(type, { any: 1 }, { a: 1 })).toEqual({ a: 1 });
});

describe('IF_ELSE', () => {
  const context = {
    name: 'Ada',
    age: '36',
    tags: ['Red', 7],
    none: null,
    user: { on: true, n: 3, address: { b: 1, a: 2 } },
  };
  const taken = (field: string, operator: string, value?: Json) =>
    (
      run(
        'IF_ELSE',
        { condition: { field, operator, ...(value === undefined ? {} : { value }) } },
        context,
      ) as JsonObject
    )['_branch'];

  test.each([[{}], [{ condition: null }]])('[X28][HN41] without a condition takes true: %j', (data) => {
    expect(run('IF_ELSE', data, { a: 1 })).toEqual({ a: 1, _branch: 'true' });
  });

  test.each<[string, string, Json | undefined, boolean]>([
    ['name', 'equals', 'ada', true],
    ['name', 'equals', 'adam', false],
    ['name', 'not_equals', 'ADA', false],
    ['name', 'contains', 'D', true],
    ['tags', 'contains', 'red', true],
    ['tags', 'contains', 'ed', false],
    ['tags', 'not_contains', 'ed', true],
    ['user.on', 'equals', 'TRUE', true],
    ['user.address', 'equals', { a: 2, b: 1 }, true],
  ])('[X28][HN42] text is compared whatever its case: %s %s %j', (field, operator, value, expected) => {
    expect(taken(field, operator, value)).toBe(`${expected}`);
  });

  test.each<[string, string, Json | undefined, boolean]>([
    ['none', 'equals', null, false],
    ['missing', 'equals', undefined, false],
    ['none', 'equals', 'null', false],
    ['none', 'not_equals', null, true],
    ['none', 'contains', null, false],
    ['name', 'contains', null, false],
    ['none', 'exists', undefined, false],
    ['name', 'exists', undefined, true],
    ['missing', 'not_exists', undefined, true],
    ['name.length', 'exists', undefined, false],
  ])('[X28][HN42] null never equals: %s %s %j', (field, operator, value, expected) => {
    expect(taken(field, operator, value)).toBe(`${expected}`);
  });

  test.each<[string, string, Json, boolean]>([
    ['age', 'equals', 36, true],
    ['age', 'greater_than', '9', true],
    ['age', 'less_than', 9, false],
    ['user.n', 'greater_or_equal', ' 3 ', true],
    ['user.n', 'less_or_equal', 2.5, false],
    ['user.on', 'greater_than', 0, true],
    ['name', 'greater_than', 0, false],
    ['name', 'less_or_equal', 0, false],
    ['none', 'less_than', 1, false],
    ['user.n', 'greater_than', '', false],
    ['tags', 'greater_than', 0, false],
  ])('[X28][HN43] numeric operators coerce: %s %s %j', (field, operator, value, expected) => {
    expect(taken(field, operator, value)).toBe(`${expected}`);
  });

  test.each<[string, Json, string]>([
    ['no field', { operator: 'equals' }, 'to have a field to look at, such as "user.age", but found null'],
    ['an operator that nobody knows', { field: 'a', operator: 'toString' }, 'but found "toString"'],
    ['a condition that is none', 'a > 1', 'to have a field to look at, such as "user.age", but found null'],
  ])('%s is refused', (_, condition, message) => {
    expect(() => run('IF_ELSE', { condition })).toThrow(message);
  });
});

describe('SWITCH', () => {
  const cases = [
    { value: 'red', handle: 'stop' },
    { value: 'Green', handle: 'go' },
    { value: null, handle: 'never' },
  ];

  test.each([
    ['GREEN', 'go'],
    ['blue', 'default'],
    [null, 'default'],
  ])('the first case that equals, else default: %j', (light, handle) => {
    expect(run('SWITCH', { field: 'light', cases }, { light })).toEqual({ light, _branch: handle });
  });

  test.each<[JsonObject, string]>([
    [{ cases }, 'a field'],
    [{ field: 'a', cases: {} }, 'a list of cases'],
    [{ field: 'a', cases: [{ value: 1 }] }, 'a handle for every case'],
  ])('data of another kind is refused: %j', (data, message) => {
    expect(() => run('SWITCH', data, { a: 1 })).toThrow(message);
  });
});

test('WAIT asks the engine to wait, for seconds, until a time, or both', () => {
  const until = '2030-01-01T00:00:00Z';
  expect(run('WAIT', { seconds: 5, label: 'nap' }, { a: 1 })).toEqual({ a: 1, _wait: { seconds: 5, label: 'nap' } });
  expect(run('WAIT', { until })).toEqual({ _waitUntil: { timestamp: until } });
  expect(run('WAIT', { seconds: 1, until })).toEqual({ _wait: { seconds: 1 }, _waitUntil: { timestamp: until } });
  expect(run('WAIT', { seconds: '5' })).toEqual({ _wait: { seconds: 5 } });
});

test.each([{}, { seconds: 'soon' }, { second: 5 }, { until: 'tomorrow' }, { until: 5 }])(
  '[HN44] WAIT with %j is a mistake',
  (data) => {
    expect(() => run('WAIT', data)).toThrow(/^Expected the data of node/);
  },
);

describe('SET_FIELDS', () => {
  test('writes values at dotted paths and leaves the rest', () => {
    const context = { user: { name: 'Ada', age: 36 }, n: 1 };
    expect(run('SET_FIELDS', { fields: { 'user.name': 'Bob', 'n.deep': [2], x: null } }, context)).toEqual({
      user: { name: 'Bob', age: 36 },
      n: { deep: [2] },
      x: null,
    });
    expect(run('SET_FIELDS', {}, context)).toEqual(context);
    expect(context).toEqual({ user: { name: 'Ada', age: 36 }, n: 1 });
  });

  test.each<[Json, string]>([
    [[1], 'an object of fields'],
    [{ '__proto__.x': 1 }, 'a path such as'],
    [{ 'a..b': 1 }, 'a path such as'],
  ])('fields of another kind are refused: %j', (fields, message) => {
    expect(() => run('SET_FIELDS', { fields })).toThrow(message);
  });
});
