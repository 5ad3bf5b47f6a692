// WriterLock: at most one writer per store (K2). The lock is SQLite's own exclusive lock on the empty file
// `<store>-lock`, held by an open transaction that never commits; the store itself stays readable by everybody.
//
// Always true: the operating system drops the lock with the process, however it ends, so that none is ever stale; the
// lock file is never deleted, since a deleted one could be locked twice.

import { existsSync, realpathSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '../../actor/store-error.ts';
import { makeOwnFile } from './durable-file.ts';
import { lockedSentence, toStoreError } from './sqlite-fault.ts';
import type { SqliteConstructor, SqliteDatabase } from './sqlite-module.ts';

/** How often a lock that is held is tried again while waiting. */
const tryAgainMs = 25;

/**
 * Keeps a lock that nobody refers to any more: else it would end whenever its connection is garbage-collected. The process
 * is the owner, as for the operating system.
 */
const held = new Set<SqliteDatabase>();

export interface WriterLock {
  /** May be called again. */
  release(): void;
}

/** The store's file must exist: all its names (links) lead to one lock. Waits for a writer that is about to leave. */
export async function acquireWriterLock(Sqlite: SqliteConstructor, file: string, waitMs: number): Promise<WriterLock> {
  const lockFile = `${realpathSync.native(file)}-lock`;
  const deadline = performance.now() + waitMs;
  for (;;) {
    const lock = tryLock(Sqlite, lockFile);
    if (lock !== null) return lock;
    if (performance.now() >= deadline) throw new StoreError('STORE_LOCKED', lockedSentence(file));
    await sleep(tryAgainMs);
  }
}

function tryLock(Sqlite: SqliteConstructor, lockFile: string): WriterLock | null {
  let database: SqliteDatabase | undefined;
  try {
    makeOwnFile(lockFile);
    database = new Sqlite(lockFile, { readOnly: false, enableForeignKeyConstraints: false, defensive: true });
    // Without a journal on disk the lock writes nothing at all.
    database.exec('PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return hold(database);
  } catch (error) {
    database?.close();
    const fault = toStoreError(error, lockFile);
    if (fault instanceof StoreError && fault.code === 'STORE_LOCKED') return null;
    throw fault;
  }
}

/**
 * Whether somebody holds it now. Makes no lock file where there is none; a writer that comes in the instant in which this
 * looks tries again (tryAgainMs).
 */
export function isLocked(Sqlite: SqliteConstructor, file: string): boolean {
  const lockFile = `${realpathSync.native(file)}-lock`;
  if (!existsSync(lockFile)) return false;
  let database: SqliteDatabase | undefined;
  try {
    database = new Sqlite(lockFile, { readOnly: true, enableForeignKeyConstraints: false, defensive: true });
    database.exec('PRAGMA busy_timeout = 0; SELECT 1 FROM sqlite_schema');
    return false;
  } catch (error) {
    const fault = toStoreError(error, lockFile);
    if (fault instanceof StoreError && fault.code === 'STORE_LOCKED') return true;
    throw fault;
  } finally {
    database?.close();
  }
}

function hold(database: SqliteDatabase): WriterLock {
  held.add(database);
  const release = () => {
    if (held.delete(database)) database.close();
  };
  return { release };
}
