// Side writer: commits what is written beside the runs. Writes that come together share a transaction, and so one wait
// for the disk (1,000 events published at once on a file: 265 a second one by one, 6,000 together).
//
// Always true: a write is durable when it is answered; one that cannot be committed hurts only itself.

import type { Clock, Commit, RecordWrite, Store } from './ports.ts';

export interface SideWrite {
  readonly records?: readonly RecordWrite[];
  /** Ids of messages whose effect is now stored. */
  readonly outboxDone?: readonly string[];
}

interface Request {
  readonly write: SideWrite;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const writesPerCommitMax = 1_000;

export class SideWriter {
  readonly #store: Pick<Store, 'commit'>;
  readonly #clock: Clock;
  readonly #queue: Request[] = [];
  #isAtWork = false;

  constructor(store: Pick<Store, 'commit'>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  write(write: SideWrite): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ write, resolve, reject });
      if (this.#isAtWork) return;
      this.#isAtWork = true;
      this.#clock.defer(() => void this.#work());
    });
  }

  async #work(): Promise<void> {
    while (this.#queue.length > 0) await this.#commitTogether(this.#queue.splice(0, writesPerCommitMax));
    this.#isAtWork = false;
  }

  async #commitTogether(requests: readonly Request[]): Promise<void> {
    try {
      const records = requests.flatMap(({ write }) => write.records ?? []);
      const outboxDone = requests.flatMap(({ write }) => write.outboxDone ?? []);
      await this.#store.commit(sideCommit({ records, outboxDone }));
      for (const { resolve } of requests) resolve();
    } catch (error) {
      if (requests.length === 1) requests[0]?.reject(error);
      else for (const request of requests) await this.#commitTogether([request]);
    }
  }
}

/** A commit of no run. */
export function sideCommit({ records = [], outboxDone = [] }: SideWrite): Commit {
  return { runs: [], journal: [], outboxAdded: [], keys: [], records, outboxDone };
}
