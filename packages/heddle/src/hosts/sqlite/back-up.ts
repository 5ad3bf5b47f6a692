// BackUp: a copy of a store that can be opened as one, made while it is written to: database, key and artifacts.
//
// Always true: nothing is written over; the database comes last to its name, so that a copy under its name is whole. It
// is read through a connection of its own, in one read transaction, and so shows one moment.

import { rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { StoreError } from '../../actor/store-error.ts';
import { copyArtifacts } from './artifact-copy.ts';
import { copyDurably, makeOwnFile, makeOwnFolder, syncFile, syncFolder } from './durable-file.ts';
import { isMissing, toFileError } from './file-fault.ts';
import { unmarkLog } from './log-mark.ts';
import { openNodeDriver } from './node-driver.ts';
import { toStoreError } from './sqlite-fault.ts';
import { loadSqliteModule, type SqliteConstructor } from './sqlite-module.ts';
import type { StoreFiles } from './upkeep.ts';

/** Pages of one step: about 2 MB. */
const pagesPerStep = 512;

// BU1: a backup is a store of one moment, made while everything continues, and never replaces what is there.
export async function backUpStore(files: StoreFiles, target: string): Promise<void> {
  const copy = path.resolve(target);
  const [key, artifacts, draft] = [`${copy}.key`, `${copy}-artifacts`, `${copy}.new`];
  for (const file of [copy, key, artifacts, `${copy}-wal`]) await refuseExisting(file);
  try {
    await makeOwnFolder(path.dirname(copy));
    await rm(draft, { force: true }); // What a crash left of another one.
    makeOwnFile(draft);
    await copyDatabase(files.file, draft);
    await copyDurably(files.keyFile, key);
    await copyArtifacts(files.artifactFolder, artifacts);
    // BU4: all of it is on the disk before it has its name, and then its name.
    await syncFile(draft);
    await rename(draft, copy);
    await syncFolder(path.dirname(copy));
  } catch (error) {
    for (const file of [draft, key, artifacts]) await rm(file, { recursive: true, force: true }).catch(() => undefined);
    throw error instanceof StoreError ? error : toFileError(error, copy);
  }
}

async function copyDatabase(file: string, draft: string): Promise<void> {
  const { DatabaseSync, backup } = await loadSqliteModule();
  try {
    const source = new DatabaseSync(file, { readOnly: true, enableForeignKeyConstraints: false, defensive: true });
    try {
      // An open transaction keeps the moment; without it every commit would make the copy begin anew.
      source.exec('BEGIN; SELECT 1 FROM runs LIMIT 1');
      await backup(source, draft, { rate: pagesPerStep });
    } finally {
      source.close();
    }
    unmarkCopy(DatabaseSync, draft);
  } catch (error) {
    throw toStoreError(error, file);
  }
}

/** The copy has no log: all of it is in the one file. */
function unmarkCopy(Sqlite: SqliteConstructor, draft: string): void {
  const copy = openNodeDriver(Sqlite, draft, false);
  try {
    copy.exec('PRAGMA journal_mode = DELETE');
    unmarkLog(copy);
  } finally {
    copy.close();
  }
}

async function refuseExisting(file: string): Promise<void> {
  try {
    await stat(file);
  } catch (error) {
    if (isMissing(error)) return;
    throw toFileError(error, file);
  }
  throw new StoreError(
    'STORE_UNWRITABLE',
    `Expected a free path for the backup, but ${file} is there. Name another path.`,
  );
}
