// The host changes nothing in a run: where nothing goes wrong and runs do not meet, journals are the same on files of Node and on
// another host, but for their ids. `HEDDLE_RUNS=200` tries more programs of each kind.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSqliteStore } from '../packages/heddle/src/hosts/sqlite/open.ts';
import { difference, journalsOf, type ProgramKind, programKinds } from '../simulator/journals-of.ts';
import { isEverything } from './commit-share.testsuite.ts';

const kinds = Object.keys(programKinds) as readonly ProgramKind[]; // no others

/** `share`: how many programs of each kind `npm test` tries. */
export function describeSameJournals(
  place: string,
  share: number,
  journalsThere: (kind: ProgramKind, seed: number) => Promise<readonly string[]>,
): void {
  const programs = Number(process.env['HEDDLE_RUNS'] ?? (isEverything ? 50 : share));
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'heddle-journals-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const journalsOnFile = async (kind: ProgramKind, seed: number): Promise<readonly string[]> => {
    const store = await openSqliteStore(path.join(folder, `${kind}-${seed}.db`));
    try {
      return await journalsOf(kind, seed, { makeStore: () => ({ ...store, close: () => undefined }) }); // read when its engine has gone
    } finally {
      await store.close();
    }
  };

  test.each(kinds)(`[SH7] %s: journals of ${programs} programs are the same on a file and ${place}`, async (kind) => {
    let length = 0;
    for (let seed = 1; seed <= programs; seed++) {
      const [here, there] = [await journalsOnFile(kind, seed), await journalsThere(kind, seed)];
      expect({ seed, difference: difference(here, there) }).toEqual({ seed, difference: null });
      length += here.join('').length;
    }
    expect(length).toBeGreaterThan(1_000);
  });
}
