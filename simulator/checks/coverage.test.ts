import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Coverage, coverage } from './coverage.ts';
import { fleetForgeries } from './fleet.testsuite.ts';
import { forgeries } from './forgeries.testsuite.ts';
import { restForgeries, worldForgeries } from './world.testsuite.ts';

const folder = new URL('.', import.meta.url);
const entries: readonly (readonly [string, Coverage])[] = Object.entries(coverage);
const checks = readdirSync(folder).filter((file) => file.endsWith('.ts') && !/coverage|test/.test(file));
const texts = new Map(checks.map((file) => [file, readFileSync(new URL(file, folder), 'utf8')]));

test('every invariant of the contract is in the table, once', () => {
  expect(entries.map(([id]) => id)).toEqual(Array.from({ length: 56 }, (_, index) => `I${index + 1}`));
});

test.each(entries)('%s is reported by the files that the table names', (id, { files, note }) => {
  expect(files.length > 0 || note !== undefined).toBe(true);
  expect(files.filter((file) => !texts.get(file)?.includes(`'${id}'`))).toEqual([]);
});

test('an invariant that is checked is found when it is broken', () => {
  const found = new Set(
    [...forgeries, ...worldForgeries, ...restForgeries, ...fleetForgeries].map(({ invariant }) => invariant as string),
  );
  expect(entries.filter(([id, { files }]) => files.length > 0 && !found.has(id)).map(([id]) => id)).toEqual([]);
});

test('what reports an invariant is in the table', () => {
  const reported = [...texts.values()].flatMap((text) => [...text.matchAll(/'(I\d+)'/g)].map(([, id]) => id));
  const listed = new Set(entries.filter(([, { files }]) => files.length > 0).map(([id]) => id));
  expect(reported.filter((id) => id !== undefined && !listed.has(id))).toEqual([]);
});
