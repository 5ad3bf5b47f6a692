// SqliteStore: the Store over a SqlDriver whose file is up to date. Knows no Node: what depends on the runtime (the
// driver, the files beside it) is handed in.
//
// Always true: a statement is prepared once and used again; none is made from a value.

import type { ArtifactStore, Store, StoreUpkeep } from '../../actor/ports.ts';
import { given } from '../../base/given.ts';
import { prepareDefinitions, prepareFindKey } from './definitions.ts';
import { prepareDeleteRuns } from './delete-runs.ts';
import type { SqlDriver } from './driver.ts';
import { prepareFeed } from './feed.ts';
import { prepareFindDamage } from './find-damage.ts';
import { prepareFindWork } from './find-work.ts';
import { prepareRuns } from './load-runs.ts';
import { preparePageRuns } from './page-runs.ts';
import { prepareRecords } from './records.ts';
import type { Pause } from './snapshots.ts';
import { prepareCommit } from './write-commit.ts';

export interface SqliteStoreParts {
  readonly driver: SqlDriver;
  readonly secretKey: () => Promise<Uint8Array>;
  readonly artifacts: ArtifactStore;
  readonly upkeep?: StoreUpkeep;
  readonly pause: Pause;
}

export function createSqliteStore(parts: SqliteStoreParts): Store {
  const { driver, secretKey, artifacts, upkeep, pause } = parts;
  return {
    ...given({ upkeep }),
    commit: prepareCommit(driver),
    findKey: prepareFindKey(driver),
    ...prepareRuns(driver, pause),
    ...preparePageRuns(driver),
    ...prepareFeed(driver),
    ...prepareDeleteRuns(driver),
    ...prepareFindWork(driver),
    ...prepareRecords(driver),
    ...prepareDefinitions(driver),
    hash: driver.hash,
    secretKey,
    artifacts,
    findDamage: prepareFindDamage(driver),
    close: () => driver.close(),
  };
}
