// SqliteStore: the Store over a SqlDriver whose file is up to date. Knows no Node: what depends on the runtime (the
// driver, the hash) is handed in.
//
// Always true: a statement is prepared once and used again; none is made from a value.

import type { Store } from '../../actor/ports.ts';
import { prepareDefinitions, prepareFindKey } from './definitions.ts';
import type { SqlDriver } from './driver.ts';
import { prepareFindWork } from './find-work.ts';
import { prepareListRuns } from './list-runs.ts';
import { prepareRuns } from './load-runs.ts';
import { prepareCommit } from './write-commit.ts';

export interface SqliteStoreParts {
  readonly driver: SqlDriver;
  /** SHA-256 of a text, in base64url. */
  readonly hash: (text: string) => string;
}

export function createSqliteStore({ driver, hash }: SqliteStoreParts): Store {
  return {
    commit: prepareCommit(driver),
    listRuns: prepareListRuns(driver),
    findKey: prepareFindKey(driver),
    ...prepareRuns(driver),
    ...prepareFindWork(driver),
    ...prepareDefinitions(driver),
    hash,
    close: () => driver.close(),
  };
}
