// The door to PostgreSQL: the stores of a fleet that several processes share, for programs on Node.

export type { ArtifactStore, Calls, Leases, Store } from './actor/ports.ts';
export { StoreError, type StoreErrorCode } from './actor/store-error.ts';
export {
  type OpenHow,
  type PostgresDatabase,
  type PostgresOptions,
  type PostgresStores,
  postgres,
  postgresStores,
} from './hosts/postgres/open.ts';
