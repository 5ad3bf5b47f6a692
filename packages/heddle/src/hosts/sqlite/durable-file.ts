// DurableFile: writes a whole file beside the store, such that it is there whole or not at all, whenever the power fails.
//
// Always true: under its own name a file is never seen half written, and once this returns it is on the disk, name and
// all. What a crash left under the name with `.new` is written over by the next attempt.

import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { toFileError } from './file-fault.ts';

export interface DurableFile {
  readonly file: string;
  readonly bytes: Uint8Array;
  /** Who may read and write it. */
  readonly mode: number;
}

/** One call at a time for one file. */
export async function writeDurably({ file, bytes, mode }: DurableFile): Promise<void> {
  const draft = `${file}.new`;
  try {
    await rm(draft, { force: true });
    await writeSynced({ file: draft, bytes, mode });
    await rename(draft, file);
    await syncFolder(path.dirname(file));
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined); // The error that led here is the one to tell.
    throw toFileError(error, file);
  }
}

/** What was written to it is on the disk. */
export async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** What was created or renamed in a folder is durable once the folder is. Windows cannot, and need not, sync one. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Exclusively created: a link that somebody else put there is not followed. */
async function writeSynced({ file, bytes, mode }: DurableFile): Promise<void> {
  const handle = await open(file, 'wx', mode);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
