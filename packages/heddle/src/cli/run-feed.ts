// Run feed: the events of a run and of the runs below it, each once and in order: first what the journal holds, then what
// comes. Events of other runs are passed over.

import type { Engine, RunEvent } from '../index.ts';

export class RunFeed {
  readonly #sink: (event: RunEvent) => void;
  /** Runs that are followed; a list while their journal is still being read, of what has come meanwhile. */
  readonly #followed = new Map<string, RunEvent[] | null>();
  #engine: Engine | null = null;
  /** Journals that are being read. */
  readonly #reading = new Set<Promise<void>>();

  constructor(sink: (event: RunEvent) => void) {
    this.#sink = sink;
  }

  /** For the engine's `onEvent`. */
  take(event: RunEvent): void {
    const waiting = this.#followed.get(event.runId);
    if (waiting === undefined) return;
    if (waiting === null) this.#pass(event);
    else waiting.push(event);
  }

  async follow(engine: Engine, runId: string): Promise<void> {
    this.#engine = engine;
    const meanwhile: RunEvent[] = [];
    this.#followed.set(runId, meanwhile);
    for await (const event of engine.run(runId).events({ follow: false })) this.#pass(event);
    for (const event of meanwhile) this.#pass(event);
    this.#followed.set(runId, null);
  }

  #pass(event: RunEvent): void {
    this.#sink(event);
    if (event.type !== 'subworkflow.dispatched' || this.#followed.has(event.childRunId)) return;
    // A run that is not there yet begins with events of its own; one that is there has a journal to be read first.
    this.#followed.set(event.childRunId, null);
    const engine = this.#engine;
    if (!engine) return;
    const reading = this.#catchUp(engine, event.childRunId).finally(() => this.#reading.delete(reading));
    this.#reading.add(reading);
  }

  /** When all that has happened was passed on. */
  async whenCaughtUp(): Promise<void> {
    while (this.#reading.size > 0) await Promise.all(this.#reading);
  }

  async #catchUp(engine: Engine, runId: string): Promise<void> {
    try {
      await engine.run(runId).summary();
    } catch {
      return; // Not there yet.
    }
    await this.follow(engine, runId).catch(() => undefined); // The view misses something; the run does not.
  }
}
