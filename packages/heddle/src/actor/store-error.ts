// StoreError: why a store could not be opened, or could not do what it was asked, as a code for programs and a
// sentence for people.
//
// Always true: the sentence says what to do next; after a failed write nothing of that write is stored, but for one in doubt,
// which the write queue settles.

import { HeddleError } from '../base/heddle-error.ts';

export type StoreErrorCode =
  /** The file belongs to another program. */
  | 'STORE_FOREIGN'
  /** A newer Heddle wrote the file. */
  | 'STORE_NEWER'
  /** An older Heddle wrote the file, and it is open for reading only, so that it cannot be brought up to date. */
  | 'STORE_OLDER'
  /** The file is no database, or a broken one. */
  | 'STORE_DAMAGED'
  /** Another program writes to the file. */
  | 'STORE_LOCKED'
  /** The path cannot be written (or is open for reading only). */
  | 'STORE_UNWRITABLE'
  /** There is no such file, and reading does not make one. */
  | 'STORE_MISSING'
  /** The file was deleted, moved or replaced while it was open: what is written to it would be lost. */
  | 'STORE_GONE'
  /** The disk is full. */
  | 'STORE_FULL'
  /** The disk, or the database below the store, failed. */
  | 'STORE_FAILED'
  /** A write contradicts what is stored: a row that is there already, a run that is not. The engine is wrong. */
  | 'STORE_CONFLICT'
  /** Another process owns the store now, or nobody can tell: nothing more is written by this one. */
  | 'STORE_FENCED'
  /** Whether a write was done is not known: its answer was lost. */
  | 'STORE_IN_DOUBT'
  /** The store was closed. */
  | 'STORE_CLOSED';

/** Whether something stored is not what was written: no second try helps against that, and nothing else need stop. */
export function isDamage(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'STORE_DAMAGED';
}

/** Whether the store is another's: no second try helps, and the engine closes (WR5). */
export function isFenced(error: unknown): error is StoreError {
  return error instanceof StoreError && error.code === 'STORE_FENCED';
}

/** Anything can be thrown. */
export const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

export class StoreError extends HeddleError {
  override name = 'StoreError';
  override readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, { cause: options?.cause });
    this.code = code;
  }
}
