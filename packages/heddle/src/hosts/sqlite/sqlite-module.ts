// SqliteModule: which SQLite this process uses: Node's own where it is good enough, else the packaged one with the same
// API.
//
// Always true: one process uses one of them. Two copies of SQLite in one process do not know of each other's locks, and
// a file that is open in both loses them.

import { StoreError } from '../../actor/store-error.ts';

/** The part of `node:sqlite` that is used. */
export interface SqliteDatabase {
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  close(): void;
  readonly isOpen: boolean;
  readonly isTransaction: boolean;
}

export interface SqliteStatement {
  run(...values: unknown[]): { readonly changes: number | bigint };
  get(...values: unknown[]): unknown;
  all(...values: unknown[]): unknown[];
}

export type SqliteConstructor = new (
  path: string,
  options: { readonly readOnly: boolean; readonly enableForeignKeyConstraints: boolean; readonly defensive: boolean },
) => SqliteDatabase;

/** The first SQLite without the WAL-reset bug, which could damage a file with a checkpoint beside a write. */
const sqliteLeast = [3, 51, 3] as const;
/** Below this major of Node, loading `node:sqlite` prints a warning into the host program's output. */
const nodeLeast = 24;

interface SqliteModule {
  readonly DatabaseSync: SqliteConstructor;
  /** Copies in steps, off the main thread; `rate` is the pages of a step. */
  readonly backup: (source: SqliteDatabase, path: string, options: { readonly rate: number }) => Promise<number>;
}

export async function loadSqlite(): Promise<SqliteConstructor> {
  return (await loadSqliteModule()).DatabaseSync;
}

export async function loadSqliteModule(): Promise<SqliteModule> {
  const builtIn = isGoodEnough(process.versions) ? process.getBuiltinModule('node:sqlite') : undefined;
  // Both modules export these names; the types at hand describe the packaged one only.
  return (builtIn ?? (await loadPackaged())) as SqliteModule;
}

export function isGoodEnough(versions: { readonly node: string; readonly sqlite?: string | undefined }): boolean {
  if (versions.sqlite === undefined || Number.parseInt(versions.node, 10) < nodeLeast) return false;
  const found = versions.sqlite.split('.').map(Number);
  for (const [index, least] of sqliteLeast.entries()) {
    const part = found[index] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}

async function loadPackaged(): Promise<object> {
  try {
    return await import('@photostructure/sqlite');
  } catch (error) {
    throw new StoreError(
      'STORE_FAILED',
      `Expected SQLite ${sqliteLeast.join('.')} or newer in Node, or the package @photostructure/sqlite, but Node ` +
        `${process.versions.node} has ${process.versions.sqlite ?? 'none'} and the package does not load on ` +
        `${process.platform}-${process.arch}. Use a newer Node, or install the package for this platform.`,
      { cause: error },
    );
  }
}
