// The list of planted bugs keeps up with the sources.

import { describe, expect, it } from 'vitest';
import { attempts } from './attempts.mjs';
import { readMutated } from './build-mutant.mjs';
import { mutants } from './list.mjs';

describe('the list of mutants', () => {
  it('finds the text of each in its file exactly once, and changes it', async () => {
    const stale: string[] = [];
    for (const mutant of mutants) {
      await readMutated(mutant).catch((error: unknown) => stale.push(String(error)));
      if (mutant.find === mutant.replace) stale.push(`${mutant.id} changes nothing`);
    }
    expect(stale).toEqual([]);
  });

  it('names each once, and a proof that is to catch it', () => {
    const ids = mutants.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)]);
    expect(mutants.filter(({ caughtBy }) => !(caughtBy in attempts))).toEqual([]);
  });
});
