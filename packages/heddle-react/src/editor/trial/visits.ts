// Visits: the how-manyeth visit to its node, and in which branch, a token is: by this a trial finds what came of the same visit
// in a past run.

import type { TokenInfo } from 'heddle';
import type { Visit } from './pins.ts';

/** Reads the tokens of a run after a token, in the order of their creation. */
export type ReadTokens = (runId: string, after: string | null) => Promise<readonly TokenInfo[]>;

interface SeenRun {
  last: string | null;
  readonly visits: Map<number, Visit>;
  /** By node and path. */
  readonly counts: Map<string, number>;
}

export class Visits {
  readonly #read: ReadTokens;
  readonly #runs = new Map<string, SeenRun>();

  constructor(read: ReadTokens) {
    this.#read = read;
  }

  async of(runId: string, tokenId: number): Promise<Visit> {
    const seen = this.#runs.get(runId) ?? { last: null, visits: new Map(), counts: new Map() };
    this.#runs.set(runId, seen);
    if (!seen.visits.has(tokenId)) await this.#readMore(runId, seen);
    return seen.visits.get(tokenId) ?? { pathId: 'root', number: 1 };
  }

  /** All that are new: the branches of a fan-out come at once. */
  async #readMore(runId: string, seen: SeenRun): Promise<void> {
    for (const { id, node, pathId } of await this.#read(runId, seen.last)) {
      const key = `${node} ${pathId}`;
      const number = (seen.counts.get(key) ?? 0) + 1;
      seen.counts.set(key, number);
      seen.visits.set(id, { pathId, number });
      seen.last = String(id);
    }
  }
}
