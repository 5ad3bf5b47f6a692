import { expect, test } from 'vitest';
import { locate } from './locate.ts';

test('the place of a problem is found in the text, or the nearest around it', () => {
  const text = JSON.stringify({ id: 'w', nodes: [{ id: 'a,"}' }, { id: 'b', wait: { seconds: 1 } }] }, null, 2);
  const pointers = ['/nodes/1/wait/seconds', '/nodes/0/id', '/nodes/1/action', '/nowhere'];
  const found = locate(text, pointers);
  const textAt = (pointer: string) => text.slice(found.get(pointer)!.from, found.get(pointer)!.to);
  expect(textAt('/nodes/1/wait/seconds')).toBe('1');
  expect(textAt('/nodes/0/id')).toBe('"a,\\"}"');
  expect(JSON.parse(textAt('/nodes/1/action'))).toEqual({ id: 'b', wait: { seconds: 1 } });
  expect(textAt('/nowhere')).toBe('{');
});
