// Bad texts: names, paths, expressions and JSON Schemas that a definition must be refused for, with the code, and for a
// schema with the place in it.

import type { Json } from '../../../packages/heddle/src/base/json.ts';
import type { NameKind, PathKind } from './takes.ts';

const prototypeKeys = ['__proto__', 'constructor', 'prototype'];
const unprintable = ['', 'a\u0000b', 'a\nb', '\u007f', '\ud800', 'a\udfff', 'a\u2028b', '\u200b', '\ufeffa'];
const badWords = ['', '1a', '-a', 'a b', 'ä', 'a\u0000', 'a\n', '\ud83d', 'a/b', '<script>', "a'b", 'a'.repeat(129)];

export const badNames: Readonly<Record<NameKind, readonly string[]>> = {
  workflow: [...badWords, 'a.b', ...prototypeKeys],
  group: [...badWords, 'a.b', ...prototypeKeys],
  action: [...badWords, '.a', ...prototypeKeys],
  trigger: [...badWords, '.a', ...prototypeKeys],
  id: [...unprintable, 'x'.repeat(201), '\u{1f600}'.repeat(201), ...prototypeKeys],
  variable: [...badWords, 'a-b', ...prototypeKeys, 'input', 'state', 'result', 'in', 'true', 'null', '_branch'],
};

const manyKeys = Array.from({ length: 33 }, (_, index) => `k${index}`).join('.');
const badKeys = ['', '.', 'a..b', '.a', 'a.', 'a[0]', 'a]', 'a\u0000', 'a.\u0007', manyKeys]; // prettier-ignore
const badPrototypes = [
  '__proto__',
  'constructor',
  'prototype',
  'a.__proto__.polluted',
  'a.constructor.prototype.polluted',
  'a.b.prototype',
];

export const badPaths: Readonly<Record<PathKind, readonly string[]>> = {
  keys: [...badKeys, ...badPrototypes],
  context: [...badKeys, ...badPrototypes, '_last_error', '_last_error.code'],
  section: [
    ...badKeys,
    ...badPrototypes,
    ...badPrototypes.map((path) => `state.${path}`),
    ...'state output input input.a result result.a _branch.a _trigger.a _batch.a x x.y state._last_error'.split(' '),
    `state.${manyKeys}`,
    'Object.prototype.polluted',
  ],
  items: ['', 'state', 'papers', 'result.x', 'state.__proto__', 'state.a[0]', 'input.constructor.x', 'state..a'],
};

/** Refused wherever an expression may stand, whatever it may read. */
export const badExpressions: readonly string[] = [
  '(',
  '1 +',
  'a b c',
  'unheardOf',
  'unheardOf.x + 1',
  'unheardOf(1)',
  'eval("1")',
  'require("fs")',
  'process.exit(1)',
  'this.constructor',
  'globalThis',
  'Function("return 1")()',
  '`template`',
  '${input}',
  '{{input}}',
  '#{input}',
  'x => x',
  '[1].map(x => x)',
  'new Date()',
  '1; 2',
  'a = 1',
  '"unclosed',
  "'unclosed",
  'matches("a", "(?=x)")',
  'matches("a", "a" + "b")',
  'matches("a", "(")',
  "b'bytes'",
  '99999999999999999999',
  '\u0000',
  '\ud800',
  '1 // \n )',
  '[1].map(__proto__, 1)',
  '('.repeat(300) + ')'.repeat(300),
  `${'!'.repeat(5_000)}true`,
  `${'['.repeat(120)}${']'.repeat(120)}`,
  `${'[1].map(x, '.repeat(70)}x${')'.repeat(70)}`,
  `1${' + 1'.repeat(4_000)}`,
  `"${'x'.repeat(10_000)}"`,
];

/** Names that are in scope somewhere. */
export const scopeNames = ['input', 'state', 'output', 'result', '_branch', '_batch', '_trigger', 'context', 'event'];

/** Structured conditions: what is wrong, and where. What is missing is told of at the object that lacks it. */
export const badConditions: readonly (readonly [Json, string])[] = [
  [{}, ''],
  [{ op: '==', value: 1 }, ''],
  [{ field: 'input.a', value: 1 }, ''],
  [{ field: 'input.a', op: '==' }, ''],
  [{ field: 5, op: '==', value: 1 }, '/field'],
  [{ field: 'a b', op: '==', value: 1 }, '/field'],
  [{ field: '', op: '==', value: 1 }, '/field'],
  [{ field: 'input..a', op: '==', value: 1 }, '/field'],
  [{ field: 'input.a', op: '=', value: 1 }, '/op'],
  [{ field: 'input.a', op: 'constructor', value: 1 }, '/op'],
  [{ field: 'input.a', op: null, value: 1 }, '/op'],
  [{ field: 'input.a', op: 'exists', value: 1 }, '/value'],
  [{ field: 'input.a', op: 'in', value: 'text' }, '/value'],
  [{ field: 'input.a', op: '==', value: 1, more: 2 }, '/more'],
  [{ field: 'input.a', op: '==', value: 1, constructor: 2 }, '/constructor'],
  [{ and: 5 }, '/and'],
  [{ and: [{ field: 'input.a', op: 'exists' }, 5] }, '/and/1'],
  [{ or: [{ not: { field: 'input.a', op: '?' } }] }, '/or/0/not/op'],
  [{ not: [] }, '/not'],
  [{ and: [], 'a/b': 1 }, '/a~1b'],
  [{ and: [], '': 1 }, '/'],
  [{ field: 'input.a', op: 'exists', '': 1 }, '/'],
  [deepCondition(33), '/not'.repeat(32)],
  [{ or: [{ and: [{ field: 'input.a', op: '==' }] }] }, '/or/0/and/0'],
];

function deepCondition(levels: number): Json {
  let condition: Json = { field: 'input.a', op: 'exists' };
  for (let level = 0; level < levels; level++) condition = { not: condition };
  return condition;
}

/** What is wrong with a JSON Schema, where in it, and the code. */
export const badSchemas: readonly (readonly [Json, string, string])[] = [
  [{ type: 'strnig' }, '/type', 'INVALID_SCHEMA'],
  [{ type: 5 }, '/type', 'INVALID_SCHEMA'],
  [{ type: [] }, '/type', 'INVALID_SCHEMA'],
  [{ type: ['string', 'constructor'] }, '/type', 'INVALID_SCHEMA'],
  [{ properties: [] }, '/properties', 'INVALID_SCHEMA'],
  [{ properties: { a: 5 } }, '/properties/a', 'INVALID_SCHEMA'],
  [{ properties: { 'a/b': { properties: { '~': 'x' } } } }, '/properties/a~1b/properties/~0', 'INVALID_SCHEMA'],
  [{ properties: { constructor: { type: 'x' } } }, '/properties/constructor/type', 'INVALID_SCHEMA'],
  [{ required: 'a' }, '/required', 'INVALID_SCHEMA'],
  [{ required: ['a', 5] }, '/required', 'INVALID_SCHEMA'],
  [{ minLength: -1 }, '/minLength', 'INVALID_SCHEMA'],
  [{ maxItems: 1.5 }, '/maxItems', 'INVALID_SCHEMA'],
  [{ minimum: '0' }, '/minimum', 'INVALID_SCHEMA'],
  [{ multipleOf: 0 }, '/multipleOf', 'INVALID_SCHEMA'],
  [{ enum: 'a' }, '/enum', 'INVALID_SCHEMA'],
  [{ items: 5 }, '/items', 'INVALID_SCHEMA'],
  [{ allOf: {} }, '/allOf', 'INVALID_SCHEMA'],
  [{ anyOf: [true, null] }, '/anyOf/1', 'INVALID_SCHEMA'],
  [{ not: 'x' }, '/not', 'INVALID_SCHEMA'],
  [{ additionalProperties: 'no' }, '/additionalProperties', 'INVALID_SCHEMA'],
  [{ items: { properties: { deep: { type: 'no' } } } }, '/items/properties/deep/type', 'INVALID_SCHEMA'],
  [{ $ref: 'https://example.org/schema' }, '/$ref', 'REMOTE_REFERENCE'],
  [{ $ref: '../other.json' }, '/$ref', 'REMOTE_REFERENCE'],
  [{ $ref: 'file:///etc/passwd' }, '/$ref', 'REMOTE_REFERENCE'],
  [{ $ref: '#/nowhere' }, '/$ref', 'INVALID_SCHEMA'],
  [{ $ref: '#/__proto__' }, '/$ref', 'INVALID_SCHEMA'],
  [{ $ref: '#/constructor/prototype' }, '/$ref', 'INVALID_SCHEMA'],
  [{ $ref: '#/%E0%A4%A' }, '/$ref', 'INVALID_SCHEMA'],
  [{ $ref: 5 }, '/$ref', 'INVALID_SCHEMA'],
  [{ $ref: '#' }, '', 'INVALID_SCHEMA'],
  [{ allOf: [{ $ref: '#' }] }, '', 'INVALID_SCHEMA'],
  [{ pattern: '(?=a)' }, '/pattern', 'PATTERN_NOT_ALLOWED'],
  [{ pattern: '(a)\\1' }, '/pattern', 'PATTERN_NOT_ALLOWED'],
  [{ pattern: '(' }, '/pattern', 'PATTERN_NOT_ALLOWED'],
  [{ pattern: 'a{1,1000}{1,1000}' }, '/pattern', 'PATTERN_NOT_ALLOWED'],
  [{ patternProperties: { '(a+)+$': true } }, '/patternProperties/(a+)+$', 'PATTERN_NOT_ALLOWED'],
  [{ patternProperties: { 'a*a*b': true } }, '/patternProperties/a*a*b', 'PATTERN_NOT_ALLOWED'],
  [{ patternProperties: { a: 1 } }, '/patternProperties/a', 'INVALID_SCHEMA'],
  [deepSchema(101), '/not'.repeat(101), 'TOO_DEEP'],
];

function deepSchema(levels: number): Json {
  let schema: Json = {};
  for (let level = 0; level < levels; level++) schema = { not: schema };
  return schema;
}
