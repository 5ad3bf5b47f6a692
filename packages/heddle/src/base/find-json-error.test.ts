import { expect, test } from 'vitest';
import { findJsonError } from './find-json-error.ts';

test.each([
  ['{\n  "a": [1, 2,]\n}', 'found "]" at line 2, column 14', 'Remove the comma before it.'],
  ['{ "a": 1, }', 'found "}" at line 1, column 11', 'Remove the comma before it.'],
  ['{ // a\n}', 'found "/" at line 1, column 3', 'JSON has no comments.'],
  ["{ 'a': 1 }", 'found "\'" at line 1, column 3', 'Write double quotes.'],
  ['{n: 4}', 'found "n" at line 1, column 2', 'Write it in double quotes.'],
  ['{ "a" 1 }', 'found "1" at line 1, column 7', 'Write a colon before it.'],
  ['{ "a": 1 "b": 2 }', 'found "\\"" at line 1, column 10', 'Write a comma before it.'],
  ['[1 2]', 'found "2" at line 1, column 4', 'Write a comma before it.'],
  ['{ "a": yes }', 'found "yes" at line 1, column 8', 'Write a text in double quotes.'],
  ['{ "a": "x\ny" }', 'found "\\"" at line 1, column 8', 'A text ends on its line, and a \\ in it is written \\\\.'],
  ['{ "a": 01 }', 'found "01" at line 1, column 8', undefined],
  ['[1}', 'found "}" at line 1, column 3', undefined],
  ['{} {}', 'found "{" at line 1, column 4', 'Write a comma before it.'],
  ['{ "a": [1', 'it ends too early, at line 1', undefined],
  [' \n', 'it is empty', undefined],
])('%j: %s', (text, finding, hint) => {
  expect(() => JSON.parse(text)).toThrow(SyntaxError);
  expect(findJsonError(text)).toMatchObject({ finding, ...(hint === undefined ? {} : { hint }) });
  expect(findJsonError(text).hint).toBe(hint);
});

test('a text of millions of characters, and one with characters that only terminals mind, are no hindrance', () => {
  const long = `["${'x\\n'.repeat(2_000_000)}", "\u0085", oops]`;
  expect(findJsonError(long).finding).toBe(`found "oops" at line 1, column ${long.indexOf('oops') + 1}`);
});
