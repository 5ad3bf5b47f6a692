// RunTravel: a journal that is kept whole, folded as it grows, and the way to any of its moments and back.
//
// Always true: a step forward folds what lies between; a step back begins at the nearest checkpoint.

import { Checkpoints, type Drawing, type RunEvent, RunFold } from 'heddle/journal';

export class RunTravel {
  readonly #events: RunEvent[] = [];
  readonly #live: RunFold;
  readonly #checkpoints: Checkpoints;
  /** As of a moment that is not the newest. */
  #past: RunFold | null = null;
  #moment: number | 'live' = 'live';

  constructor(drawing: Drawing) {
    this.#live = new RunFold({ drawing });
    this.#checkpoints = new Checkpoints({ drawing });
  }

  add(event: RunEvent): void {
    this.#live.add(event);
    this.#events.push(event);
    this.#checkpoints.keep(this.#live);
  }

  /** What is there by now; the list does not grow. */
  get events(): readonly RunEvent[] {
    return this.#events.slice();
  }

  get length(): number {
    return this.#events.length;
  }

  get lastEvent(): string | null {
    return this.#live.lastEvent;
  }

  get isLive(): boolean {
    return this.#moment === 'live';
  }

  moveTo(moment: number | 'live'): void {
    this.#moment = moment === 'live' ? moment : Math.max(0, moment);
  }

  /** As of the moment; one that has not come yet is the newest. */
  get fold(): RunFold {
    if (this.#moment === 'live' || this.#moment >= this.length) return this.#live;
    if (this.#past?.count !== this.#moment) this.#past = this.#travelTo(this.#moment);
    return this.#past;
  }

  /** Playing goes forward in small steps: what is folded already is folded on, as long as that is the shorter way. */
  #travelTo(moment: number): RunFold {
    const past = this.#past;
    if (past === null || past.count > moment || moment - past.count > this.#checkpoints.every)
      return this.#checkpoints.travel(moment, (index) => this.#eventAt(index));
    while (past.count < moment) past.add(this.#eventAt(past.count));
    return past;
  }

  #eventAt(index: number): RunEvent {
    return this.#events[index] as RunEvent; // below the moment, which is within the list
  }
}
