// PostgresStore: the Store of one shard over a Database whose schema is up to date.
//
// Always true: nothing is kept between two calls; whatever the store answers the database says.

import type { ArtifactStore, Store } from '../../actor/ports.ts';
import { sha256Base64url } from '../../base/hash.ts';
import { artifactsOf } from './artifacts.ts';
import { sendCommit } from './commit.ts';
import { type Database } from './database.ts';
import { definitionsOf } from './definitions.ts';
import { deletionOf } from './delete-runs.ts';
import { feedOf } from './feed.ts';
import { fenceOf } from './fence.ts';
import { findDamage } from './find-damage.ts';
import { findWorkOf } from './find-work.ts';
import { findKey } from './keys.ts';
import { listsOf } from './page-runs.ts';
import { recordsOf } from './records.ts';
import { runsOf, sendSnapshot } from './runs.ts';
import { shardTables } from './shard-tables.ts';

export interface PostgresStoreParts {
  readonly database: Database;
  /** For what must not wait behind many others. */
  readonly urgent: Database;
  readonly secretKey: Uint8Array;
  /** In the database if absent. */
  readonly artifacts?: ArtifactStore | undefined;
}

export function createPostgresStore(
  { database, urgent, secretKey, artifacts }: PostgresStoreParts,
  shard: number,
): Store {
  const tables = shardTables(database, shard);
  return {
    ...runsOf(tables),
    commit: (commit, stamp) => sendCommit(tables, commit, stamp),
    saveSnapshot: (snapshot, stamp) => sendSnapshot(tables, snapshot, stamp),
    findKey: (scope, key) => findKey(tables, scope, key),
    ...findWorkOf(tables),
    ...listsOf(tables),
    ...feedOf(tables),
    ...deletionOf(tables),
    ...recordsOf(tables),
    ...definitionsOf(tables),
    fence: fenceOf(shardTables(urgent, shard)),
    artifacts: artifacts ?? artifactsOf(tables),
    hash: sha256Base64url,
    secretKey: () => secretKey,
    findDamage: () => findDamage(tables),
    // The connections are those of all shards.
    close: () => undefined,
  };
}
