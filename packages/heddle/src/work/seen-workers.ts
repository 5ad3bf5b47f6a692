// Seen workers: which workers have asked for tasks, and for what, for display. In memory only: a worker that works, asks.

import type { Limits } from '../definition/limits.ts';

export type WorkerInfo = {
  readonly worker: string;
  readonly lastSeenAt: number;
  /** What it last asked for, the first hundred. */
  readonly actions: readonly string[];
  /** Tasks that it has now. */
  readonly leased: number;
};

const actionsShown = 100;

type Seen = Omit<WorkerInfo, 'leased'>;

export class SeenWorkers {
  readonly #limits: Limits;
  /** Whoever was silent longest first. */
  readonly #workers = new Map<string, Seen>();
  /** When somebody last asked for an action. */
  readonly #askedAt = new Map<string, number>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  note(worker: string | null, actions: readonly string[], at: number): void {
    for (const action of actions) keep(this.#askedAt, action, at, this.#limits.announcedActionsMax);
    if (worker === null) return;
    const seen = { worker, lastSeenAt: at, actions: actions.slice(0, actionsShown) };
    keep(this.#workers, worker, seen, this.#limits.workersMax);
  }

  lastAskedAt(action: string): number | null {
    return this.#askedAt.get(action) ?? null;
  }

  actions(): Iterable<string> {
    return this.#askedAt.keys();
  }

  workers(): Iterable<Seen> {
    return this.#workers.values();
  }
}

/** The newest stand last, and the oldest go when there are too many. */
function keep<T>(map: Map<string, T>, key: string, value: T, sizeMax: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.size > sizeMax ? map.keys() : [];
  if (oldest !== undefined) map.delete(oldest);
}
