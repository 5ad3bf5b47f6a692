// Run feed: the events of a run and of the runs below it, each once and in order: first what the journal holds, then what
// comes. Events of other runs are passed over.

import type { RunEvent } from 'heddle';
import type { Heddle } from 'heddle/client';

interface Followed {
  /** What has come while its journal is being read; null from then on. */
  waiting: RunEvent[] | null;
  /** The last row of its journal that was read: its events may be reported again. */
  seqRead: number;
}

export class RunFeed {
  readonly #sink: (event: RunEvent) => void;
  readonly #followed = new Map<string, Followed>();
  #heddle: Heddle | null = null;
  /** Journals of sub-runs that are being read. */
  readonly #reading = new Set<Promise<void>>();

  constructor(sink: (event: RunEvent) => void) {
    this.#sink = sink;
  }

  /** For the engine's `onEvent`. */
  take(event: RunEvent): void {
    const followed = this.#followed.get(event.runId);
    if (followed === undefined || event.seq <= followed.seqRead) return;
    if (followed.waiting === null) this.#pass(event);
    else followed.waiting.push(event);
  }

  async follow(heddle: Heddle, runId: string): Promise<void> {
    this.#heddle = heddle;
    const followed: Followed = { waiting: [], seqRead: 0 };
    this.#followed.set(runId, followed);
    try {
      for await (const event of heddle.run(runId).events({ follow: false })) {
        followed.seqRead = event.seq;
        this.#pass(event);
      }
    } finally {
      const { waiting, seqRead } = followed;
      followed.waiting = null;
      for (const event of waiting ?? []) if (event.seq > seqRead) this.#pass(event);
    }
  }

  /** When all that has happened was passed on. */
  async whenCaughtUp(): Promise<void> {
    while (this.#reading.size > 0) await Promise.all(this.#reading);
  }

  #pass(event: RunEvent): void {
    this.#sink(event);
    if (event.type !== 'subworkflow.dispatched' || this.#followed.has(event.childRunId) || !this.#heddle) return;
    // A run that is not there yet has no journal, and begins with events of its own. If a journal cannot be read, the view
    // misses something; the run does not.
    const reading = this.follow(this.#heddle, event.childRunId)
      .catch(() => undefined)
      .finally(() => this.#reading.delete(reading));
    this.#reading.add(reading);
  }
}
