import { describe, expect, test } from 'vitest';
import { checkJson, copyToJson, lengthOfJson, toJson } from './check-json.ts';

const limits = { bytesMax: 10_000, depthMax: 10, limitName: 'payloadBytesMax' };

class Point {
  readonly x = 1;
}

describe('toJson', () => {
  test('returns JSON as it is', () => {
    const value = { a: [1, 'x', null, true, { b: -1.5 }], constructor: 1, prototype: 2 };
    const result = toJson(value, limits);
    expect(result.ok && result.value).toBe(value);
  });

  test('drops members that are undefined and shares the rest', () => {
    const kept = { x: 1 };
    const result = toJson({ a: undefined, kept, list: [{ b: undefined, c: 2 }] }, limits);
    expect(result).toMatchObject({ ok: true, value: { kept: { x: 1 }, list: [{ c: 2 }] } });
    expect(result.ok && Object.keys(result.value as object)).toEqual(['kept', 'list']);
    expect(result.ok && (result.value as { kept: object }).kept).toBe(kept);
  });

  test('undefined alone is null', () => {
    expect(toJson(undefined, limits)).toEqual({ ok: true, value: null, bytes: 4 });
  });

  test('takes objects without a prototype', () => {
    const bare: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
    bare['a'] = 1;
    expect(toJson({ bare }, limits)).toMatchObject({ ok: true });
  });

  test('what has been checked is measured as it was counted', () => {
    const inner = [0, 9, 10, 999, 1000, -1, 0.5, 1e21, true, false, null, '', 'text', [], {}, [[]], { '': {} }];
    for (const value of [...inner, inner, { a: inner, b: { c: inner } }]) {
      const checked = checkJson(value, limits);
      expect(checked.ok && checked.bytes).toBe(lengthOfJson(value));
    }
  });

  test('counts about the bytes of the text', () => {
    for (const value of [
      { a: [1, 22, 333], b: 'text', c: { d: null, e: true } },
      [],
      {},
      'x',
      [[]],
      { a: { b: {} } },
    ]) {
      const result = toJson(value, limits);
      const length = JSON.stringify(value).length;
      expect(result.ok && Math.abs(result.bytes - length)).toBeLessThanOrEqual(3);
    }
  });
});

describe('copyToJson', () => {
  test('shares nothing with what it was given, and drops members that are undefined', () => {
    const value = { a: [1, { b: 'x' }], gone: undefined, constructor: { toJSON: 'a word' } };
    const result = copyToJson(value, limits);
    expect(result).toEqual({ ok: true, value: { a: [1, { b: 'x' }], constructor: { toJSON: 'a word' } }, bytes: 54 });
    expect(result.ok && Object.keys(result.value as object)).toEqual(['a', 'constructor']);
    value.a.push(2);
    expect(result.ok && (result.value as { a: unknown[] }).a).toHaveLength(2);
  });

  test('reads every member once, so that what was checked is kept', () => {
    let reads = 0;
    const value = {
      get x(): unknown {
        reads += 1;
        return reads === 1 ? 'first' : () => 'second';
      },
    };
    expect(copyToJson([value], limits)).toMatchObject({ ok: true, value: [{ x: 'first' }] });
    expect(reads).toBe(1);
  });

  test('goes through a list by its length, whatever its iterator says', () => {
    const endless = Object.assign([1, 2], {
      *[Symbol.iterator]() {
        for (;;) yield 1;
      },
    });
    expect(copyToJson(endless, limits)).toMatchObject({ ok: true, value: [1, 2] });
  });

  test('minus zero is 0, as in JSON text', () => {
    const result = copyToJson([-0], limits);
    expect(result.ok && Object.is((result.value as number[])[0], 0)).toBe(true);
  });
});

describe('what is no JSON', () => {
  const cyclic: { self?: unknown } = {};
  cyclic.self = cyclic;
  const hostile = {
    get a(): number {
      throw new Error('trap');
    },
  };
  const trap: ProxyHandler<object> = {
    get: () => {
      throw new Error('trap');
    },
  };
  const throwing = (thrown: unknown): object =>
    Object.defineProperty({}, 'a', {
      enumerable: true,
      get: () => {
        throw thrown;
      },
    });
  const listWithToJson = Object.assign([1], { toJSON: (): number => 2 });

  test.each<[string, unknown, string, string]>([
    ['a function', { f: (): number => 1 }, 'NOT_JSON', '/f'],
    ['a symbol', [Symbol('x')], 'NOT_JSON', '/0'],
    ['a bigint', { a: { b: 1n } }, 'NOT_JSON', '/a/b'],
    ['undefined in a list', [1, undefined], 'NOT_JSON', '/1'],
    // oxlint-disable-next-line no-sparse-arrays
    ['a hole in a list', [1, , 2], 'NOT_JSON', '/1'],
    ['NaN', { 'a/b~c': Number.NaN }, 'NOT_JSON', '/a~1b~0c'],
    ['Infinity', Number.POSITIVE_INFINITY, 'NOT_JSON', ''],
    ['a Date', { at: new Date(0) }, 'NOT_JSON', '/at'],
    ['a Map', new Map(), 'NOT_JSON', ''],
    ['an instance', { p: new Point() }, 'NOT_JSON', '/p'],
    ['an error', new Error('x'), 'NOT_JSON', ''],
    ['bytes', new Uint8Array(2), 'NOT_JSON', ''],
    ['a boxed text', [Object('x')], 'NOT_JSON', '/0'],
    ['toJSON', { toJSON: (): number => 1 }, 'NOT_JSON', ''],
    ['a list with toJSON', [listWithToJson], 'NOT_JSON', '/0'],
    ['a getter that throws', hostile, 'NOT_JSON', '/a'],
    ['a getter that throws, further down', { list: [1, hostile] }, 'NOT_JSON', '/list/1/a'],
    ['a getter that throws what has no text', { x: throwing(Object.create(null)) }, 'NOT_JSON', '/x/a'],
    ['a getter that throws an error that cannot be read', throwing(new Proxy(new Error('x'), trap)), 'NOT_JSON', '/a'],
    ['a proxy', { p: new Proxy({}, trap) }, 'NOT_JSON', '/p'],
    ['a proxy of a list without a length', [new Proxy([1], { get: () => Number.NaN })], 'NOT_JSON', '/0'],
    ['__proto__', { a: JSON.parse('{"__proto__": 1}') as unknown }, 'FORBIDDEN_KEY', '/a/__proto__'],
    ['a cycle', cyclic, 'TOO_DEEP', '/self/self/self/self/self/self/self/self/self/self'],
    ['a long text', 'x'.repeat(10_000), 'TOO_LARGE', ''],
    ['a long list', { list: Array.from({ length: 20_000 }, () => 1) }, 'TOO_LARGE', ''],
  ])('%s', (_, value, code, pointer) => {
    expect(toJson(value, limits)).toMatchObject({ ok: false, code, pointer });
    expect(checkJson(value, limits)).toMatchObject({ ok: false, code, pointer });
    expect(copyToJson(value, limits)).toMatchObject({ ok: false, code, pointer });
  });

  test('says what to do with a Date', () => {
    expect(toJson(new Date(0), limits)).toMatchObject({
      message: 'Expected a JSON value, but found a Date (convert it with toISOString())',
    });
  });

  test('checkJson refuses an undefined member with its place', () => {
    expect(checkJson({ a: [{ b: undefined }] }, limits)).toMatchObject({ ok: false, pointer: '/a/0/b' });
    expect(checkJson({ a: 1 }, limits)).toEqual({ ok: true, bytes: 7 });
  });

  test('names the limit', () => {
    expect(toJson('x'.repeat(10_000), limits)).toMatchObject({
      message: 'Expected at most 10000 bytes of JSON (payloadBytesMax), but found more',
    });
  });

  test('nesting of ten thousand levels ends at the limit', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 10_000; level++) deep = [deep];
    expect(toJson(deep, limits)).toMatchObject({ ok: false, code: 'TOO_DEEP' });
  });
});
