// SqliteFault: turns what SQLite throws into a StoreError whose sentence says what to do. Errors that are no fault of
// the database (a wrong statement, a value that cannot be bound) are bugs of ours and pass unchanged.

import { StoreError } from '../../actor/store-error.ts';

/** SQLite's primary result codes: https://sqlite.org/rescode.html */
const primary = {
  perm: 3,
  busy: 5,
  locked: 6,
  readonly: 8,
  ioerr: 10,
  corrupt: 11,
  full: 13,
  cantopen: 14,
  constraint: 19,
  notadb: 26,
} as const;

/** The extended code of a file that only a writer can bring to rest. */
const readonlyRollback = 776;

export function toStoreError(error: unknown, file: string): unknown {
  if (!(error instanceof Error) || error instanceof StoreError) return error;
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown };
  if (code === 'ERR_INVALID_STATE')
    return new StoreError('STORE_CLOSED', `Expected the store ${file} to be open, but it was closed. Open it again.`);
  if (typeof errcode !== 'number') return error;
  if (errcode === readonlyRollback)
    return new StoreError('STORE_UNWRITABLE', unfinishedSentence(file), { cause: error });
  return describe(errcode & 0xff, file, error) ?? error;
}

function describe(code: number, file: string, cause: Error): StoreError | undefined {
  const found = `SQLite says '${cause.message}'`;
  switch (code) {
    case primary.busy:
    case primary.locked:
      return new StoreError('STORE_LOCKED', lockedSentence(file), { cause });
    case primary.readonly:
    case primary.perm:
    case primary.cantopen:
      return new StoreError(
        'STORE_UNWRITABLE',
        `Expected to be able to open and write ${file}, but ${found}. Check the permissions of the file, of the files ` +
          `${file}-wal and ${file}-shm, and of their folder; a store that was opened with readOnly refuses every write.`,
        { cause },
      );
    case primary.corrupt:
    case primary.notadb:
      return new StoreError('STORE_DAMAGED', damagedSentence(file, found), { cause });
    case primary.full:
      return new StoreError(
        'STORE_FULL',
        `Expected room on the disk for ${file}, but ${found}. Nothing of this write was stored; free some space and ` +
          `try again.`,
        { cause },
      );
    case primary.constraint:
      return new StoreError(
        'STORE_CONFLICT',
        `Expected a write that fits what ${file} holds, but ${found}. Nothing of this write was stored; please report ` +
          `it as a bug.`,
        { cause },
      );
    case primary.ioerr:
      return new StoreError(
        'STORE_FAILED',
        `Expected the disk to read and write ${file}, but ${found}. Nothing of this write was acknowledged; check the ` +
          `disk, then open the store again.`,
        { cause },
      );
    default:
      return undefined;
  }
}

function unfinishedSentence(file: string): string {
  return (
    `Expected ${file} to be at rest, but a program died while it opened or closed the file, and left something to undo. ` +
    `Open it once for writing (start an engine on it), then read it.`
  );
}

export function lockedSentence(file: string): string {
  return (
    `Expected to be the only one that writes to ${file}, but another engine (of this or another process) has it open ` +
    `for writing. Stop that one, or open the file for reading only (readOnly: true; heddle runs, show and audit do).`
  );
}

export function damagedSentence(file: string, found: string): string {
  return (
    `Expected ${file} to be a whole Heddle database, but ${found}. Put a backup in its place (with its -wal file, and ` +
    `without the -wal and -shm files that are there now), or name another file.`
  );
}
