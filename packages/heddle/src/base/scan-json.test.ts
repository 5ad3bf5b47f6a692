import { expect, test } from 'vitest';
import { JsonScanner, jsonSign } from './scan-json.ts';

function listTokens(text: string): string[] {
  const scanner = new JsonScanner(text);
  const tokens: string[] = [];
  while (scanner.next() !== jsonSign.end) tokens.push(scanner.written);
  return tokens;
}

test.each([
  ['', []],
  [' \t\r\n', []],
  ['{"a": [1, -2.5e+3, true, null]}', ['{', '"a"', ':', '[', '1', ',', '-2.5e+3', ',', 'true', ',', 'null', ']', '}']],
  ['"a \\" [b]\\\\" 1', ['"a \\" [b]\\\\"', '1']],
  ['"no end \\"', ['"no end \\"']],
  ['{a:"b"c}', ['{', 'a', ':', '"b"', 'c', '}']],
  ["1// 'ł\u0001", ['1', '/', '/', "'", 'ł', '\u0001']],
])('%j has the tokens %j', (text, tokens) => expect(listTokens(text)).toEqual(tokens));

test.each(['', 'a', 'ł', '日', '😀', '{"ł": ["日\\n", "😀"], "b": "\\"日"}', '日 "'])(
  'the bytes of %j are counted as UTF-8 has them, in a text and outside',
  (text) => {
    const scanner = new JsonScanner(text, 1_000);
    while (scanner.next() !== jsonSign.end);
    expect(text.length + scanner.extraBytes).toBe(Buffer.byteLength(text));
  },
);

test('what exceeds the bytes is not looked at', () => {
  const scanner = new JsonScanner(`["${'日'.repeat(100)}", 1]`, 9);
  expect([scanner.next(), scanner.next()]).toEqual([jsonSign.openList, jsonSign.quote]);
  expect(scanner.extraBytes).toBe(10);
  expect(scanner.next()).toBe(jsonSign.end);
});
