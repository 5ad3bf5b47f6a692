import { describe, expect, test } from 'vitest';
import { compileExpression } from './compile.ts';
import { compile, deepFreeze, limits, names, outcome } from './evaluation.testsuite.ts';

/** What this process has used of the processor: what others do beside it does not count. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
/** About 100 where the machine is quick. What is not bounded takes minutes. */
const processorMsMost = 5_000;

const refusals = [
  'missing',
  'EXPRESSION_SYNTAX',
  'EXPRESSION_UNKNOWN_NAME',
  'EXPRESSION_FORBIDDEN',
  'EXPRESSION_FAILED',
  'EXPRESSION_LIMIT',
];

describe('escapes', () => {
  const scope = deepFreeze({ state: { list: [1], name: 'x', n: 1, o: {} }, input: {}, paper: 'p' });

  test.each([
    'state.constructor',
    'state.__proto__',
    'state.prototype',
    'state["__proto__"]',
    'state["constructor"]["constructor"]("return process")()',
    'state.constructor.constructor("return 1")()',
    '"".constructor',
    '"".constructor.constructor("return this")',
    '[].constructor',
    '[]["constructor"]',
    'state.list.constructor',
    'state.list["constructor"]',
    'state.list.__proto__.polluted',
    'state.toString',
    'state.toString()',
    'state.hasOwnProperty("a")',
    'state.valueOf()',
    'state.o.__defineGetter__("a", 1)',
    'state.name.length',
    'state.name[0]',
    'state.?constructor',
    'state[?"__proto__"]',
    'get(state, "__proto__")',
    'get(state, "constructor.prototype")',
    'get(state, ["list", "length"])',
    'get(state, "list.length")',
    'get(state, "list.constructor")',
    '{"__proto__": {"polluted": true}}',
    '{"__pro" + "to__": 1}',
    'merge(state, {"__proto__": {"polluted": 1}})',
    '[1].map(__proto__, 1)',
    '[1].map(prototype, prototype)',
    'globalThis',
    'process.exit(1)',
    'process',
    'require("fs")',
    'import("fs")',
    'eval("1")',
    'Function("return 1")()',
    'this',
    'arguments',
    'window',
    'constructor',
    '__proto__',
    'Object.keys(state)',
    'JSON.parse("1")',
    'state => state',
    'state.list.map(x => x)',
    '`template`',
    '${state}',
    '{{state.n}}',
    'new Date()',
    'state.n = 2',
    'state.n++',
    'state;state',
    'cel',
    'optional',
    'cel.constructor',
    'google.protobuf.Timestamp',
    'cel.bind(cel, state, cel.constructor)',
  ])('%s', (source) => {
    expect(refusals).toContain(outcome(source, scope));
  });

  test('keys between as data are read as data and reach nothing', () => {
    const data = JSON.parse('{"constructor": {"prototype": 1}, "__proto__": {"x": 1}}') as {
      constructor: { prototype: 1 };
    };
    expect(outcome('state.constructor.prototype', { state: data })).toBe(1);
    expect(outcome('state.__proto__', { state: data })).toBe('missing');
    expect(outcome('state["__proto__"].x', { state: data })).toBe('missing');
    expect(outcome('merge(state, {})', { state: data })).toBe('EXPRESSION_FAILED');
  });

  test('a scope without own names is empty', () => {
    expect(outcome('state', Object.create({ state: 1 }) as Record<string, never>)).toBe('missing');
    const everything = compileExpression('toString', { limits, names: new Set(['toString']) });
    expect('expression' in everything && everything.expression.evaluate({})).toMatchObject({ type: 'missing' });
  });

  test('[I49] nothing is left on Object.prototype', () => {
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect('polluted' in {}).toBe(false);
  });
});

describe('limits of the source', () => {
  test('length', () => {
    expect(compile(`"${'x'.repeat(9_999)}"`)).toMatchObject({
      problem: { message: 'Expected at most 10000 characters (expressionLengthMax), but found 10001' },
    });
  });

  test.each([
    ['brackets', '('.repeat(5_000)],
    ['nots', `${'!'.repeat(9_000)}true`],
    ['minuses', `${'-'.repeat(9_000)}1`],
    ['lists', `${'['.repeat(100)}${']'.repeat(100)}`],
    ['choices', `${'true ? '.repeat(70)}1${' : 2'.repeat(70)}`],
    ['calls', `${'abs('.repeat(70)}1${')'.repeat(70)}`],
    ['methods', `"a"${'.lower()'.repeat(70)}`],
    ['macros', `${'[1].map(x, '.repeat(70)}x${')'.repeat(70)}`],
  ])('depth of %s', (_, source) => {
    expect(compile(source)).toMatchObject({ problem: { code: 'EXPRESSION_LIMIT' } });
  });

  test('long chains are not deep', () => {
    expect(outcome(`1${' + 1'.repeat(1_999)}`, {})).toBe(2_000);
    expect(outcome(`true${' && true'.repeat(999)}`, {})).toBe(true);
    expect(outcome(`[${'1,'.repeat(3_000)}].size()`, {})).toBe(3_000);
  });
});

describe('cost', () => {
  const text = 'a'.repeat(1_000_000);
  const scope = deepFreeze({
    state: {
      hundred: Array.from({ length: 100 }, () => 1),
      many: Array.from({ length: 100_000 }, (_, index) => index),
      same: Array.from({ length: 100_000 }, (_, index) => index),
      text,
      twin: `${text.slice(1)}a`,
      big: Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, index])),
      needle: `ab${'a'.repeat(50_000)}`,
    },
  });
  const doubling = (operand: string, by: string, times: number): string => {
    return `cel.bind(x, ${operand}, ${`cel.bind(x, ${by}, `.repeat(times)}size(x)${')'.repeat(times + 1)}`;
  };

  test.each([
    ['three nested macros', 'state.hundred.all(a, state.hundred.all(b, state.hundred.all(c, a + b + c > 0)))'],
    ['many nested macros', 'state.many.map(a, state.many.map(b, state.many.map(c, a)))'],
    ['a large range', 'range(100000000)'],
    ['ranges in ranges', 'range(1000).map(a, range(100000))'],
    ['the largest range', 'range(-9007199254740991, 9007199254740991)'],
    ['text doubling', doubling('state.text', 'x + x', 20)],
    ['text doubling by join', doubling('"ab"', 'join([x, x, x, x, x, x, x, x], x)', 30)],
    ['text growing by replace', doubling('"aaaaaaaaaa"', 'x.replace("a", x)', 30)],
    ['list doubling', doubling('state.many', 'x + x', 20)],
    ['list doubling by flatten', doubling('[1]', 'flatten([x, x, x, x, x, x, x, x])', 30)],
    ['text repeated by map and join', 'range(1000).map(i, state.text).join("")'],
    ['text repeated twice', 'range(500).map(i, range(500).map(j, "abcdefghijklmnopqrstuvwxyz").join("")).join("")'],
    ['concatenation in a loop', 'state.hundred.map(x, state.many + state.many)'],
    ['equality of long lists', 'state.hundred.all(x, state.many == state.same)'],
    ['equality of long texts', 'state.many.all(x, state.text == state.twin)'],
    ['comparison of long texts', 'state.many.all(x, state.text <= state.twin)'],
    ['membership in long lists', 'state.many.all(x, state.many.contains(x))'],
    ['merge in a loop', 'state.many.map(x, merge(state.big, state.big))'],
    ['keys in a loop', 'state.many.map(x, keys(state.big))'],
    ['size of an object in a loop', 'state.many.all(x, size(state.big) > 0)'],
    ['macro over an object in a loop', 'state.many.all(x, state.big.exists(k, true))'],
    ['sort in a loop', 'state.many.map(x, sort(state.many))'],
    ['sort of long texts', 'range(10000).map(i, i % 2 == 0 ? state.text : state.twin).sort()'],
    ['min of long texts', 'state.many.map(x, min(state.text, state.twin))'],
    ['unique in a loop', 'state.many.map(x, unique(state.many))'],
    ['unique of large objects', 'range(1000).map(i, state.big).unique()'],
    ['JSON text in a loop', 'state.many.map(x, string(state.big))'],
    [
      'JSON text of shared values',
      doubling('state.hundred', '[x, x, x, x, x, x, x, x]', 20).replace('size(x)', 'string(x)'),
    ],
    [
      'equality of shared values',
      `cel.bind(y, ${doubling('[1]', '[x, x, x, x]', 25).replace('size(x)', 'x')}, ${doubling('[1]', '[x, x, x, x]', 25).replace('size(x)', 'x')} == y)`,
    ],
    ['case in a loop', 'state.many.map(x, lower(state.text))'],
    ['split in a loop', 'state.many.map(x, split(state.text, "b"))'],
    ['split into letters', 'range(10).map(i, split(state.text, ""))'],
    ['search in a loop', 'state.many.all(x, !contains(state.text, "b"))'],
    ['search for a long part in a loop', 'state.many.all(x, !contains(state.text, state.needle))'],
    ['trim in a loop', 'state.many.map(x, trim(state.text))'],
    ['numbers from long texts', 'state.many.all(x, double(state.text) > 0 || true)'],
    ['matching in a loop', 'state.many.all(x, !state.text.matches("(a|aa)+[bc]"))'],
    ['faults in a loop', 'range(1000).all(a, range(1000).exists(b, state.absent.x) || true)'],
    ['error messages in a loop', 'range(1000).all(a, range(1000).exists(b, "x" + null) || true)'],
    ['paths in a loop', 'state.many.map(x, get(state, range(1000), 0))'],
    ['slices in a loop', 'state.many.map(x, slice(state.many, 0))'],
    ['reverse in a loop', 'state.many.map(x, reverse(state.many))'],
    ['sum in a loop', 'state.many.map(x, sum(state.many))'],
  ])('%s', (_, source) => {
    const started = processorMs();
    expect(outcome(source, scope) === 'EXPRESSION_COST').toBe(true);
    expect(processorMs() - started).toBeLessThan(processorMsMost);
  });

  test('a long part is found in linear time', () => {
    const started = processorMs();
    expect(outcome('contains(state.text, state.needle)', scope)).toBe(false);
    expect(outcome('contains(state.text + state.needle, state.needle)', scope)).toBe(true);
    expect(outcome('size(split(state.needle + state.needle + "x", state.needle))', scope)).toBe(3);
    expect(processorMs() - started).toBeLessThan(processorMsMost);
  });

  test('a hostile pattern takes no longer than its price', () => {
    const started = processorMs();
    const source = 'matches(substring(state.text, 0, 5000), "([a-h]{0,100}\\\\b[a-h ]{0,100})[QR]$")';
    expect([false, 'EXPRESSION_COST']).toContain(outcome(source, scope));
    expect(processorMs() - started).toBeLessThan(processorMsMost);
  });

  test('an ordinary evaluation over a long list is within the default', () => {
    expect(outcome('state.many.filter(x, x % 2 == 0).map(x, x + 1).sum()', scope)).toBe(2_500_000_000);
  });

  test('the budget is the caller’s', () => {
    const compiled = compileExpression('range(50).all(x, x >= 0)', {
      names,
      limits: { ...limits, expressionCostMax: 100 },
    });
    expect('expression' in compiled && compiled.expression.evaluate({})).toMatchObject({ code: 'EXPRESSION_COST' });
  });
});
