import { expect, test } from 'vitest';
import { everyRun, isFiltered, type RunSearch, readSearch, toFilter, writeSearch } from './run-search.ts';

const search: RunSearch = {
  statuses: ['running', 'failed'],
  workflow: 'a b',
  tags: { customer: 'x=y' },
  since: '24h',
  search: '<b>',
  withSubRuns: true,
  after: 'cursor',
};

test('a filter is the same after it was in the address', () => {
  expect(readSearch(writeSearch(search))).toEqual(search);
  expect(readSearch('')).toEqual(everyRun);
  expect(isFiltered({ ...everyRun, after: 'cursor' })).toBe(false);
  expect(isFiltered(search)).toBe(true);
});

test('what is no filter is left out', () => {
  expect(readSearch('status=odd&since=toString&tag=nothing&x=1')).toEqual(everyRun);
});

test('the server is asked for what is set', () => {
  expect(toFilter(everyRun, 0)).toEqual({});
  expect(toFilter(search, 100_000_000)).toEqual({
    statuses: ['running', 'failed'],
    workflow: 'a b',
    tags: { customer: 'x=y' },
    createdAfter: 13_600_000,
    search: '<b>',
    subRuns: true,
  });
});
