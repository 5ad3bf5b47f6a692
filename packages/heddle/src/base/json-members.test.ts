import { expect, test } from 'vitest';
import { listJsonMembers } from './json-members.ts';

test('every member has its pointer and its place, in the order of the text', () => {
  const text = '{ "a": [1, {"b/c": "x, [y]"}, []], "~": {}, "d\\n": -1.5 }';
  const members = Array.from(listJsonMembers(text), ({ pointer, offset }) => [pointer, text.slice(offset, offset + 4)]);
  expect(members).toEqual([
    ['/a', '"a":'],
    ['/a/0', '1, {'],
    ['/a/1', '{"b/'],
    ['/a/1/b~1c', '"b/c'],
    ['/a/2', '[]],'],
    ['/~0', '"~":'],
    ['/d\n', '"d\\n'],
  ]);
});

test.each(['1', '"a"', '{}', '[]', ' [ ] '])('%j has none', (text) => expect([...listJsonMembers(text)]).toEqual([]));
