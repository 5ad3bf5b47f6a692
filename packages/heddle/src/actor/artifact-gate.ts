// ArtifactGate: keeps puts and copies of artifacts apart from removals. Bytes are there before any record
// names them; without the gate they could be taken for unwanted between the two.
//
// Always true: nothing is removed while something is put; a put waits for one removal at most.

import type { ArtifactStore } from './ports.ts';

export class ArtifactGate {
  #putting = 0;
  #removing: Promise<void> | null = null;
  readonly #waiters: (() => void)[] = [];

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
