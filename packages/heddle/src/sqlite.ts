// The door to the SQLite store, for programs on Node.

export type { Store } from './actor/ports.ts';
export { StoreError, type StoreErrorCode } from './actor/store-error.ts';
export { openSqliteStore, type SqliteStoreOptions } from './hosts/sqlite/open.ts';
