// Simulated fence: whose writes the world's store takes.

import type { ArtifactStore, Stamp, Tenure } from '../actor/ports.ts';
import { simulatedFault } from './simulated-fault.ts';

export class SimulatedFence {
  #owner: string | null = null;
  #epoch = 0;
  #number = 0;

  take(owner: string): Tenure {
    this.#owner = owner;
    this.#epoch++;
    return this.#tenure;
  }

  raise(owner: string): Tenure | null {
    if (this.#owner !== owner) return null;
    this.#epoch++;
    return this.#tenure;
  }

  /** Who may write now. */
  get holder(): { readonly owner: string | null; readonly epoch: number } {
    return { owner: this.#owner, epoch: this.#epoch };
  }

  // WR2: of the owner, in its epoch, with the next number.
  admits(stamp: Stamp | null): boolean {
    if (stamp === null) return false;
    const { owner, epoch, number } = stamp;
    return owner === this.#owner && epoch === this.#epoch && number === this.#number + 1;
  }

  /** What is written counts; a write that the store refuses does not. */
  write<Answer>(stamp: Stamp | null, write: () => Answer): Answer {
    if (stamp === null || !this.admits(stamp)) throw simulatedFault('STORE_FENCED', 'Another process owns this store');
    const answer = write();
    this.#number = stamp.number;
    return answer;
  }

  /** Artifacts that only their owner removes. */
  guard(artifacts: ArtifactStore): ArtifactStore {
    const remove = async (id: string, stamp?: Stamp): Promise<void> =>
      this.write(stamp as Stamp, () => artifacts.remove(id)); // where there is a fence it has one
    return new Proxy(artifacts, {
      get(target, name: keyof ArtifactStore) {
        return name === 'remove' ? remove : target[name].bind(target);
      },
    });
  }

  get #tenure(): Tenure {
    return { epoch: this.#epoch, number: this.#number };
  }
}
