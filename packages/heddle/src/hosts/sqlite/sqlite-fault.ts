// SqliteFault: turns what SQLite throws into a StoreError whose sentence says what to do. Errors that are no fault of
// the database (a wrong statement, a value that cannot be bound) are bugs of ours and pass unchanged.

import { StoreError } from '../../actor/store-error.ts';

/** SQLite's primary result codes: https://sqlite.org/rescode.html */
const primary = {
  error: 1,
  perm: 3,
  busy: 5,
  locked: 6,
  nomem: 7, // Or a damaged file in which a length is absurd.
  readonly: 8,
  ioerr: 10,
  corrupt: 11,
  full: 13,
  cantopen: 14,
  toobig: 18,
  constraint: 19,
  notadb: 26,
} as const;

/** SQLite's own words for them: https://sqlite.org/c3ref/errcode.html */
const messages: ReadonlyMap<string, number> = new Map([
  ['database is locked', primary.busy],
  ['database table is locked', primary.locked],
  ['attempt to write a readonly database', primary.readonly],
  ['disk I/O error', primary.ioerr],
  ['out of memory', primary.nomem],
  ['string or blob too big', primary.toobig],
  ['database disk image is malformed', primary.corrupt],
  ['database or disk is full', primary.full],
  ['unable to open database file', primary.cantopen],
  ['file is not a database', primary.notadb],
]);

/** The extended code of a file that only a writer can bring to rest. */
const readonlyRollback = 776;

export function toStoreError(error: unknown, file: string): unknown {
  if (!(error instanceof Error) || error instanceof StoreError) return error;
  // Any object can be read by key.
  const { code, errcode = findCode(error) } = error as { readonly code?: unknown; readonly errcode?: unknown };
  if (code === 'ERR_INVALID_STATE')
    return new StoreError('STORE_CLOSED', `Expected the store ${file} to be open, but it was closed. Open it again.`);
  // Nobody stores such numbers.
  if (code === 'ERR_OUT_OF_RANGE') return new StoreError('STORE_DAMAGED', damagedSentence(file, error.message));
  if (typeof errcode !== 'number') return error;
  if (errcode === readonlyRollback)
    return new StoreError('STORE_UNWRITABLE', unfinishedSentence(file), { cause: error });
  return describe(errcode & 0xff, file, error) ?? error;
}

/** The packaged SQLite forgets the number when a statement that answers with rows fails on the way (`all`). */
function findCode({ message }: Error): number | undefined {
  return messages.get(message);
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
    case primary.nomem:
    case primary.toobig:
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

/**
 * While a store is opened, every statement is one of ours, and fits every file of ours: one that SQLite does not
 * understand tells that the tables are not what the file's version says.
 */
export function refuseUnfit(error: unknown, file: string): unknown {
  if (!(error instanceof Error && 'errcode' in error && error.errcode === primary.error)) return error;
  const found = `its tables are not as they should be: SQLite says '${error.message}'`;
  return new StoreError('STORE_DAMAGED', damagedSentence(file, found), { cause: error });
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
