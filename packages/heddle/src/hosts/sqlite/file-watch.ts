// FileWatch: every write of an open store passes here. It sees to it that the names of the store still lead to its files,
// and that a disk that is nearly full gets room.
//
// A file that was deleted, moved or replaced is written to as before, until its process ends and the disk forgets it:
// nothing of that may be acknowledged. A log of 8 MB that cannot be moved into the database, since that would have to grow,
// fills a small disk for good: freeing a little then helps nobody. So where room is scarce the log is moved after every
// commit, and cut off: what fills the disk then is data.
//
// Always true: no write is let through more than half a second after the last look that found all in its place; how the
// log is kept changes nothing of what a commit means.

import { statfsSync, statSync } from 'node:fs';
import path from 'node:path';
import { StoreError } from '../../actor/store-error.ts';
import type { SqlDriver } from './driver.ts';
import { busyTimeout, logSettings } from './node-driver.ts';

/** How long a look is good for. To look for the files takes two calls of the system, about 5 µs, for all commits of that time. */
const goodForMs = 500;
/** Several times what the log grows to, and what is written between two looks. */
const scarceBytes = 64 * 1_048_576;
const scarceSettings = 'PRAGMA wal_autocheckpoint = 1; PRAGMA journal_size_limit = 0;';

/** A name, and which file it led to. */
export interface WatchedFile {
  readonly file: string;
  readonly identity: string | null;
}

/** `file` is the database, under its real name; its log is there. */
export function identifyFiles(file: string): readonly WatchedFile[] {
  return [file, `${file}-wal`].map((name) => ({ file: name, identity: readIdentity(name) }));
}

export class FileWatch {
  readonly #driver: SqlDriver;
  readonly #seen: readonly WatchedFile[];
  readonly #folder: string;
  #lookedAt = performance.now();
  #isScarce = false;

  constructor(driver: SqlDriver, seen: readonly WatchedFile[]) {
    this.#driver = driver;
    this.#seen = seen;
    this.#folder = path.dirname(driver.file);
    this.#lookForRoom();
  }

  // FS5: for a write that found no room the log is moved into the database, which gives its room back; then it is tried again.
  readonly transaction: SqlDriver['transaction'] = (body) => {
    if (performance.now() - this.#lookedAt >= goodForMs) this.look();
    try {
      return this.#driver.transaction(body);
    } catch (error) {
      if (!(error instanceof StoreError && error.code === 'STORE_FULL') || !this.#save()) throw error;
      return this.#driver.transaction(body);
    }
  };

  // FS4: a store whose file is not in its place refuses to write, within a second, until the file is back.
  look(): void {
    const now = performance.now();
    const gone = this.findGone();
    if (gone !== null) throw new StoreError('STORE_GONE', goneSentence(gone));
    this.#lookedAt = now;
    this.#lookForRoom();
  }

  /** The name that leads to nothing, or to another file. */
  findGone(): string | null {
    return this.#seen.find(({ file, identity }) => readIdentity(file) !== identity)?.file ?? null;
  }

  #lookForRoom(): void {
    const free = freeBytes(this.#folder);
    if (free < scarceBytes && !this.#isScarce) this.#save();
    else if (free > 2 * scarceBytes && this.#isScarce) this.#spend();
  }

  /** Whether the log can be written from its beginning again; the next commit cuts off what it does not need. */
  #save(): boolean {
    this.#isScarce = true;
    try {
      this.#driver.exec(`PRAGMA busy_timeout = 0; ${scarceSettings}`);
      return this.#driver.prepare<{ busy: number }>('PRAGMA wal_checkpoint(RESTART)').get()?.busy === 0;
    } catch (error) {
      if (error instanceof StoreError) return false; // It is full, or somebody reads: the next look or write tries again.
      throw error;
    } finally {
      this.#driver.exec(busyTimeout);
    }
  }

  #spend(): void {
    this.#isScarce = false;
    this.#driver.exec(logSettings);
  }
}

function readIdentity(file: string): string | null {
  try {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? null : `${found.dev}/${found.ino}`;
  } catch {
    return null; // A folder on the way is no folder any more, or may not be looked into.
  }
}

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY; // Where nobody knows, all is as usual.
  }
}

function goneSentence(file: string): string {
  return (
    `Expected ${file} to be the file that was opened, but it was deleted, moved or replaced since. Nothing more is ` +
    `stored; put the file back, or stop the engine, restore a backup and open it again.`
  );
}
