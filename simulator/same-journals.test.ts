// How many shards an engine has changes nothing in a run: where nothing goes wrong and runs do not meet, their journals are the
// same for one, two and five, but for their ids.

import { expect, test } from 'vitest';
import { difference, journalsOf, type ProgramKind, programKinds } from './journals-of.ts';

const programs = 40;
const kinds = Object.keys(programKinds) as readonly ProgramKind[]; // no others

test.each(kinds)(`%s: journals of ${programs} programs are the same for every number of shards`, async (kind) => {
  let length = 0;
  for (let seed = 1; seed <= programs; seed++) {
    const one = await journalsOf(kind, seed);
    for (const shards of [2, 5])
      expect({ seed, difference: difference(one, await journalsOf(kind, seed, { shards })) }).toEqual({
        seed,
        difference: null,
      });
    length += one.join('').length;
  }
  expect(length).toBeGreaterThan(10_000);
});
