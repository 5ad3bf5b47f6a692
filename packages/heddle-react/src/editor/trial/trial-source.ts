// Trial source: the journal of a trial as views of runs read it. It grows with every step.

import type { JsonObject } from 'heddle';
import type { Drawing, RunEvent } from 'heddle/journal';
import { traveled } from '../../run/journal-source.ts';
import { Readings } from '../../run/readings.ts';
import { emptyReading, type RunReading, type RunSource } from '../../run/run-source.ts';
import { RunTravel } from '../../run/run-travel.ts';

export class TrialSource implements RunSource {
  readonly #runId: string;
  readonly #travel: RunTravel;
  readonly #readings: Readings;

  constructor({ runId, definition, drawing }: { runId: string; definition: JsonObject; drawing: Drawing }) {
    this.#runId = runId;
    this.#travel = new RunTravel(drawing);
    const first: RunReading = { ...emptyReading(runId), phase: 'ready', definition, drawing };
    // It is fed by the steps, whoever looks.
    this.#readings = new Readings(first, { open: () => undefined, close: () => undefined });
  }

  /** Nobody: what is known of the trial is here. */
  readonly client = null;

  /** Of all runs of the trial; those of others are not shown. */
  add(events: readonly RunEvent[]): void {
    for (const event of events) if (event.runId === this.#runId) this.#travel.add(event);
    this.#readings.change((current) => traveled(current, this.#travel));
  }

  readonly subscribe = (listener: () => void): (() => void) => this.#readings.subscribe(listener);

  readonly read = (): RunReading => this.#readings.read();

  readonly moveTo = (moment: number | 'live'): void => {
    this.#travel.moveTo(moment);
    this.#readings.change((current) => traveled(current, this.#travel));
  };

  readonly readEvents = (after: string | null, limit: number): Promise<readonly RunEvent[]> => {
    const { events } = this.#travel;
    const from = after === null ? 0 : events.findIndex(({ id }) => id === after) + 1;
    return Promise.resolve(events.slice(from, from + limit));
  };
}
