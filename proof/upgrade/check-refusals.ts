// Files that are not opened: of a newer version, of another program, and, for reading only, of an older version. Each is
// refused with its code and a sentence that says what to do, and not one byte of it is changed.

import { readFile } from 'node:fs/promises';
import { StoreError } from '../../packages/heddle/src/actor/store-error.ts';
import { schemaVersion } from '../../packages/heddle/src/hosts/sqlite/migrations.ts';
import { openSqliteStore } from '../../packages/heddle/src/hosts/sqlite/open.ts';
import { inFile } from './check-database.ts';
import type { Recording } from './recording.ts';

/** Where the header of an SQLite file has them, as numbers of four bytes. */
const userVersionAt = 60;
const applicationIdAt = 68;

interface Refusal {
  readonly what: string;
  readonly bytes: Uint8Array;
  readonly readOnly: boolean;
  readonly code: string;
  /** What the sentence must say. */
  readonly says: RegExp;
}

export async function checkRefusals(recordings: readonly Recording[]): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const refusal of recordings.flatMap(refusalsOf)) {
    const found = await inFile(refusal.bytes, (file) => tryToOpen(file, refusal));
    if (found !== null) wrong.push(`Expected ${refusal.what} to be refused, but ${found}`);
  }
  return wrong;
}

function refusalsOf({ version, database }: Recording): readonly Refusal[] {
  const newer = { code: 'STORE_NEWER', says: /a newer Heddle wrote it with version \d+\. Install that Heddle/ };
  const foreign = { code: 'STORE_FOREIGN', says: /database of another program\. Name another file/ };
  const older = { code: 'STORE_OLDER', says: /it has version \d+\. Open it once for writing/ };
  const later = withNumber(database, userVersionAt, schemaVersion + 1);
  const ofAnother = withNumber(database, applicationIdAt, 0x1234);
  const changed = [false, true].flatMap((readOnly) => [
    { what: `a file of version ${schemaVersion + 1}`, bytes: later, readOnly, ...newer },
    { what: 'a file of another program', bytes: ofAnother, readOnly, ...foreign },
  ]);
  if (version >= schemaVersion) return changed;
  return [...changed, { what: `a file of version ${version} for reading`, bytes: database, readOnly: true, ...older }];
}

function withNumber(bytes: Uint8Array, at: number, number: number): Uint8Array {
  const copy = new Uint8Array(bytes);
  new DataView(copy.buffer).setUint32(at, number);
  return copy;
}

/** Null if it was refused as it should be. */
async function tryToOpen(file: string, { bytes, readOnly, code, says }: Refusal): Promise<string | null> {
  try {
    const store = await openSqliteStore(file, { readOnly });
    await store.close();
    return 'it was opened';
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== code) return `it failed otherwise: ${String(error)}`;
    if (!says.test(error.message)) return `its sentence says something else: ${error.message}`;
    return Buffer.compare(await readFile(file), bytes) === 0 ? null : 'it was changed';
  }
}
