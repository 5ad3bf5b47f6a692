// OwnFile: makes an open file this writer's alone: its lock, its log, its tables up to date; and gives it back as one whole
// file. In between it sees to it that nothing is written to a file that is not in its place, and that a full disk gets room.
//
// Always true: nothing is written before the lock is held; whatever fails, the lock is let go.

import { existsSync, realpathSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { StoreError } from '../../actor/store-error.ts';
import type { SqlDriver } from './driver.ts';
import { syncFolder } from './durable-file.ts';
import { isMissing, toFileError } from './file-fault.ts';
import { FileWatch, identifyFiles, type WatchedFile } from './file-watch.ts';
import { checkMark, markLog, unmarkLog } from './log-mark.ts';
import { checkFile, migrate, schemaVersion } from './migrations.ts';
import { damagedSentence } from './sqlite-fault.ts';
import type { SqliteConstructor } from './sqlite-module.ts';
import { acquireWriterLock } from './writer-lock.ts';

export interface OpenedFile {
  readonly driver: SqlDriver;
  readonly Sqlite: SqliteConstructor;
  readonly file: string;
  /** It was not there before. */
  readonly isNew: boolean;
  readonly withoutLog: boolean;
  readonly lockWaitMs: number;
}

/** A driver that has the file to itself. */
export interface OwnDriver extends SqlDriver {
  readonly files: readonly WatchedFile[];
  /** Called before the file is closed, also by the end of the process. */
  beforeClose(work: () => void): void;
}

export async function ownFile(opened: OpenedFile): Promise<OwnDriver> {
  const { driver, Sqlite, file, lockWaitMs } = opened;
  checkFile(driver, file); // Before the lock, so that no lock file is left beside what is not ours.
  const lock = await acquireWriterLock(Sqlite, file, lockWaitMs);
  try {
    return guarded(driver, await prepareFile(opened), () => lock.release());
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Its real name, once it can be written to. */
async function prepareFile({ driver, file, isNew, withoutLog }: OpenedFile): Promise<string> {
  const real = realpathSync.native(file);
  await syncLeftovers(real);
  const version = checkFile(driver, file);
  // A file that holds nothing is not the store that its key was made for.
  if (version === 0 && !isNew && existsSync(`${real}.key`)) throw emptied(file, real);
  if (version === schemaVersion && !withoutLog) checkMark(driver, real);
  // Only a file without tables can be told that it will give space back in small steps.
  if (version === 0) driver.exec('PRAGMA auto_vacuum = INCREMENTAL');
  writeAheadLog(driver, file);
  migrate(driver, file);
  markLog(driver, real);
  return real;
}

/**
 * Makes durable what a process left that was killed between a write and its sync. The next one sees a commit in the log,
 * or a name in the folder, answers by it and writes behind it; without this the power could still take it. `file` is the
 * database, under its real name; pages that were on their way into it are in the log still.
 */
async function syncLeftovers(file: string): Promise<void> {
  const log = `${file}-wal`;
  try {
    await syncIfThere(log);
    await syncFolder(path.dirname(file)); // Names of the log, of the key, of the database itself.
  } catch (error) {
    throw toFileError(error, log);
  }
}

/** Opened for writing, which Windows asks of whoever syncs. */
async function syncIfThere(file: string): Promise<void> {
  const handle = await open(file, 'r+').catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if (handle === null) return;
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function guarded(driver: SqlDriver, file: string, release: () => void): OwnDriver {
  const files = identifyFiles(file);
  const watch = new FileWatch(driver, files);
  const before: (() => void)[] = [];
  const close = (): void => {
    forget(close);
    try {
      for (const work of before) work();
      // What lies under the log's name may by now be another's.
      if (watch.findGone() === null) endWriteAheadLog(driver);
      driver.close();
    } finally {
      release();
    }
  };
  closeAtExit(close);
  return { ...driver, files, transaction: watch.transaction, beforeClose: (work) => void before.push(work), close };
}

/** Those that this process has open for writing, by what closes them. The process is the owner: they close with it. */
const openFiles = new Set<() => void>();

/**
 * FS6: a process that leaves without closing its stores closes them as it exits. SQLite itself then moves the log into the
 * file and removes it, and the file would still say that a log belongs to it.
 */
function closeAtExit(close: () => void): void {
  if (openFiles.size === 0) process.on('exit', closeAll);
  openFiles.add(close);
}

function forget(close: () => void): void {
  openFiles.delete(close);
  if (openFiles.size === 0) process.off('exit', closeAll);
}

function closeAll(): void {
  for (const close of openFiles) {
    try {
      close();
    } catch {
      // The process ends; what was committed is in the log or in the file.
    }
  }
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
    driver.exec('PRAGMA busy_timeout = 0');
    unmarkWithoutRoom(driver);
    driver.exec('PRAGMA journal_mode = DELETE; PRAGMA shrink_memory');
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    // Somebody reads, or the disk is full, or the driver is closed: what is in the log is durable, and found there.
  }
}

/** On a full disk the log has room once it begins anew. */
function unmarkWithoutRoom(driver: SqlDriver): void {
  try {
    unmarkLog(driver);
  } catch (error) {
    if (!(error instanceof StoreError && error.code === 'STORE_FULL')) throw error;
    driver.exec('PRAGMA wal_checkpoint(RESTART)');
    unmarkLog(driver);
  }
}

function emptied(file: string, real: string): StoreError {
  const found = `it holds nothing, although ${real}.key was made for what it held: it was emptied, or its log was lost`;
  return new StoreError('STORE_DAMAGED', `${damagedSentence(file, found)} To begin anew, remove it.`);
}
