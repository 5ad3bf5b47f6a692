// Read ahead: what the envelopes of one turn need of a store on another machine, asked for together: it answers one request for a
// hundred runs as soon as one for a single run.
//
// Always true: what was read is still so when it is used: only turns change runs that have not ended, there is one turn at a
// time, and runs that are in memory or on their way to the store are not read.

import { isTerminal } from '../core/views/status.ts';
import { type Envelope, isNewRun } from './mailbox.ts';
import type { RunRow, Store, StoredRun } from './ports.ts';

/** So many may have been read in vain when a turn ends. */
const runsAtOnce = 128;

/** What a store has of a run: all of it, or the row alone of one that has ended. */
export type ReadRun = StoredRun | RunRow | null;

export class ReadAhead {
  /** Of the envelope that has its turn. */
  position = -1;
  readonly #store: Store;
  readonly #envelopes: readonly Envelope[];
  readonly #isElsewhere: (envelope: Envelope) => boolean;
  readonly #read = new Map<string, ReadRun>();

  /** `isElsewhere`: whether its run is in memory, or on its way to the store. */
  constructor(store: Store, envelopes: readonly Envelope[], isElsewhere: (envelope: Envelope) => boolean) {
    this.#store = store;
    this.#envelopes = envelopes;
    this.#isElsewhere = isElsewhere;
  }

  /** Undefined if the store is asked for each run. */
  async find(runId: string): Promise<ReadRun | undefined> {
    if (this.#store.loadRuns === undefined) return undefined;
    if (!this.#read.has(runId)) {
      const runIds = [...new Set([runId, ...this.#upcoming()])];
      const found = await this.#store.loadRuns(runIds);
      for (const [index, each] of runIds.entries()) this.#read.set(each, found[index] ?? null);
    }
    return this.#read.get(runId);
  }

  // RN31: of all envelopes that may still have their turn.
  #upcoming(): ReadonlySet<string> {
    const wanted = new Set<string>();
    for (const envelope of this.#envelopes.slice(this.position)) {
      if (wanted.size === runsAtOnce) break;
      const isKnown = isNewRun(envelope.work) || this.#read.has(envelope.runId) || this.#isElsewhere(envelope);
      if (!isKnown) wanted.add(envelope.runId);
    }
    return wanted;
  }
}

/** Null if there is none, or it was not read. */
export const rowOf = (read: ReadRun | undefined): RunRow | null => (read && 'row' in read ? read.row : (read ?? null));

/** Undefined if there is more of it than was read. */
export const wholeOf = (read: ReadRun | undefined): StoredRun | null | undefined =>
  read && !('row' in read) ? undefined : read;

/** `loadRuns` of a store that knows single runs. */
export async function loadEach(loadRun: Store['loadRun'], runIds: readonly string[]): Promise<readonly ReadRun[]> {
  const all: ReadRun[] = [];
  for (const runId of runIds) {
    const stored = await loadRun(runId);
    all.push(stored !== null && isTerminal(stored.row.status) ? stored.row : stored);
  }
  return all;
}
