// Edges view: how often each way of a drawing was taken, in any dialect, counted as the journal is read.

import type { EventOf } from '../events.ts';
import type { Drawing } from './drawing.ts';

export interface EdgeView {
  /** The author's, or `from->to`. */
  readonly edgeId: string;
  readonly from: string;
  readonly to: string;
  /** How often it was taken: once for each round of a loop, each branch, each item. */
  readonly taken: number;
  /** When it was last taken, in milliseconds since 1970. */
  readonly lastTakenAt: number | null;
}

export class EdgeTally {
  readonly #taken = new Map<string, Pick<EdgeView, 'taken' | 'lastTakenAt'>>();

  add({ via, count = 1 }: EventOf<'token.created'>, at: number): void {
    if (via === undefined) return;
    this.#taken.set(via, { taken: (this.#taken.get(via)?.taken ?? 0) + count, lastTakenAt: at });
  }

  /** Every way of the drawing once, in its order; one that was never taken has a count of 0. */
  view({ transitions }: Drawing): readonly EdgeView[] {
    return transitions
      .filter(({ isMade }) => !isMade)
      .map(({ id, from, to }) => {
        const { taken, lastTakenAt } = this.#taken.get(id) ?? { taken: 0, lastTakenAt: null };
        return { edgeId: id, from, to, taken, lastTakenAt };
      });
  }

  copy(): EdgeTally {
    const copy = new EdgeTally();
    for (const [id, taken] of this.#taken) copy.#taken.set(id, taken);
    return copy;
  }
}
