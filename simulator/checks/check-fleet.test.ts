import { expect, test } from 'vitest';
import { memoryStore } from '../../packages/heddle/src/hosts/memory/store.ts';
import { checkShared } from './check-places.ts';
import { fleetForgeries, rightReadings } from './fleet.testsuite.ts';

test.each(rightReadings)('nothing is wrong with a fleet as it should be (%#)', (look) => {
  expect(look()).toBeNull();
});

test.each(fleetForgeries)('$invariant finds $what', ({ invariant, look }) => {
  expect(look()).toMatchObject({ invariant });
});

test('[I52] a definition that one shard lacks is found', async () => {
  const [home, other] = [memoryStore(), memoryStore()];
  expect(await checkShared([home, other])).toBeNull();
  await home.saveDefinition({ id: 'w', version: 1, hash: 'h', body: '{}', createdAt: 0 });
  expect(await checkShared([home, other])).toMatchObject({ invariant: 'I52' });
});
