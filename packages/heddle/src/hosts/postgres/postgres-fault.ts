// PostgresFault: turns what the client throws into a StoreError whose sentence says what to do, and tells a write that certainly
// was not done from one of which nobody knows. Rules PG2, PG8.
//
// Always true: a fault that the server told within a living session is certain; one without an answer, or with which the session
// ended, is in doubt for a write that was on its way.

import { StoreError, type StoreErrorCode } from '../../actor/store-error.ts';

interface ServerFault {
  readonly severity?: string;
  /** https://www.postgresql.org/docs/current/errcodes-appendix.html; of a socket its own. */
  readonly code?: string;
  readonly message: string;
}

/** PG2: what became of a write is not known. */
export function lostAnswer(error: unknown, name: string): StoreError | null {
  if (error instanceof StoreError) return null;
  const { severity, code = '', message } = error as ServerFault; // whatever a client throws
  const isCertain = severity === 'ERROR' && !code.startsWith('08') && !code.startsWith('57P') && code !== '40003';
  if (isCertain) return null;
  return new StoreError(
    'STORE_IN_DOUBT',
    `Expected ${name} to answer a write, but its answer was lost: ${message}. Whether it is stored is found out next.`,
    { cause: error },
  );
}

export function toStoreError(error: unknown, name: string): unknown {
  if (!(error instanceof Error) || error instanceof StoreError) return error;
  const { code = '' } = error as ServerFault; // any error can be read by key
  const told = faults.find(({ codes }) => codes.has(code));
  const { kind, expected, advice } = told ?? (isAbsence(code, error.message) ? absence : failure);
  const found = told === undefined ? `found '${error.message}'` : `PostgreSQL says '${error.message}'`;
  return new StoreError(kind, `Expected ${expected.replace('$', name)}, but ${found}. ${advice}`, { cause: error });
}

interface Fault {
  readonly kind: StoreErrorCode;
  /** `$` is the database. */
  readonly expected: string;
  readonly advice: string;
}

const nothingStored = 'Nothing of this write was stored';

const faults: readonly (Fault & { readonly codes: ReadonlySet<string> })[] = [
  {
    codes: new Set(['28P01', '28000', '42501']),
    kind: 'STORE_UNWRITABLE',
    expected: 'to be let in at $',
    advice:
      'Name a user who may use it, with the password (in the url, or PGUSER and PGPASSWORD in the environment), or grant what is missing.',
  },
  {
    codes: new Set(['25006']),
    kind: 'STORE_UNWRITABLE',
    expected: 'to be able to write to $',
    advice: 'It is a replica, or set to be read only: name the primary server.',
  },
  {
    codes: new Set(['3D000']),
    kind: 'STORE_MISSING',
    expected: 'a database: $',
    advice: 'Create it (CREATE DATABASE), or name another.',
  },
  {
    codes: new Set(['53100']),
    kind: 'STORE_FULL',
    expected: 'room for a write in $',
    advice: `${nothingStored}; free some space and try again.`,
  },
  {
    codes: new Set(['23505', '22012', '21000']),
    kind: 'STORE_CONFLICT',
    expected: 'a write that fits what $ holds',
    advice: `${nothingStored}; please report it as a bug.`,
  },
  {
    codes: new Set(['42P01', '42703', '3F000', 'XX001', 'XX002']),
    kind: 'STORE_DAMAGED',
    expected: '$ to hold a whole Heddle store',
    advice: 'Put a backup in its place, or name another schema.',
  },
  {
    codes: new Set(['53300']),
    kind: 'STORE_FAILED',
    expected: '$ to take another connection',
    advice: 'Lower connections here, or raise max_connections there.',
  },
];

const absence: Fault = {
  kind: 'STORE_FAILED',
  expected: 'a server to answer: $',
  advice: 'Start it, or correct its address in the url.',
};

const failure: Fault = {
  kind: 'STORE_FAILED',
  expected: '$ to do what it was asked',
  advice: 'Nothing of it was stored.',
};

const isAbsence = (code: string, message: string): boolean =>
  /^E[A-Z]+$/.test(code) ||
  code.startsWith('08') ||
  code.startsWith('57P') ||
  /connect|terminated|timeout/i.test(message);
