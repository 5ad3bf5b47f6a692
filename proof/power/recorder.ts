// Recorder: the program whose writes are recorded: a real engine on a real file, in a process of its own, which plays a
// story and says in the trace when it begins and ends each commit, sends each deed and hears that it was taken.
//
// Always true: what it says lies in the trace between the writes before and the writes after.

import { appendFileSync, openSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { Store } from '../../packages/heddle/src/actor/ports.ts';
import type { Engine } from '../../packages/heddle/src/engine/engine.ts';
import { openEngine } from '../../packages/heddle/src/engine/local-engine.ts';
import { openStoreWith } from '../../packages/heddle/src/hosts/sqlite/open.ts';
import { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import { VirtualClock, virtualStart } from '../../packages/heddle/src/testing/virtual-clock.ts';
import { makeActions } from './definitions.ts';
import { Fingerprints } from './fingerprint.ts';
import { endingOf, finish, makeDeeds, play, type Stage } from './story.ts';
import { watchSqlite } from './watch-sqlite.ts';

export interface Session {
  /** `disk` in it is watched; the rest is for whoever checks. */
  readonly folder: string;
  readonly seed: number;
  /** The process ends without a farewell after so many commits; null: it plays to the end. */
  readonly commitsMax: number | null;
}

export type Mark =
  | { readonly type: 'begun' | 'committed' | 'opened' }
  | { readonly type: 'sent' | 'acknowledged'; readonly nonce: string }
  /** A backup is said to be there. */
  | { readonly type: 'copied'; readonly name: string };

export const storeFile = (folder: string): string => path.join(folder, 'disk', 'heddle.db');
/** A backup, in the same folder. */
const copyName = (when: string): string => `copy-${when}.db`;
export const marksFile = (folder: string): string => path.join(folder, 'disk', '.marks');
export const fingerprintsFile = (folder: string): string => path.join(folder, 'fingerprints');
export const endingFile = (folder: string): string => path.join(folder, 'ending');

/** Small, so that short stories reach what long ones reach: moving the log into the file, and snapshots. */
export const limits = { snapshotEveryBytes: 6_000, dispatchesMax: 10_000 };
const pagesInLogMax = 60;

export async function record(session: Session): Promise<void> {
  const recorder = new Recorder(session);
  const dice = new Dice(session.seed);
  const rounds = makeDeeds(dice);
  const half = dice.between(1, rounds.length);
  const clock = new VirtualClock(session.commitsMax === null ? virtualStart + 1_000_000 : virtualStart);
  for (const part of [rounds.slice(0, half), rounds]) {
    const stage = await recorder.open(clock);
    await play(stage, part);
    await finish(stage);
    if (part === rounds) writeFileSync(endingFile(session.folder), await endingOf(stage.engine));
    await recorder.backUp(stage.engine, part === rounds ? 'whole' : 'half');
    await stage.engine.close();
  }
}

class Recorder {
  readonly #session: Session;
  readonly #marks: number;
  #commits = 0;
  #hasOpened = false;

  constructor(session: Session) {
    this.#session = session;
    this.#marks = openSync(marksFile(session.folder), 'a');
  }

  async open(clock: VirtualClock): Promise<Stage> {
    const { Sqlite, database } = await watchSqlite({ pagesInLogMax });
    const store = await openStoreWith(Sqlite, storeFile(this.#session.folder));
    const fingerprints = new Fingerprints(database());
    const before = fingerprints.next();
    if (!this.#hasOpened) this.#keep(before);
    this.#hasOpened = true;
    this.#mark({ type: 'opened' });
    const busy = { count: 0 };
    const engine = await openEngine(this.#watched(store, fingerprints), { clock, actions: makeActions(busy), limits });
    const ledger = {
      sent: (nonce: string) => this.#mark({ type: 'sent', nonce }),
      acknowledged: (nonce: string) => this.#mark({ type: 'acknowledged', nonce }),
    };
    return { engine, clock, busy, ledger };
  }

  /** Each under a name of its own: a process before may have left one, or a part of it. */
  async backUp(engine: Engine, when: 'half' | 'whole'): Promise<void> {
    const { folder, commitsMax } = this.#session;
    const name = copyName(`${commitsMax === null ? 'second' : 'first'}-${when}`);
    await engine.backup(path.join(path.dirname(storeFile(folder)), name));
    this.#mark({ type: 'copied', name });
  }

  #mark(mark: Mark): void {
    writeSync(this.#marks, `${JSON.stringify(mark)}\n`);
  }

  #keep(fingerprint: string): void {
    appendFileSync(fingerprintsFile(this.#session.folder), `${fingerprint}\n`);
  }

  #watched(store: Store, fingerprints: Fingerprints): Store {
    const committing =
      <Given>(write: (given: Given) => unknown) =>
      async (given: Given): Promise<void> => {
        this.#mark({ type: 'begun' });
        await write(given);
        this.#mark({ type: 'committed' });
        this.#keep(fingerprints.next());
        if (++this.#commits === this.#session.commitsMax) process.exit(0);
      };
    return {
      ...store,
      commit: committing((commit) => store.commit(commit)),
      saveSnapshot: committing((snapshot) => store.saveSnapshot(snapshot)),
      saveDefinition: committing((row) => store.saveDefinition(row)),
    };
  }
}
