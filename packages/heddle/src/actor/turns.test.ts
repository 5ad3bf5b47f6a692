import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

test('one at a time for a key, in the order of asking; other keys do not wait', async () => {
  const turns = new Turns();
  const done: string[] = [];
  const doors = new Map<string, () => void>();
  const work = (name: string) => () =>
    new Promise<string>((resolve) => {
      done.push(`begins ${name}`);
      doors.set(name, () => resolve(name));
    });
  const first = turns.take('a', work('first'));
  const failing = turns.take('a', () => Promise.reject(new Error('no')));
  const second = turns.take('a', work('second'));
  const other = turns.take('b', work('other'));
  await new Promise((resolve) => setImmediate(resolve));
  expect(done).toEqual(['begins first', 'begins other']);
  doors.get('first')?.();
  await expect(failing).rejects.toThrow('no');
  await new Promise((resolve) => setImmediate(resolve));
  expect(done).toEqual(['begins first', 'begins other', 'begins second']);
  doors.get('second')?.();
  doors.get('other')?.();
  expect(await Promise.all([first, second, other])).toEqual(['first', 'second', 'other']);
});
