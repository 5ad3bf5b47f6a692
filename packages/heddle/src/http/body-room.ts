// Body room: how much of the bodies of requests is in memory at once, by who sent it, and for how long a body may come.
// Rules GD4 to GD6.
//
// Always true: a byte is counted from when it came until its request was handled; one timer serves all bodies.

import type { Clock } from '../actor/ports.ts';
import { RequestError } from './problem-document.ts';
import type { RequestLimits } from './request-limits.ts';

/** The body of one request. */
export interface BodyHold {
  /** Bytes have come. Throws if there is no room for them. */
  take(bytes: number): void;
  /** Called if the body has not come in time. */
  onLate: ((error: RequestError) => void) | null;
  /** The body has come. */
  end(): void;
  /** Nothing of it is needed any more. */
  release(): void;
}

interface Coming {
  readonly endsAt: number;
  readonly hold: BodyHold;
}

/** Whoever has no key. */
const nobody = '';
const tickMs = 1_000;
const retryAfter = { 'retry-after': '5', connection: 'close' };

export class BodyRoom {
  readonly #clock: Clock;
  readonly #limits: RequestLimits;
  /** By key. */
  readonly #bytes = new Map<string, number>();
  readonly #coming = new Set<Coming>();
  #publicBodies = 0;
  #cancelTick: (() => void) | null = null;

  constructor(clock: Clock, limits: RequestLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Bytes that are held now, of a key or of all without one. */
  bytesOf(keyId: string | null): number {
    return this.#bytes.get(keyId ?? nobody) ?? 0;
  }

  /** For the body of a request with this key; null: with none. */
  open(keyId: string | null): BodyHold {
    const who = keyId ?? nobody;
    const isPublic = keyId === null;
    if (isPublic) this.#countPublic();
    let [held, isReleased] = [0, false];
    const { bodyTimeoutMs, publicBodyTimeoutMs } = this.#limits;
    const end = (): void => this.#end(coming);
    const hold: BodyHold = {
      onLate: null,
      take: (bytes) => {
        held += bytes;
        this.#count(who, bytes);
      },
      end,
      release: () => {
        if (isReleased) return;
        isReleased = true;
        end();
        this.#uncount(who, held);
        if (isPublic) this.#publicBodies -= 1;
      },
    };
    const coming = { endsAt: this.#clock.now() + (isPublic ? publicBodyTimeoutMs : bodyTimeoutMs), hold };
    this.#coming.add(coming);
    this.#tickLater();
    return hold;
  }

  #countPublic(): void {
    const { publicBodiesMax } = this.#limits;
    if (this.#publicBodies >= publicBodiesMax) throw publicFull('publicBodiesMax');
    this.#publicBodies += 1;
  }

  #count(who: string, bytes: number): void {
    const { publicBodyBytesMax, keyBodyBytesMax } = this.#limits;
    const sum = (this.#bytes.get(who) ?? 0) + bytes;
    this.#bytes.set(who, sum);
    if (who === nobody && sum > publicBodyBytesMax) throw publicFull('publicBodyBytesMax');
    if (who !== nobody && sum > keyBodyBytesMax) throw keyFull(keyBodyBytesMax);
  }

  #uncount(who: string, bytes: number): void {
    const rest = (this.#bytes.get(who) ?? 0) - bytes;
    if (rest > 0) this.#bytes.set(who, rest);
    else this.#bytes.delete(who);
  }

  #end(coming: Coming): void {
    this.#coming.delete(coming);
    if (this.#coming.size > 0) return;
    this.#cancelTick?.();
    this.#cancelTick = null;
  }

  #tickLater(): void {
    this.#cancelTick ??= this.#clock.schedule(this.#clock.now() + tickMs, () => {
      this.#cancelTick = null;
      this.#refuseLate(this.#clock.now());
      if (this.#coming.size > 0) this.#tickLater();
    });
  }

  /** GD6: a body that does not come in time is refused, and its connection ends. */
  #refuseLate(now: number): void {
    for (const coming of this.#coming) {
      if (coming.endsAt > now) continue;
      this.#coming.delete(coming);
      coming.hold.onLate?.(
        new RequestError(408, 'REQUEST_TIMEOUT', 'Expected the whole body in time, but it did not come', {
          headers: { connection: 'close' },
        }),
      );
    }
  }
}

/** GD4: callers without a key share a room of fixed size: so many bodies, so many bytes. */
function publicFull(limit: 'publicBodiesMax' | 'publicBodyBytesMax'): RequestError {
  const message = `Expected room for one more body without a key by the limit ${limit}, but there is none`;
  return new RequestError(503, 'LIMIT_EXCEEDED', message, { limit, headers: retryAfter });
}

/** GD5: the requests of one key hold so many bytes together. */
function keyFull(most: number): RequestError {
  const limit = 'keyBodyBytesMax';
  const message = `Expected at most ${most} bytes in all requests of one key at once by the limit ${limit}, but there are more`;
  return new RequestError(429, 'LIMIT_EXCEEDED', message, { limit, headers: retryAfter });
}
