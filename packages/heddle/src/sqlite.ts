// The door to the SQLite store, for programs on Node.

export type { Store } from './actor/ports.ts';
export { StoreError, type StoreErrorCode } from './actor/store-error.ts';
export { type Copied, type CopyRequest, copyStore } from './copy/copy-store.ts';
export { type FleetFolder, hasFleet, openFleetFolder } from './hosts/sqlite/fleet-folder.ts';
export { hasWriter, openSqliteStore, type SqliteStoreOptions } from './hosts/sqlite/open.ts';
