// Grant: what let a request in, for as long as it does. Streams and waits ask it at every delivery, and are told when it is
// lost. Rules AC10 to AC12.
//
// Always true: nobody is told twice; while nobody waits there is no timer.

import type { Clock } from '../actor/ports.ts';

export interface Grant {
  /** Whether it lets in now. Costs next to nothing. */
  readonly isValid: () => boolean;
  /** Calls back once, when it is lost; answers with what ends the watch. */
  readonly onLoss: (listener: () => void) => () => void;
}

/** What a grant stands on. */
export interface Ground {
  /** Null: no key was needed. */
  readonly keyId: string | null;
  readonly isValid: () => boolean;
  /** When it ends by itself, as far as is known now. */
  readonly endsAt: () => number | null;
}

interface Watch extends Ground {
  readonly listener: () => void;
}

/** How long a change that another process made may go unnoticed. */
export const rereadEveryMs = 1_000;

export class GrantWatch {
  readonly #clock: Clock;
  readonly #reread: (keyIds: ReadonlySet<string | null>) => Promise<void>;
  readonly #open = new Set<Watch>();
  #tickAt = Infinity;
  #cancelTick: (() => void) | null = null;

  /** `reread` looks at what another process may have changed. */
  constructor(clock: Clock, reread: (keyIds: ReadonlySet<string | null>) => Promise<void>) {
    this.#clock = clock;
    this.#reread = reread;
  }

  grant(ground: Ground): Grant {
    return { isValid: ground.isValid, onLoss: (listener) => this.#watch({ ...ground, listener }) };
  }

  /** AC10: whoever has lost access is told at once. To be called after every change. */
  look(): void {
    for (const watch of this.#open) {
      if (watch.isValid()) continue;
      this.#open.delete(watch);
      watch.listener();
    }
    if (this.#open.size === 0) this.#stop();
  }

  #watch(watch: Watch): () => void {
    this.#open.add(watch);
    this.#tickBy(Math.min(this.#clock.now() + rereadEveryMs, watch.endsAt() ?? Infinity));
    return () => {
      this.#open.delete(watch);
      if (this.#open.size === 0) this.#stop();
    };
  }

  #tickBy(at: number): void {
    if (this.#tickAt <= at) return;
    this.#cancelTick?.();
    this.#tickAt = at;
    this.#cancelTick = this.#clock.schedule(at, () => void this.#tick());
  }

  /** AC11: what another process changed is noticed within a second; what ends by itself, at its time. */
  async #tick(): Promise<void> {
    this.#stop();
    this.look();
    // A store that cannot be read now is asked again with the next tick.
    await this.#reread(new Set([...this.#open].map(({ keyId }) => keyId))).catch(() => undefined);
    this.look();
    if (this.#open.size === 0) return;
    const ends = [...this.#open].reduce((least, { endsAt }) => Math.min(least, endsAt() ?? Infinity), Infinity);
    this.#tickBy(Math.min(this.#clock.now() + rereadEveryMs, ends));
  }

  #stop(): void {
    this.#cancelTick?.();
    this.#cancelTick = null;
    this.#tickAt = Infinity;
  }
}
