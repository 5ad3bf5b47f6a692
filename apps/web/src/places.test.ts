import { expect, test } from 'vitest';
import { placesFor, refusalOf } from './places.ts';

const somebody = { tenant: 'default', scopes: ['run:read'], keyId: 'k', via: 'key', only: null } as const;
const labels = (who: Parameters<typeof placesFor>[0]): readonly string[] => placesFor(who).map(({ label }) => label);

test('people are led to what their scopes allow', () => {
  expect(labels(somebody)).toEqual(['Overview', 'Runs', 'Work', 'Settings', 'API']);
  expect(labels({ ...somebody, scopes: ['*'] })).toHaveLength(8);
  expect(refusalOf(somebody, '/settings')).toBe(null);
});

test('the token of a run leads to that run alone', () => {
  const holder = { ...somebody, only: { runId: 'a/b' } };
  expect(placesFor(holder)).toEqual([{ path: '/runs/a%2Fb', label: 'Run', scopes: [] }]);
  expect(refusalOf(holder, '/runs/a%2Fb')).toBe(null);
  expect(refusalOf(holder, '/runs/other')).toBe('You may look at one run');
});

test('the token of a workflow leads to its runs', () => {
  const holder = { ...somebody, only: { workflow: 'hello' } };
  expect(labels(holder)).toEqual(['Runs']);
  expect(refusalOf(holder, '/runs/any')).toBe(null);
  expect(refusalOf(holder, '/settings')).toBe('You may look at the runs of hello');
});
