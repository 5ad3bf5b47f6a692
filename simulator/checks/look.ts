// Look: one look at a whole world: the view, and what the journals in it say.

import type { RunRow } from '../../packages/heddle/src/actor/ports.ts';
import type { InvariantId } from './coverage.ts';
import type { RunFacts } from './run-facts.ts';
import { Broken } from './violation.ts';
import type { Moment, WorldView } from './world-view.ts';

export interface Look {
  readonly view: WorldView;
  readonly moment: Moment;
  /** By run id. */
  readonly rows: ReadonlyMap<string, RunRow>;
  /** By run id, of all that have a journal. */
  readonly runs: ReadonlyMap<string, RunFacts>;
  readonly factsOf: (runId: string) => RunFacts | undefined;
}

/** A broken invariant of a run, or of none. */
export class BrokenWorld extends Broken {
  readonly runId: string;

  constructor(invariant: InvariantId, runId: string, message: string) {
    super(invariant, message);
    this.runId = runId;
  }
}

export function breaks(invariant: InvariantId, runId: string, message: string): never {
  throw new BrokenWorld(invariant, runId, message);
}
