// Open: from a path to a store that is ours, up to date and, for writing, ours alone. The order matters: look at the
// path, look into the file, take the lock, and only then write.
//
// Always true: whatever fails, nothing stays open or locked, and a file that is refused was not written to.

import { hash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import type { Store } from '../../actor/ports.ts';
import { StoreError } from '../../actor/store-error.ts';
import { ArtifactFiles } from './artifact-files.ts';
import { checkLog } from './check-log.ts';
import type { SqlDriver } from './driver.ts';
import { keyFileReader, makeKeyFile } from './key-file.ts';
import { checkCurrent, checkFile, migrate } from './migrations.ts';
import { openNodeDriver } from './node-driver.ts';
import { refuseUnfit } from './sqlite-fault.ts';
import { loadSqlite, type SqliteConstructor } from './sqlite-module.ts';
import { createSqliteStore } from './store.ts';
import { checkStoreFile } from './store-file.ts';
import { syncLeftovers } from './sync-leftovers.ts';
import { makeUpkeep } from './upkeep.ts';
import { acquireWriterLock, isLocked } from './writer-lock.ts';

export interface SqliteStoreOptions {
  /** For looking only, beside a program that writes: refuses every write, creates nothing. */
  readonly readOnly?: boolean;
  /** How long to wait for a writer that is about to leave, before the file is refused as locked. */
  readonly lockWaitMs?: number;
}

const lockWaitMsDefault = 1000;

export async function openSqliteStore(path: string, options: SqliteStoreOptions = {}): Promise<Store> {
  return openStoreWith(await loadSqlite(), path, options);
}

/** Whether an engine, of this or another process, has the file open for writing now: whether somebody works on its runs. */
export async function hasWriter(path: string): Promise<boolean> {
  return isLocked(await loadSqlite(), path);
}

/** On the SQLite that is given: proofs hand in one that tells them of every statement. */
export async function openStoreWith(
  Sqlite: SqliteConstructor,
  path: string,
  options: SqliteStoreOptions = {},
): Promise<Store> {
  const driver = await openDriverWith(Sqlite, path, options);
  const { readOnly = false } = options;
  try {
    const file = realpathSync.native(path); // All names of a store (links) lead to one key and one folder.
    const keyFile = `${file}.key`;
    const artifactFolder = `${file}-artifacts`;
    if (!readOnly) await makeKeyFile(keyFile);
    return createSqliteStore({
      driver,
      hash: (text) => hash('sha256', text, 'base64url'),
      secretKey: keyFileReader(keyFile),
      artifacts: new ArtifactFiles(artifactFolder, readOnly),
      upkeep: makeUpkeep(driver, { file, keyFile, artifactFolder }),
    });
  } catch (error) {
    driver.close();
    throw refuseUnfit(error, driver.file);
  }
}

/** What the store stands on. A driver for writing holds the file's lock until it is closed. */
export async function openSqliteDriver(path: string, options: SqliteStoreOptions = {}): Promise<SqlDriver> {
  return openDriverWith(await loadSqlite(), path, options);
}

async function openDriverWith(
  Sqlite: SqliteConstructor,
  path: string,
  options: SqliteStoreOptions,
): Promise<SqlDriver> {
  const readOnly = options.readOnly ?? false;
  const file = checkStoreFile(path, readOnly);
  if (existsSync(file)) checkLog(realpathSync.native(file)); // Its log lies beside the file that a link leads to.
  const driver = openNodeDriver(Sqlite, file, readOnly);
  try {
    if (!readOnly) return await ownFile({ driver, Sqlite, file, lockWaitMs: options.lockWaitMs ?? lockWaitMsDefault });
    checkCurrent(driver, file);
    return driver;
  } catch (error) {
    driver.close();
    throw refuseUnfit(error, file);
  }
}

interface Opened {
  readonly driver: SqlDriver;
  readonly Sqlite: SqliteConstructor;
  readonly file: string;
  readonly lockWaitMs: number;
}

async function ownFile({ driver, Sqlite, file, lockWaitMs }: Opened): Promise<SqlDriver> {
  checkFile(driver, file); // Before the lock, so that no lock file is left beside what is not ours.
  const lock = await acquireWriterLock(Sqlite, file, lockWaitMs);
  try {
    await syncLeftovers(realpathSync.native(file));
    // Only a file without tables can be told that it will give space back in small steps.
    if (checkFile(driver, file) === 0) driver.exec('PRAGMA auto_vacuum = INCREMENTAL');
    writeAheadLog(driver, file);
    migrate(driver, file);
  } catch (error) {
    lock.release();
    throw error;
  }
  const close = () => {
    try {
      endWriteAheadLog(driver);
      driver.close();
    } finally {
      lock.release();
    }
  };
  return { ...driver, close };
}

function writeAheadLog(driver: SqlDriver, file: string): void {
  const mode = driver.prepare<{ journal_mode: string }>('PRAGMA journal_mode = WAL').get()?.journal_mode;
  if (mode === 'wal') return;
  throw new StoreError(
    'STORE_UNWRITABLE',
    `Expected the file system of ${file} to allow a write-ahead log, but SQLite stays in mode '${mode}'. Put the file ` +
      `on a local disk.`,
  );
}

/**
 * Moves everything into the one file. The packaged SQLite closes a connection only when its statements are collected; if
 * that one still knew of a log, it would then delete whatever lies under the log's name, which may by then be another's.
 */
function endWriteAheadLog(driver: SqlDriver): void {
  try {
    driver.exec('PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE; PRAGMA shrink_memory');
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    // Somebody reads, or the disk is full, or the driver is closed: what is in the log is durable, and found there.
  }
}
