// DurableFile: writes a whole file beside the store, such that it is there whole or not at all, whenever the power fails.
//
// Always true: under its own name a file is never seen half written, and once this returns it is on the disk, name and
// all. What a crash left under the name with `.new` is written over by the next attempt.

import { closeSync, createReadStream, createWriteStream, existsSync, openSync, readlinkSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { toFileError } from './file-fault.ts';

export interface DurableFile {
  readonly file: string;
  readonly bytes: Uint8Array;
}

// FS1: what belongs to a store is made for its owner alone, whatever the user's mask says; what is there stays as it is.
const ownerOnly = 0o600;
const ownFolder = { recursive: true, mode: 0o700 } as const;

/** With all folders that lead to it, durable by name; one that is there stays as it is. */
export async function makeOwnFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, ownFolder);
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = path.dirname(made)) await syncFolder(path.dirname(made));
}

/**
 * An empty file, unless there is one: before another library would make it readable for everybody. One that is there is not
 * opened: closing it would drop the locks that this process has on it.
 */
export function makeOwnFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', ownerOnly));
  } catch (error) {
    // What cannot be made here cannot be made by the other either, which tells why. A link may lead to what is not there yet.
    const isLink = (error as NodeJS.ErrnoException).code === 'EEXIST' && !existsSync(file);
    if (isLink) makeOwnFile(path.resolve(path.dirname(file), readlinkSync(file)));
  }
}

/** One call at a time for one file. */
export async function writeDurably({ file, bytes }: DurableFile): Promise<void> {
  const draft = `${file}.new`;
  try {
    await rm(draft, { force: true });
    await writeSynced({ file: draft, bytes });
    await rename(draft, file);
    await syncFolder(path.dirname(file));
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined); // The error that led here is the one to tell.
    throw toFileError(error, file);
  }
}

/** Writes over nothing; it is on the disk when this answers, but for its name. */
export async function copyDurably(from: string, to: string): Promise<void> {
  await pipeline(createReadStream(from), createWriteStream(to, { flags: 'wx', mode: ownerOnly }));
  await syncFile(to);
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
async function writeSynced({ file, bytes }: DurableFile): Promise<void> {
  const handle = await open(file, 'wx', ownerOnly);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
