// Owners: which run something belongs to, for a server that shows somebody a part of what there is.

import { isArtifactOf, ownersOfArtifact } from '../actor/artifacts.ts';
import type { RunRow, Store } from '../actor/ports.ts';
import { readNote } from './prompts.ts';

/** A run, as far as it must be known to say whose something is. */
export type Owner = Pick<RunRow, 'runId' | 'rootRunId' | 'workflow'>;

export class Owners {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Null if there is no such run. */
  async ofRun(runId: string): Promise<(Owner & Pick<RunRow, 'version'>) | null> {
    return this.#store.readRun(runId);
  }

  /** The run that asks; null if there is no such prompt. */
  ofPrompt(correlationId: string): Promise<Owner | null> {
    return readNote(this.#store, correlationId);
  }

  /** Whether a run, or one below it, has put these bytes. */
  hasArtifact(runId: string, artifactId: string): Promise<boolean> {
    return isArtifactOf(this.#store, runId, artifactId);
  }

  /** Runs that have put these bytes, with those that called them: the first 1,000. */
  async ofArtifact(artifactId: string): Promise<readonly Owner[]> {
    const runIds = await ownersOfArtifact(this.#store, artifactId);
    const runs = await Promise.all(runIds.map((runId) => this.ofRun(runId)));
    return runs.filter((run) => run !== null);
  }
}
