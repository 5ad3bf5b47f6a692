// Open: from a path to a store that is ours, up to date and, for writing, ours alone. The order matters: look at the
// path, look into the file, take the lock, and only then write.
//
// Always true: whatever fails, nothing stays open or locked, and a file that is refused was not written to.

import crypto from 'node:crypto';
import { existsSync, realpathSync, statSync } from 'node:fs';
import type { Store } from '../../actor/ports.ts';
import { given } from '../../base/given.ts';
import { hashWith } from '../../base/hash.ts';
import { shardFile } from '../../base/shard.ts';
import { nativeHashes } from '../sql/native-hashes.ts';
import { ArtifactFiles } from './artifact-files.ts';
import { checkLog } from './check-log.ts';
import type { SqlDriver } from './driver.ts';
import { makeOwnFile } from './durable-file.ts';
import { keyFileReader, makeKeyFile } from './key-file.ts';
import { checkMark } from './log-mark.ts';
import { checkCurrent } from './migrations.ts';
import { openNodeDriver } from './node-driver.ts';
import { type OwnDriver, ownFile } from './own-file.ts';
import { refuseUnfit } from './sqlite-fault.ts';
import { loadSqlite, type SqliteConstructor } from './sqlite-module.ts';
import { createSqliteStore, type WriterHere } from './store.ts';
import { checkStoreFile } from './store-file.ts';
import { makeUpkeep } from './upkeep.ts';
import { acquireWriterLock, isLocked, type WriterLock } from './writer-lock.ts';
import { WriterThread, type WriterThreadUse } from './writer-thread.ts';

export interface SqliteStoreOptions {
  /** For looking only, beside a program that writes: refuses every write, creates nothing. */
  readonly readOnly?: boolean;
  /** How long to wait for a writer that is about to leave, before the file is refused as locked. */
  readonly lockWaitMs?: number;
  /**
   * Whether commits are written in a thread of their own, while the next are planned. 'auto': large ones, once there has been
   * much to write; 'always': all of them, from the first.
   */
  readonly writerThread?: WriterThreadUse;
  /** Open what the file itself holds although its log is missing, with all that was committed last. */
  readonly withoutLog?: boolean;
}

const lockWaitMsDefault = 1000;

export async function openSqliteStore(path: string, options: SqliteStoreOptions = {}): Promise<Store> {
  hashWith(nativeHashes(crypto));
  return openStoreWith(await loadSqlite(), path, { writerThread: 'auto', ...options });
}

/**
 * Whether an engine, of this or another process, has the file, or the fleet in the folder, open for writing now: whether
 * somebody works on its runs.
 */
export async function hasWriter(path: string): Promise<boolean> {
  const file = statSync(path).isDirectory() ? shardFile(path, 0) : path;
  return isLocked(await loadSqlite(), file);
}

/** So that nobody opens it for writing, without opening it oneself. */
export async function lockStore(path: string): Promise<WriterLock> {
  return acquireWriterLock(await loadSqlite(), checkStoreFile(path, true), lockWaitMsDefault);
}

/** On the SQLite that is given: proofs hand in one that tells them of every statement. A thread has its own, and has to be asked for. */
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
    const prepareStore = async () =>
      createSqliteStore({
        driver,
        secretKey: keyFileReader(keyFile),
        artifacts: new ArtifactFiles(artifactFolder, readOnly),
        upkeep: makeUpkeep(driver, { file, keyFile, artifactFolder }),
        pause: () => new Promise((resolve) => void setImmediate(resolve)),
        ...given({ makeWriter: isOwn(driver) ? threadMaker(driver, options) : undefined }),
      });
    // Statements are prepared while the key is on its way to the disk.
    const [, store] = await Promise.all([readOnly ? null : makeKeyFile(keyFile), prepareStore()]);
    return store;
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
): Promise<SqlDriver | OwnDriver> {
  const { readOnly = false, withoutLog = false, lockWaitMs = lockWaitMsDefault } = options;
  const file = checkStoreFile(path, readOnly);
  const isNew = !existsSync(file);
  if (isNew) makeOwnFile(file);
  if (existsSync(file)) checkLog(realpathSync.native(file)); // Its log lies beside the file that a link leads to.
  const driver = openNodeDriver(Sqlite, file, readOnly);
  try {
    if (!readOnly) return await ownFile({ driver, Sqlite, file, isNew, withoutLog, lockWaitMs });
    checkCurrent(driver, file);
    if (!withoutLog) checkMark(driver, realpathSync.native(file));
    return driver;
  } catch (error) {
    driver.close();
    throw refuseUnfit(error, file);
  }
}

const isOwn = (driver: SqlDriver | OwnDriver): driver is OwnDriver => 'files' in driver;

function threadMaker(driver: OwnDriver, { writerThread: use = 'never' }: SqliteStoreOptions) {
  return (here: WriterHere): WriterThread => {
    const { file, files } = driver;
    const thread = new WriterThread({ file, files, use, ...here });
    driver.beforeClose(() => thread.closeNow());
    return thread;
  };
}
