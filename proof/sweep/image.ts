// Image: the files of a store as another process would find them if this one died now, kept in memory.
//
// Always true: the lock and the index of the log are not in it: the first lives in the kernel, the second is made anew
// by the first who opens a log.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Bytes by path, relative to the folder of the store. */
export type Image = ReadonlyMap<string, Buffer>;

/** The database in its folder. */
export const storeName = 'heddle.db';
const logName = `${storeName}-wal`;
const madeAnew = new Set([`${storeName}-shm`, `${storeName}-lock`]);

export function takeImage(folder: string): Image {
  const image = new Map<string, Buffer>();
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || madeAnew.has(entry.name)) continue;
    const file = path.join(entry.parentPath, entry.name);
    image.set(path.relative(folder, file), readFileSync(file));
  }
  return image;
}

export function layOut(image: Image, folder: string): void {
  for (const [name, bytes] of image) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  }
}

export const isSameImage = (one: Image, other: Image): boolean =>
  one.size === other.size && [...one].every(([name, bytes]) => other.get(name)?.equals(bytes));

/**
 * What lies there if the process dies while one image becomes the next: a file is half written, those before it are
 * done, those after it are not begun. SQLite writes its log first and the database from the log, which must then be
 * there; what it writes without a log is not torn here, for the journal that mends it is in no image.
 */
export function tornImages(before: Image, after: Image): Image[] {
  const torn: Image[] = [];
  const done = new Map(before);
  const names = [...after.keys()].filter((name) => !isWrittenWithoutLog(name, before)).toSorted(logFirst);
  for (const name of names) {
    const written = after.get(name) as Buffer;
    const half = halfWritten(before.get(name) ?? Buffer.alloc(0), written);
    if (half) torn.push(new Map(done).set(name, half));
    done.set(name, written);
  }
  return torn;
}

const isWrittenWithoutLog = (name: string, before: Image): boolean =>
  name === storeName && (before.get(logName)?.length ?? 0) === 0;

const logFirst = (one: string, other: string): number => Number(other === logName) - Number(one === logName);

/** The first half of what is new over what was there; null if that is nothing or all of it. */
function halfWritten(before: Buffer, after: Buffer): Buffer | null {
  if (before.equals(after)) return null;
  const middle = Math.floor((firstDifference(before, after) + after.length) / 2);
  const half = Buffer.concat([after.subarray(0, middle), before.subarray(middle)]);
  return half.equals(before) || half.equals(after) ? null : half;
}

/** To within a page: what comes before is the same. */
function firstDifference(one: Buffer, other: Buffer): number {
  let from = 0;
  while (from < one.length && one.subarray(from, from + pageSize).equals(other.subarray(from, from + pageSize)))
    from += pageSize;
  return from;
}

const pageSize = 4096;
