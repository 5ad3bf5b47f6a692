// Calls in memory: for engines in one process that share the stores of a fleet, as tests and simulations have them.

import { type Call, type Calls, forgottenAfterMs, type Heard, type Listening, type Said } from '../../actor/ports.ts';
import type { MemoryLeases } from './leases.ts';

interface Row extends Call {
  readonly asker: string;
  taker: string | null;
  /** The exchange of its taker. */
  takenIn: number;
  isAborted: boolean;
  answer: string | null;
}

interface Process {
  number: number;
  seenAt: number;
}

export interface MemoryCallsOptions {
  readonly leases: MemoryLeases;
  readonly now: () => number;
  readonly feedEnd: (shard: number) => number | Promise<number>;
}

export class MemoryCalls implements Calls {
  readonly #options: MemoryCallsOptions;
  readonly #processes = new Map<string, Process>();
  /** By id, in the order of asking. */
  readonly #rows = new Map<string, Row>();
  readonly #listeners = new Map<string, () => void>();

  constructor(options: MemoryCallsOptions) {
    this.#options = options;
  }

  /** How many rows there are. */
  get size(): number {
    return this.#rows.size;
  }

  join(process: string, number: number): void {
    const known = this.#processes.get(process)?.number ?? 0;
    this.#processes.set(process, { number: Math.max(known, number), seenAt: this.#options.now() });
  }

  leave(process: string): void {
    this.#processes.delete(process);
    for (const { id, asker } of this.#rows.values()) if (asker === process) this.#rows.delete(id);
  }

  listen(process: string, onNews: () => void): Listening {
    this.#listeners.set(process, onNews);
    return { isTold: true, stop: () => void this.#listeners.delete(process) };
  }

  async exchange(said: Said): Promise<Heard | null> {
    const heard = this.#exchange(said);
    return heard && { ...heard, ends: await this.#endsOf(said.followed) };
  }

  async #endsOf(shards: readonly number[]): Promise<readonly number[]> {
    const ends: number[] = [];
    for (const shard of shards) ends.push(await this.#options.feedEnd(shard));
    return ends;
  }

  #exchange(said: Said): Heard | null {
    this.#forgetSilent();
    const known = this.#processes.get(said.process);
    if (known === undefined) return null;
    if (said.number <= known.number) return nothing;
    Object.assign(known, { number: said.number, seenAt: this.#options.now() });
    const told = new Set([...this.#answer(said), ...this.#ask(said)]);
    const heard = this.#hear(said);
    for (const process of told) this.#listeners.get(process)?.();
    return heard;
  }

  /** In passing. */
  #forgetSilent(): void {
    const since = this.#options.now() - forgottenAfterMs;
    for (const [process, { seenAt }] of this.#processes) if (seenAt <= since) this.leave(process);
  }

  /** Whom that concerns. */
  #ask({ process, calls, withdrawn, aborted, settled }: Said): readonly string[] {
    for (const call of calls)
      if (!this.#rows.has(call.id))
        this.#rows.set(call.id, { ...call, asker: process, taker: null, takenIn: 0, isAborted: false, answer: null });
    for (const id of withdrawn) if (this.#rows.get(id)?.taker === null) this.#rows.delete(id);
    for (const id of aborted) Object.assign(this.#rows.get(id) ?? {}, { isAborted: true });
    for (const id of settled) this.#rows.delete(id);
    const owners = calls.map(({ shard }) => this.#options.leases.ownerOf(shard));
    return [...owners, ...aborted.map((id) => this.#rows.get(id)?.taker ?? null)].flatMap((owner) => owner ?? []);
  }

  #answer({ process, answers }: Said): readonly string[] {
    const known = answers.flatMap(({ id, answer }) => {
      const row = this.#rows.get(id);
      if (row?.taker !== process) return [];
      row.answer ??= answer;
      return row.asker;
    });
    return known;
  }

  #hear({ process, number, heard, takenMax, withdrawn }: Said): Heard {
    const { leases } = this.#options;
    const rows = [...this.#rows.values()];
    const free = rows.filter(({ taker, shard }) => taker === null && leases.ownerOf(shard) === process);
    for (const row of free.slice(0, takenMax)) Object.assign(row, { taker: process, takenIn: number });
    const ofOthers = rows.filter(({ taker, answer }) => taker === process && answer === null);
    const own = rows.filter(({ asker }) => asker === process);
    const idOf = ({ id }: Row): string => id;
    return {
      taken: ofOthers
        .filter(({ takenIn }) => takenIn > heard)
        .map(({ id, shard, question }) => ({ id, shard, question })),
      aborted: ofOthers.filter(({ isAborted }) => isAborted).map(idOf),
      answers: own.flatMap(({ id, answer }) => (answer === null ? [] : [{ id, answer }])),
      withdrawn: withdrawn.filter((id) => !this.#rows.has(id)),
      lost: own.filter(({ taker, answer }) => taker !== null && answer === null && !leases.isLive(taker)).map(idOf),
      ends: [],
    };
  }
}

const nothing: Heard = { taken: [], aborted: [], answers: [], withdrawn: [], lost: [], ends: [] };
