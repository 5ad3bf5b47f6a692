// SqliteStore: the Store over a SqlDriver whose file is up to date. Knows no Node: what depends on the runtime (the
// driver, the hash, the files beside it) is handed in.
//
// Always true: a statement is prepared once and used again; none is made from a value.

import type { ArtifactStore, Store } from '../../actor/ports.ts';
import { prepareDefinitions, prepareFindKey } from './definitions.ts';
import type { SqlDriver } from './driver.ts';
import { prepareFindDamage } from './find-damage.ts';
import { prepareFindWork } from './find-work.ts';
import { prepareListRuns } from './list-runs.ts';
import { prepareRuns } from './load-runs.ts';
import { prepareRecords } from './records.ts';
import { prepareCommit } from './write-commit.ts';

export interface SqliteStoreParts {
  readonly driver: SqlDriver;
  /** SHA-256 of a text, in base64url. */
  readonly hash: (text: string) => string;
  readonly secretKey: () => Promise<Uint8Array>;
  readonly artifacts: ArtifactStore;
}

export function createSqliteStore({ driver, hash, secretKey, artifacts }: SqliteStoreParts): Store {
  return {
    commit: prepareCommit(driver),
    listRuns: prepareListRuns(driver),
    findKey: prepareFindKey(driver),
    ...prepareRuns(driver),
    ...prepareFindWork(driver),
    ...prepareRecords(driver),
    ...prepareDefinitions(driver),
    hash,
    secretKey,
    artifacts,
    findDamage: prepareFindDamage(driver),
    close: () => driver.close(),
  };
}
