// Seat: the place of one shard in a process of several that share a fleet: its engine while this process owns it, and the way to
// its owner while another does. Rule OW5.
//
// Always true: what was certainly not done is asked again of whoever owns the shard by then; what may have been done is asked
// again only where that changes nothing.

import type { Clock } from '../actor/ports.ts';
import { closedError, isMoving } from '../actor/refusals.ts';
import { isFenced } from '../actor/store-error.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Engine, Perform } from '../engine/engine.ts';
import type { ShardPeer } from '../engine/peers.ts';
import type { ItemOf, ReadOptions, StreamName } from '../operations/carrier.ts';
import type { AnyOperation } from '../operations/operation.ts';
import { type OperationName, operations, type RequestOf } from '../operations/operations.ts';
import type { AwaitedRun } from '../operations/run-results.ts';
import { isNewEach } from './far-peer.ts';
import { askPeer, peerLike } from './peer-like.ts';
import type { Shard } from './shards.ts';

export interface SeatOptions {
  readonly clock: Clock;
  /** The shard at its owner, wherever that is; refuses with `SHARD_ELSEWHERE` what no owner was asked. */
  readonly elsewhere: Shard;
  /** Whether the fleet is closed here: then nothing is asked again. */
  readonly isClosed: () => boolean;
}

/** How long a shard that moves is waited for. */
const patienceMs = 20_000;
const firstDelayMs = 20;
const delayMsMax = 1_000;

const table: Readonly<Record<OperationName, AnyOperation>> = operations;

export class Seat implements Shard {
  readonly peer: ShardPeer;
  readonly #options: SeatOptions;
  readonly #watchers = new Map<Parameters<Engine['watchProgress']>[0], () => void>();
  #here: Shard | null = null;

  constructor(options: SeatOptions) {
    this.#options = options;
    this.peer = peerLike(
      (name) =>
        (...args) =>
          this.#again(({ peer }) => askPeer(peer, name, args), !isNewEach([name, args])),
    );
  }

  /** The engine of this process; null while another owns the shard. */
  get here(): Shard | null {
    return this.#here;
  }

  enter(shard: Shard): void {
    this.#here = shard;
    for (const listener of this.#watchers.keys()) this.#watchers.set(listener, shard.watchProgress(listener));
  }

  leave(shard: Shard): void {
    if (this.#here === shard) this.#here = null;
  }

  get #now(): Shard {
    return this.#here ?? this.#options.elsewhere;
  }

  readonly perform: Perform = (name, request, call) =>
    this.#again((shard) => shard.perform(name, request, call), isRepeatable(name, request));

  async *read<Name extends StreamName>(
    name: Name,
    request: Omit<RequestOf<Name>, 'after'>,
    options: ReadOptions,
  ): AsyncIterableIterator<ItemOf<Name>> {
    const retries = new Retries(this.#options);
    for (let { after } = options; ; ) {
      try {
        for await (const item of this.#now.read(name, request, {
          ...options,
          ...(after === undefined ? {} : { after }),
        })) {
          yield item;
          after = placeOf(item as Placed); // of every stream
          retries.begin();
        }
        return;
      } catch (error) {
        if (options.signal?.aborted) return;
        if (!hasMoved(error, true) || !retries.isLeft) throw error;
      }
      await retries.pause();
    }
  }

  waitForEnd(runId: string, signal?: AbortSignal): Promise<AwaitedRun> {
    return this.#again((shard) => shard.waitForEnd(runId, signal), true);
  }

  /** Each call is another. */
  readonly receiveWebhook: Shard['receiveWebhook'] = (id, call) =>
    this.#again((shard) => shard.receiveWebhook(id, call), false);

  async #again<T>(ask: (shard: Shard) => Promise<T>, mayRepeat: boolean): Promise<T> {
    const retries = new Retries(this.#options);
    for (;;) {
      try {
        return await ask(this.#now);
      } catch (error) {
        if (!hasMoved(error, mayRepeat) || !retries.isLeft) throw error;
      }
      await retries.pause();
    }
  }

  /** While the fleet is open here it is somewhere, or will be. */
  get absence(): Error | null {
    return this.#options.isClosed() ? closedError() : null;
  }

  newestEvent(): Promise<string> {
    return this.#again((shard) => shard.newestEvent(), true);
  }

  pendingDeliveries(): Promise<number> {
    return this.#again((shard) => shard.pendingDeliveries(), true);
  }

  backup(path: string): Promise<void> {
    return this.#now.backup(path);
  }

  /** Of tasks of this process, whatever it owns meanwhile. */
  watchProgress: Engine['watchProgress'] = (listener) => {
    this.#watchers.set(listener, this.#here?.watchProgress(listener) ?? (() => undefined));
    return () => {
      this.#watchers.get(listener)?.();
      this.#watchers.delete(listener);
    };
  };

  get spanCounts(): Engine['spanCounts'] {
    return this.#here?.spanCounts ?? null;
  }

  get isIdle(): boolean {
    return this.#here?.isIdle ?? true;
  }

  async whenIdle(): Promise<void> {
    await this.#here?.whenIdle();
  }

  /** Whoever owns it closes it. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Counted from the first refusal in a row. */
class Retries {
  readonly #options: SeatOptions;
  #until: number | null = null;
  #delayMs = firstDelayMs;

  constructor(options: SeatOptions) {
    this.#options = options;
  }

  /** There was an answer. */
  begin(): void {
    this.#until = null;
    this.#delayMs = firstDelayMs;
  }

  get isLeft(): boolean {
    const { clock, isClosed } = this.#options;
    return !isClosed() && clock.now() < (this.#until ?? Number.POSITIVE_INFINITY);
  }

  async pause(): Promise<void> {
    const { clock } = this.#options;
    this.#until ??= clock.now() + patienceMs;
    await new Promise<void>((resolve) => void clock.schedule(clock.now() + this.#delayMs, resolve));
    this.#delayMs = Math.min(2 * this.#delayMs, delayMsMax);
  }
}

/** Whether doing it twice is as doing it once. */
export function isRepeatable(name: OperationName, request: unknown): boolean {
  const { repeatable, changes = false } = table[name];
  if (typeof repeatable !== 'string') return repeatable ?? !changes;
  return (request as Readonly<Record<string, unknown>>)[repeatable] !== undefined; // requests are objects
}

/** OW5: nothing was done by an engine that was closed, or was none; one that was fenced may have done it. */
function hasMoved(error: unknown, mayRepeat: boolean): boolean {
  if (isFenced(error)) return mayRepeat;
  return isMoving(error);
}

export interface Placed {
  readonly id: string;
  readonly feedId?: string;
}

/** What a stream continues after. */
export const placeOf = ({ id, feedId = id }: Placed): string => feedId;

/** Nobody was asked: the shard has no owner now, or not this one. */
export function shardElsewhere(shard: number): HeddleError {
  return new HeddleError('SHARD_ELSEWHERE', `Expected a process that owns shard ${shard}, but it is owned by none now`);
}
