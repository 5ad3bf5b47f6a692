import { expect, test } from 'vitest';
import { namesOf } from './workflow-names.ts';

test('every workflow is named once, with its newest version, by name', () => {
  const of = (id: string, version: number) => ({ id, version, hash: '', createdAt: version });
  expect(namesOf([of('b', 1), of('a', 2), of('a', 1), of('b', 2)])).toEqual([
    { id: 'a', version: 2, versions: 2, createdAt: 2 },
    { id: 'b', version: 2, versions: 2, createdAt: 2 },
  ]);
});
