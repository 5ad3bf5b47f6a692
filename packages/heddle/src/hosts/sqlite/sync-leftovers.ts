// SyncLeftovers: makes durable what a process left that was killed between a write and its sync. The next one sees a commit
// in the log, or a name in the folder, answers by it and writes behind it; without this the power could still take it.
//
// Always true: once this returns, all that the store's files show is on the disk.

import { open } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder } from './durable-file.ts';
import { isMissing, toFileError } from './file-fault.ts';

/** `file` is the database, under its real name. Pages that were on their way into it are in the log still. */
export async function syncLeftovers(file: string): Promise<void> {
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
