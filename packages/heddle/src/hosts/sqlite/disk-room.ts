// DiskRoom: what the store does when the disk is nearly full. A log of 8 MB that cannot be moved into the database, since
// that would have to grow, fills a small disk for good: freeing a little then helps nobody. So where room is scarce the log
// is moved after every commit, and cut off: what fills the disk then is data.
//
// Always true: how the log is kept changes nothing of what a commit means.

import { statfsSync } from 'node:fs';
import path from 'node:path';
import { StoreError } from '../../actor/store-error.ts';
import type { SqlDriver } from './driver.ts';
import { busyTimeout, logSettings } from './node-driver.ts';

/** Several times what the log grows to, and what is written between two looks. */
const scarceBytes = 64 * 1_048_576;
const scarceSettings = 'PRAGMA wal_autocheckpoint = 1; PRAGMA journal_size_limit = 0;';

export class DiskRoom {
  readonly #driver: SqlDriver;
  readonly #folder: string;
  #isScarce = false;

  /** `file` is the database, under its real name. */
  constructor(driver: SqlDriver, file: string) {
    this.#driver = driver;
    this.#folder = path.dirname(file);
    this.look();
  }

  /** Now and then. */
  look(): void {
    const free = freeBytes(this.#folder);
    if (free < scarceBytes && !this.#isScarce) this.#save();
    else if (free > 2 * scarceBytes && this.#isScarce) this.#spend();
  }

  // FS5: for a write that found no room the log is moved into the database, which gives its room back; then it is tried again.
  write<T>(write: () => T): T {
    try {
      return write();
    } catch (error) {
      if (!(error instanceof StoreError && error.code === 'STORE_FULL') || !this.#save()) throw error;
      return write();
    }
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

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY; // Where nobody knows, all is as usual.
  }
}
