// Ownership: which shards of a fleet this process owns, of several that share it: by a lease that it renews, a fair share of all.
// Rules OW….
//
// Always true: a shard is opened only once its claim was granted, and closed before it is released; when the lease is over by
// the clock of this process, which began it before the store did, nothing of its shards leaves it any more.

import type { Awaitable, Clock, Leases, Standing } from '../actor/ports.ts';
import { asError, StoreError } from '../actor/store-error.ts';
import type { LocalEngine } from '../engine/local-engine.ts';

export interface OwnershipOptions {
  readonly leases: Leases;
  readonly clock: Clock;
  /** This process, and no other. */
  readonly process: string;
  readonly shards: number;
  /** Puts an engine to work on a shard that is owned now; `refuseIfOver` throws once the lease is over. */
  readonly open: (shard: number, refuseIfOver: () => void) => Promise<LocalEngine>;
  /** All shards are closed: what they have said goes out before others may take it for lost. */
  readonly beforeLeaving: () => Promise<void>;
  readonly report: (error: Error) => void;
}

interface Held {
  /** Null while it is opened. */
  engine: LocalEngine | null;
  /** When it was claimed, by `elapsed`: a lease that is asked for later tells of it. */
  readonly since: number;
  isLeaving: boolean;
  /** It may be another's: what was asked of it is not answered, although the lease is renewed meanwhile. */
  isLost: boolean;
}

export const leaseMs = 10_000;
/** Between two renewals; so soon is found, too, what another process has handed over. */
const renewMs = 1_000;
const retryMs = 200;

export class Ownership {
  readonly #options: OwnershipOptions;
  readonly #held = new Map<number, Held>();
  readonly #opening = new Set<Promise<void>>();
  /** Until when the lease lasts, by `elapsed`. */
  #until = 0;
  #isClosing = false;
  #hasStopped = false;
  #cancelBeat: () => void = () => undefined;
  #cancelEnd: () => void = () => undefined;

  constructor(options: OwnershipOptions) {
    this.#options = options;
  }

  /** Answers when the shards that are free now, up to a fair share, are open here. */
  async start(): Promise<void> {
    await Promise.all(await this.#beat());
  }

  /** What runs has `graceMs` to end; then others can have the shards at once. */
  async close(graceMs: number): Promise<void> {
    this.#isClosing = true;
    await Promise.all(this.#opening);
    await Promise.all([...this.#held.keys()].map((shard) => this.#handOver(shard, graceMs)));
    await this.#options.beforeLeaving();
    this.#hasStopped = true;
    this.#cancelBeat();
    this.#cancelEnd();
    await this.#tell((leases, process) => leases.leave(process));
  }

  get #elapsed(): number {
    const { clock } = this.#options;
    return clock.elapsed?.() ?? clock.now();
  }

  #refuseIfLost({ isLost }: Held): void {
    if (isLost || this.#elapsed >= this.#until) throw leaseOver();
  }

  /** OW1: the lease is renewed, and what it tells is acted upon; answers with what is being opened. */
  async #beat(): Promise<readonly Promise<void>[]> {
    const { leases, process, report } = this.#options;
    // OW2: counted from before it was asked for, by a clock that nobody sets.
    const sentAt = this.#elapsed;
    try {
      const standing = await leases.renew(process, leaseMs);
      // What it was given before may be another's since.
      const hasLapsed = this.#elapsed >= this.#until;
      this.#until = Math.max(this.#until, sentAt + leaseMs);
      this.#arm(renewMs);
      return this.#hasStopped ? [] : this.#settle(standing, hasLapsed ? this.#elapsed : sentAt);
    } catch (error) {
      report(asError(error));
      this.#arm(retryMs);
      return [];
    }
  }

  #arm(ms: number): void {
    if (this.#hasStopped) return;
    const { clock } = this.#options;
    this.#cancelBeat();
    this.#cancelEnd();
    this.#cancelBeat = clock.schedule(clock.now() + ms, () => void this.#beat());
    this.#cancelEnd = clock.schedule(clock.now() + Math.max(0, this.#until - this.#elapsed), () => this.#end());
  }

  /** Nobody knows who owns the shards now. */
  #end(): void {
    if (this.#elapsed < this.#until) return;
    for (const shard of this.#held.keys()) this.#drop(shard);
  }

  #settle({ owned, free, processes }: Standing, tellsFrom: number): readonly Promise<void>[] {
    for (const [shard, { since }] of this.#held) if (since <= tellsFrom && !owned.includes(shard)) this.#drop(shard);
    // One that gave its store up, or was left by an earlier life of this process, is opened anew.
    const opening = owned.filter((shard) => !this.#held.has(shard));
    const share = Math.ceil(this.#options.shards / Math.max(1, processes));
    if (this.#isClosing) return [];
    const staying = [...this.#held].filter(([, { isLeaving }]) => !isLeaving).map(([shard]) => shard);
    for (const shard of staying.slice(share)) void this.#handOver(shard, handOverGraceMs);
    const room = Math.max(0, share - staying.length - opening.length);
    const claimed = free.filter((shard) => !this.#held.has(shard)).slice(0, room);
    return [...opening, ...claimed].map((shard) => {
      const taking = this.#take(shard).finally(() => this.#opening.delete(taking));
      this.#opening.add(taking);
      return taking;
    });
  }

  async #take(shard: number): Promise<void> {
    const { leases, process, open, report } = this.#options;
    const held: Held = { engine: null, since: this.#elapsed, isLeaving: false, isLost: false };
    const refuse = (): void => this.#refuseIfLost(held);
    this.#held.set(shard, held);
    try {
      if (await leases.claim(process, shard)) held.engine = await open(shard, refuse);
      refuse();
    } catch (error) {
      report(asError(error));
      await this.#close(held, 0);
      held.engine = null;
      await this.#release(shard);
    }
    if (held.engine === null) this.#held.delete(shard);
    else
      void held.engine.whenClosed.then(() => {
        held.isLost = true;
        if (this.#held.get(shard) === held) this.#held.delete(shard);
      });
  }

  /** OW4: it is closed first: whoever has it next finds all that was answered. */
  async #handOver(shard: number, graceMs: number): Promise<void> {
    const held = this.#held.get(shard);
    if (!held?.engine || held.isLeaving) return;
    held.isLeaving = true;
    await this.#close(held, graceMs);
    await this.#release(shard);
  }

  /** An engine whose store fails as it closes is closed all the same. */
  async #close({ engine }: Held, graceMs: number): Promise<void> {
    await engine?.close({ graceMs }).catch((error: unknown) => this.#options.report(asError(error)));
  }

  #release(shard: number): Promise<void> {
    return this.#tell((leases, process) => leases.release(process, shard));
  }

  /** What nobody heard of is free when the lease is over. */
  async #tell(say: (leases: Leases, process: string) => Awaitable<void>): Promise<void> {
    const { leases, process, report } = this.#options;
    try {
      await say(leases, process);
    } catch (error) {
      report(asError(error));
    }
  }

  #drop(shard: number): void {
    const held = this.#held.get(shard);
    if (held === undefined) return;
    held.isLost = true;
    void held.engine?.giveUp(leaseOver());
  }
}

/** How long what runs may take to end when a shard is handed over. */
const handOverGraceMs = 5_000;

function leaseOver(): StoreError {
  return new StoreError(
    'STORE_FENCED',
    'Expected this process to own the shard, but its lease is over. Another one may own it now; ask again.',
  );
}
