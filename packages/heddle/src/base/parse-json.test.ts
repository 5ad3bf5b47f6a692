import { describe, expect, test } from 'vitest';
import { type ParseOptions, parseJson } from './parse-json.ts';

const options: ParseOptions = { bytesMax: 1_000, depthMax: 5, limitName: 'payloadBytesMax', duplicateKeys: 'refuse' };

function codeOf(text: string, changes: Partial<ParseOptions> = {}): string {
  const parsed = parseJson(text, { ...options, ...changes });
  return 'problem' in parsed ? `${parsed.problem.code} ${parsed.problem.pointer}`.trim() : 'ok';
}

describe('parseJson', () => {
  test('gives the value', () => {
    expect(parseJson('{"a":[1,{"b":null}],"c":"x"}', options)).toEqual({ value: { a: [1, { b: null }], c: 'x' } });
  });

  test('says in one sentence where it is no JSON, and what to do; of a very long text only that it is none', () => {
    expect(parseJson('{a:1}', options)).toEqual({
      problem: {
        severity: 'error',
        code: 'INVALID_JSON',
        pointer: '',
        message: 'Expected JSON text, but found "a" at line 1, column 2',
        hint: 'Write it in double quotes.',
      },
    });
    const long = `[${'1,'.repeat(60_000)}]`;
    expect(parseJson(long, { ...options, bytesMax: 1_000_000 })).toMatchObject({
      problem: { code: 'INVALID_JSON', message: 'Expected JSON text, but it is none' },
    });
  });

  test('names the limit that is exceeded', () => {
    expect(parseJson('"12345"', { ...options, bytesMax: 6 })).toEqual({
      problem: {
        severity: 'error',
        code: 'TOO_LARGE',
        pointer: '',
        message: 'Expected at most 6 bytes (payloadBytesMax), but found at least 7',
      },
    });
  });

  test.each([
    ['[[[[[1]]]]]', 'ok'],
    ['[[[[[[1]]]]]]', 'TOO_DEEP'],
    ['{"a":{"a":{"a":{"a":{"a":{}}}}}}', 'TOO_DEEP'],
    ['["[[[[[[[[","\\"[[[[[[[["]', 'ok'],
    ['"\\\\"', 'ok'],
    ['', 'INVALID_JSON'],
    ['{a:1}', 'INVALID_JSON'],
    ['[1,]', 'INVALID_JSON'],
    ['{"a":1,"a":2}', 'DUPLICATE_KEY /a'],
    ['{"a":1,"\\u0061":2}', 'DUPLICATE_KEY /a'],
    ['{"x":[{"b":1},{"a/b":1,"a/b":2}]}', 'DUPLICATE_KEY /x/1/a~1b'],
    ['{"a":"a","b":["a","a"],"c":{"a":1},"d":{"a":1}}', 'ok'],
    ['{"a":{},"b":[],"a":1}', 'DUPLICATE_KEY /a'],
    ['[{"a":1},{"a":1}]', 'ok'],
    ['{"x":{"__proto__":{}}}', 'FORBIDDEN_KEY /x/__proto__'],
    ['{"x":[0,1e999]}', 'NOT_FINITE /x/1'],
    ['[-1e999]', 'NOT_FINITE /0'],
    ['{"constructor":1,"prototype":2,"hasOwnProperty":3}', 'ok'],
  ])('%s: %s', (text, expected) => {
    expect(codeOf(text)).toBe(expected);
  });

  test('counts bytes of UTF-8', () => {
    expect(codeOf('"äö"', { bytesMax: 6 })).toBe('ok');
    expect(codeOf('"äö"', { bytesMax: 5 })).toBe('TOO_LARGE');
    expect(codeOf('"😀€"', { bytesMax: 9 })).toBe('ok');
    expect(codeOf('"😀€"', { bytesMax: 8 })).toBe('TOO_LARGE');
  });

  test.each([
    ['[1,2,3]', { nodesMax: 4 }, 'ok'],
    ['[1,2,3]', { nodesMax: 3 }, 'TOO_MANY_NODES'],
    ['{"a":[1,{"b":2}]}', { nodesMax: 5 }, 'ok'],
    ['{"a":[1,{"b":2}]}', { nodesMax: 4 }, 'TOO_MANY_NODES'],
    ['["a,b:c","[{,"]', { nodesMax: 3 }, 'ok'],
    ['[1,1,1,1,1', { nodesMax: 4 }, 'TOO_MANY_NODES'],
    ['{"a":1,"b":2}', { keysMax: 2 }, 'ok'],
    ['{"a":1,"b":2,"c":3}', { keysMax: 2 }, 'TOO_MANY_KEYS'],
    ['[{"a":1},{"a":1},{"a":1}]', { keysMax: 1 }, 'ok'],
    ['[{"a":1},{"b" \n:1}]', { keysMax: 1 }, 'TOO_MANY_KEYS'],
    ['{"a":"b","c":"\\"d\\":"}', { keysMax: 2 }, 'ok'],
    ['{"a":"x","\\"":1,"\\\\":1}', { keysMax: 2 }, 'TOO_MANY_KEYS'],
    ['{"a":1,"b":2,"c', { keysMax: 1 }, 'TOO_MANY_KEYS'],
    ['{:::"', { keysMax: 1 }, 'INVALID_JSON'],
  ])('[HT22] %s within %j: %s', (text, bounds, expected) => {
    expect(codeOf(text, bounds)).toBe(expected);
  });

  test('without the option the last of two keys wins, as in JSON.parse', () => {
    expect(parseJson('{"a":1,"a":2}', { bytesMax: 99, depthMax: 9, limitName: 'x' })).toEqual({ value: { a: 2 } });
  });

  test('a million brackets are refused before they are parsed', () => {
    expect(codeOf('['.repeat(1_000_000), { bytesMax: 10_000_000 })).toBe('TOO_DEEP');
  });
});
