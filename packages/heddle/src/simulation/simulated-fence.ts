// Simulated fence: whose writes the world's store takes.

import type { Stamp, Tenure } from '../actor/ports.ts';

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

  // WR2: of the owner, in its epoch, with the next number; a write that may be done counts.
  admits({ owner, epoch, number }: Stamp): boolean {
    if (owner !== this.#owner || epoch !== this.#epoch || number !== this.#number + 1) return false;
    this.#number = number;
    return true;
  }

  get #tenure(): Tenure {
    return { epoch: this.#epoch, number: this.#number };
  }
}
