// ArtifactGate: keeps puts and copies of artifacts apart from removals, and what is put for a run from its deletion. Bytes are
// there before any record names them; without the gate they could be taken for unwanted between the two, and a record could
// come for a run that was there when it was looked for.
//
// Always true: nothing is removed while something is put; a put waits for one removal at most; a run is not deleted while
// something is put for it.

import type { ArtifactStore, Awaitable } from './ports.ts';

export class ArtifactGate {
  #putting = 0;
  #removing: Promise<void> | null = null;
  readonly #waiters: (() => void)[] = [];
  /** By run. */
  readonly #puts = new Map<string, Set<Promise<unknown>>>();
  readonly #deletions = new Map<string, Promise<void>>();

  /** For a run that may be deleted. */
  async whilePuttingFor<T>(runId: string, work: () => Promise<T>): Promise<T> {
    while (this.#deletions.has(runId)) await this.#deletions.get(runId);
    const putting = this.whilePutting(work);
    const puts = this.#puts.get(runId) ?? new Set();
    this.#puts.set(runId, puts.add(putting));
    try {
      return await putting;
    } finally {
      puts.delete(putting);
      if (puts.size === 0) this.#puts.delete(runId);
    }
  }

  /** Waits for what is put for these runs; what is put for them later waits for this. */
  async whileDeleting(runIds: readonly string[], work: () => Awaitable<void>): Promise<void> {
    const puts = runIds.flatMap((runId) => [...(this.#puts.get(runId) ?? [])]);
    const deleting = Promise.allSettled(puts).then(work);
    const isOver = deleting.catch(() => undefined); // the caller of `work` gets the error
    for (const runId of runIds) this.#deletions.set(runId, isOver);
    try {
      await deleting;
    } finally {
      for (const runId of runIds) this.#deletions.delete(runId);
    }
  }

  async whilePutting<T>(work: () => Promise<T>): Promise<T> {
    while (this.#removing) await this.#removing;
    this.#putting++;
    try {
      return await work();
    } finally {
      this.#putting--;
      if (this.#putting === 0) for (const waiter of this.#waiters.splice(0)) waiter();
    }
  }

  async whileRemoving(work: () => Promise<void>): Promise<void> {
    while (this.#removing || this.#putting > 0) await (this.#removing ?? this.#whenNonePuts());
    const removing = work();
    this.#removing = removing
      .catch(() => undefined) // the caller of `work` gets the error
      .then(() => {
        this.#removing = null;
      });
    await removing;
  }

  #whenNonePuts(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve));
  }
}

/**
 * One for each store of artifacts, which owns it and which it goes with: engines that share a store in one process must
 * share its gate, and no port of a host has a place for it.
 */
const gates = new WeakMap<ArtifactStore, ArtifactGate>();

export function gateOf(artifacts: ArtifactStore): ArtifactGate {
  const gate = gates.get(artifacts) ?? new ArtifactGate();
  gates.set(artifacts, gate);
  return gate;
}
