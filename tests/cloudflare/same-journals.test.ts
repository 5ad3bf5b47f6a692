// The host changes nothing in a run: where nothing goes wrong and runs do not meet, journals are the same on files of Node and in
// Durable Objects, but for their ids. `HEDDLE_RUNS=200` tries more programs of each kind.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSqliteStore } from '../../packages/heddle/src/hosts/sqlite/open.ts';
import { difference, journalsOf, type ProgramKind, programKinds } from '../../simulator/journals-of.ts';
import { isEverything } from '../commit-share.testsuite.ts';
import { Workerd } from './workerd.testsuite.ts';

interface Playing {
  journals(kind: ProgramKind, seed: number): Promise<readonly string[]>;
}

const programs = Number(process.env['HEDDLE_RUNS'] ?? (isEverything ? 50 : 6));
const kinds = Object.keys(programKinds) as readonly ProgramKind[]; // no others

let workerd: Workerd;
let folder: string;

beforeAll(async () => {
  workerd = await Workerd.open({ program: 'journals.worker.ts', more: { serviceBindings: {} } });
  folder = mkdtempSync(path.join(tmpdir(), 'heddle-journals-'));
});
afterAll(async () => {
  await workerd.close();
  rmSync(folder, { recursive: true, force: true });
});

async function journalsOnFile(kind: ProgramKind, seed: number): Promise<readonly string[]> {
  const store = await openSqliteStore(path.join(folder, `${kind}-${seed}.db`));
  try {
    return await journalsOf(kind, seed, { makeStore: () => ({ ...store, close: () => undefined }) }); // read when its engine has gone
  } finally {
    await store.close();
  }
}

test.each(kinds)(`[SH7] %s: journals of ${programs} programs are the same on a file and in an object`, async (kind) => {
  let length = 0;
  for (let seed = 1; seed <= programs; seed++) {
    const object = await workerd.object<Playing>(`${kind}-${seed}`);
    const [here, there] = [await journalsOnFile(kind, seed), await object.journals(kind, seed)];
    expect({ seed, difference: difference(here, there) }).toEqual({ seed, difference: null });
    length += here.join('').length;
  }
  expect(length).toBeGreaterThan(1_000);
});
