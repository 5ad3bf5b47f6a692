// The list of planted bugs keeps up with the sources.

import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { attempts } from './attempts.mjs';
import { mutants } from './list.mjs';
import { plantBug, root } from './plant-bug.mjs';
import { findTests, readSources } from './sources.mjs';

describe('the list of mutants', () => {
  it('finds the code of each in its place exactly once, and changes it into another program', () => {
    const sources = readSources(root);
    const stale: string[] = [];
    for (const mutant of mutants) {
      try {
        const { file, text } = plantBug(mutant, sources);
        const [error] = parseSync(file, text).errors;
        if (error) stale.push(`${mutant.id} is no program: ${error.message}`);
        if (mutant.find === mutant.replace) stale.push(`${mutant.id} changes nothing`);
      } catch (error) {
        stale.push(String(error));
      }
    }
    expect(stale).toEqual([]);
  });

  it('names each once, and a proof that is to catch it', () => {
    const ids = mutants.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)]);
    expect(mutants.filter(({ caughtBy }) => !(caughtBy in attempts))).toEqual([]);
  });

  it('names files of tests that are there, each without doubt', () => {
    const endings = new Set(mutants.flatMap((one) => testsOf(one) ?? []));
    const found = [...endings].map((ending) => [ending, findTests(root, ending).length]);
    expect(found.filter(([, count]) => count !== 1)).toEqual([]);
    expect(mutants.filter((one) => one.caughtBy === 'tests' && testsOf(one) === undefined)).toEqual([]);
  });
});

/** A hint names a seed, a shape or a file of tests; most have none. */
const testsOf = (mutant: object): string | undefined => (mutant as { hint?: { tests?: string } }).hint?.tests; // as lists have it
