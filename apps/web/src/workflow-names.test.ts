import { expect, test } from 'vitest';
import { nameLike, namesOf } from './workflow-names.ts';

test('every workflow is named once, with its newest version, by name', () => {
  const of = (id: string, version: number) => ({
    id,
    version,
    hash: '',
    createdAt: version,
    description: `${version}`,
  });
  expect(namesOf([of('b', 1), of('a', 2), of('a', 1), of('b', 2)])).toEqual([
    { id: 'a', version: 2, versions: 2, createdAt: 2, description: '2' },
    { id: 'b', version: 2, versions: 2, createdAt: 2, description: '2' },
  ]);
});

test.each([
  ['team lunch', 'team-lunch'],
  ['  Équipe: déjeuner!  ', 'Equipe-dejeuner'],
  ['2. Mahlzeit für alle', 'Mahlzeit-fur-alle'],
  ['x'.repeat(200), 'x'.repeat(128)],
  ['会议', null],
  ['123', null],
])('for %s the name %s is offered', (typed, name) => {
  expect(nameLike(typed)).toBe(name);
});
