// StoreFile: the path of a store, looked at before SQLite touches it, so that what cannot work is refused in plain words
// and nothing is left behind.
//
// Always true: the file is never opened here. Closing any descriptor of a file drops all POSIX locks that this process
// holds on it, those of an open store too; `stat`, `access` and `realpath` open nothing.

import { accessSync, constants, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { StoreError } from '../../actor/store-error.ts';
import { shardFile } from '../../base/shard.ts';
import { damagedSentence } from './sqlite-fault.ts';

/** The absolute path; throws a StoreError if there can be no store. */
export function checkStoreFile(given: string, readOnly: boolean): string {
  if (given === '' || given === ':memory:')
    throw new StoreError('STORE_UNWRITABLE', `Expected the path of a file, but found '${given}'. Use memoryStore().`);
  const file = path.resolve(given);
  const found = lookAt(file);
  if (found === null) checkRoomForNew(file, readOnly);
  else checkFound(file, found, readOnly);
  return file;
}

function checkFound(file: string, found: Stats, readOnly: boolean): void {
  if (found.isDirectory()) throw isFolder(file);
  if (!found.isFile()) throw unwritable(`a file for the store, but ${file} is no ordinary file. Name another path`);
  if (!isAllowed(file, constants.R_OK))
    throw unwritable(`to be allowed to read ${file}, but this user is not. Change its permissions`);
  const wal = lookAt(`${file}-wal`);
  // SQLite takes an empty file for a new database and deletes the log beside it, with all that is in there. Looked at
  // again after the log: a file that another program makes right now is not empty any more once it has a log.
  if (found.size === 0 && wal !== null && wal.size > 0 && lookAt(file)?.size === 0)
    throw new StoreError('STORE_DAMAGED', damagedSentence(file, 'it is empty, and the log beside it is not'));
  if (readOnly) return;
  // FS2: the lock and the log lie beside a name; under a second name there would be a second lock and a second log.
  if (found.nlink > 1)
    throw unwritable(
      `${file} to have one name, but it has ${found.nlink} (hard links), and each would have a log of its own. Remove ` +
        `the other names, or copy the file and open the copy`,
    );
  if (!isAllowed(file, constants.W_OK))
    throw unwritable(
      `to be allowed to write ${file}, but this user is not. Change its permissions, or open it readOnly`,
    );
  checkFolder(path.dirname(file));
}

function isFolder(folder: string): StoreError {
  const found = 'a file for the store, but';
  if (lookAt(shardFile(folder, 0)) !== null)
    return unwritable(`${found} ${folder} is the folder of a fleet. Open it as one (store: { folder })`);
  return unwritable(`${found} ${folder} is a folder. Name a file in it: ${path.join(folder, 'heddle.db')}`);
}

function checkRoomForNew(file: string, readOnly: boolean): void {
  if (readOnly)
    throw new StoreError('STORE_MISSING', `Expected a store at ${file}, but there is no such file. Check the path.`);
  const folder = path.dirname(file);
  // OP23: a folder is not made: it is probably a slip, and a store in the wrong place looks like an empty one.
  if (lookAt(folder)?.isDirectory() !== true)
    throw unwritable(
      `a folder for the store, but ${folder} does not exist or is none. Create it, or name another path`,
    );
  checkFolder(folder);
}

/** SQLite keeps its log and its index beside the file. */
function checkFolder(folder: string): void {
  if (isAllowed(folder, constants.W_OK)) return;
  throw unwritable(`to be allowed to create files in ${folder}, but this user is not. Change its permissions`);
}

/** Null if there is nothing for us. */
export function lookAt(file: string): Stats | null {
  try {
    return statSync(file, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    // A name on the way is a file (ENOTDIR), or may not be looked into (EACCES): there is nothing for us here.
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}

function isAllowed(file: string, mode: number): boolean {
  try {
    accessSync(file, mode);
    return true;
  } catch {
    return false;
  }
}

function unwritable(expectation: string): StoreError {
  return new StoreError('STORE_UNWRITABLE', `Expected ${expectation}.`);
}
