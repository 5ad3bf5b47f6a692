// Checkpoints: copies of a fold on the way, from which any moment of a run is reached by folding a few events again. Rule
// VW17.
//
//   for (const event of events) { fold.add(event); checkpoints.keep(fold); }
//   const then = checkpoints.travel(1_234, (index) => events[index]);   // as of the first 1,234 events
//
// Always true: there are at most `max` of them, at multiples of a distance that doubles when they become too many. The events
// are not kept here: whoever travels hands in those between a checkpoint and the moment.

import type { RunEvent } from '../run-event.ts';
import { RunFold, type RunFoldOptions } from './run-fold.ts';

export interface CheckpointOptions extends RunFoldOptions {
  /** How many events lie between two of them at first; 500 unless told. */
  readonly every?: number;
  /** How many are kept; 12 unless told: each is as large as the state, 10 MB with 10,000 branches at work. */
  readonly max?: number;
}

export class Checkpoints {
  readonly #options: RunFoldOptions;
  readonly #max: number;
  readonly #kept: RunFold[] = [];
  #every: number;

  constructor({ every = 500, max = 12, ...options }: CheckpointOptions = {}) {
    this.#options = options;
    this.#every = every;
    this.#max = max;
  }

  /** How many events are folded at most to reach a moment. */
  get every(): number {
    return this.#every;
  }

  /** After each event: keeps a copy if one is due. */
  keep(fold: RunFold): void {
    if (fold.count % this.#every !== 0 || fold.count <= (this.#kept.at(-1)?.count ?? 0)) return;
    this.#kept.push(fold.copy());
    if (this.#kept.length <= this.#max) return;
    this.#every *= 2;
    const thinned = this.#kept.filter(({ count }) => count % this.#every === 0);
    this.#kept.splice(0, this.#kept.length, ...thinned);
  }

  /** A fold of the newest checkpoint at which no more than so many events had happened, to continue by itself. */
  before(count: number): RunFold {
    return this.#kept.findLast((kept) => kept.count <= count)?.copy() ?? new RunFold(this.#options);
  }

  /** VW17: the run as of its first `count` events, the same as if they were folded from the beginning. */
  travel(count: number, eventAt: (index: number) => RunEvent): RunFold {
    const fold = this.before(count);
    while (fold.count < count) fold.add(eventAt(fold.count));
    return fold;
  }
}
