// SqliteStore: the Store over a SqlDriver whose file is up to date. Knows no Node: what depends on the runtime (the
// driver, the files beside it) is handed in.
//
// Always true: a statement is prepared once and used again; none is made from a value.

import type { ArtifactStore, Awaitable, Commit, Store, StoreUpkeep } from '../../actor/ports.ts';
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
import { prepareCommit, prepareIsStored } from './write-commit.ts';

export interface SqliteStoreParts {
  readonly driver: SqlDriver;
  readonly secretKey: () => Promise<Uint8Array>;
  readonly artifacts: ArtifactStore;
  readonly upkeep?: StoreUpkeep;
  readonly pause: Pause;
  /** Without one everything is written here and now. */
  readonly makeWriter?: (here: WriterHere) => Writer;
}

/** Who writes, in the order in which it was asked for. */
export interface Writer {
  readonly commit: (commit: Commit) => Awaitable<void>;
  /** Makes of what writes one that has its turn. */
  inOrder<Args extends readonly unknown[], Value>(
    work: (...args: Args) => Awaitable<Value>,
  ): (...args: Args) => Awaitable<Value>;
  close(): Awaitable<void>;
}

/** What a writer can do in this thread. */
export interface WriterHere {
  readonly write: (commit: Commit) => void;
  readonly isStored: (commit: Commit) => boolean;
}

export function createSqliteStore(parts: SqliteStoreParts): Store {
  const { driver, secretKey, artifacts, upkeep, pause, makeWriter = writeNow } = parts;
  const writer = makeWriter({ write: prepareCommit(driver), isStored: prepareIsStored(driver) });
  const runs = prepareRuns(driver, pause);
  const deletion = prepareDeleteRuns(driver);
  const definitions = prepareDefinitions(driver);
  return {
    ...given({ upkeep: upkeep && writeInOrder(upkeep, writer) }),
    commit: writer.commit,
    findKey: prepareFindKey(driver),
    ...runs,
    saveSnapshot: writer.inOrder(runs.saveSnapshot),
    ...preparePageRuns(driver),
    ...prepareFeed(driver),
    deleteRuns: writer.inOrder(deletion.deleteRuns),
    deleteRemains: writer.inOrder(deletion.deleteRemains),
    deleteKeys: writer.inOrder(deletion.deleteKeys),
    ...prepareFindWork(driver),
    ...prepareRecords(driver),
    ...definitions,
    saveDefinition: writer.inOrder(definitions.saveDefinition),
    hash: driver.hash,
    secretKey,
    artifacts,
    findDamage: prepareFindDamage(driver),
    close: () => {
      const closing = writer.close();
      return closing instanceof Promise ? closing.then(() => driver.close()) : driver.close();
    },
  };
}

function writeNow({ write }: WriterHere): Writer {
  return { commit: write, inOrder: (work) => work, close: () => undefined };
}

function writeInOrder(upkeep: StoreUpkeep, writer: Writer): StoreUpkeep {
  return {
    ...upkeep,
    shrink: writer.inOrder((pages: number) => upkeep.shrink(pages)),
    vacuum: writer.inOrder(() => upkeep.vacuum()),
  };
}
