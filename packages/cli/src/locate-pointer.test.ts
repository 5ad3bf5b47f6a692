import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineOf, locatePointer } from './locate-pointer.ts';

const text = `{
  "id": "x",
  "nodes": [
    { "id": "a" },
    { "id": "b", "meta": { "a/b": [1,
      2] } }
  ],
  "empty": [],
  "last": "},{"
}`;

test.each([
  ['', 1],
  ['/id', 2],
  ['/nodes', 3],
  ['/nodes/0', 4],
  ['/nodes/0/id', 4],
  ['/nodes/1/id', 5],
  ['/nodes/1/meta/a~1b/1', 6],
  ['/empty', 8],
  ['/last', 9],
])('finds %s on line %i', (pointer, line) => {
  expect(locatePointer(text, pointer)).toBe(line);
});

test.each([
  ['/nodes/7/action', 3],
  ['/nodes/1/action', 5],
  ['/missing', 1],
  ['/empty/0', 8],
])('%s is not there: what is around it is on line %i', (pointer, line) => {
  expect(locatePointer(text, pointer)).toBe(line);
});

test('in any JSON, every value is found on the line where it is', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.array(fc.jsonValue({ maxDepth: 2 }))), (value) => {
      const json = JSON.stringify(value, null, 1);
      for (const [key, list] of Object.entries(value)) {
        const pointer = `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        const at = json.indexOf(`\n ${JSON.stringify(key)}: `) + 1;
        expect(locatePointer(json, pointer)).toBe(lineOf(json, at));
        if (list.length > 0) expect(locatePointer(json, `${pointer}/0`)).toBe(lineOf(json, at) + 1);
      }
    }),
  );
});
