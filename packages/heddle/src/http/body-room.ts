// Body room: how much of the bodies of requests is in memory at once, by who sent it, and for how long a body may come.
// Rules GD4 to GD6.
//
// Always true: a byte is counted from when it came until its request was handled; one timer serves all bodies that are
// still coming.

import type { Clock } from '../actor/ports.ts';
import { RequestError } from './problem-document.ts';
import type { RequestLimits } from './request-limits.ts';

/** The body of one request. */
export interface BodyHold {
  /** Bytes have come. Throws if there is no room for them. */
  take(bytes: number): void;
  /** More is to come; calls back if it has not come in time. */
  expect(onLate: (error: RequestError) => void): void;
  /** The body has come. */
  end(): void;
  /** Nothing of it is needed any more. */
  release(): void;
}

interface Coming {
  readonly endsAt: number;
  readonly onLate: (error: RequestError) => void;
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

  /** No body is waited for any more. */
  close(): void {
    this.#cancelTick?.();
    this.#cancelTick = null;
  }

  /** For the body of a request with this key; null: with none. */
  open(keyId: string | null): BodyHold {
    const isPublic = keyId === null;
    const { publicBodiesMax, bodyTimeoutMs, publicBodyTimeoutMs } = this.#limits;
    if (isPublic && this.#publicBodies >= publicBodiesMax) throw publicFull('publicBodiesMax');
    if (isPublic) this.#publicBodies += 1;
    let [held, isReleased] = [0, false];
    let coming: Coming | null = null;
    const hold: BodyHold = {
      take: (bytes) => {
        held += bytes;
        this.#count(keyId ?? nobody, bytes);
      },
      expect: (onLate) => {
        coming = { endsAt: this.#clock.now() + (isPublic ? publicBodyTimeoutMs : bodyTimeoutMs), onLate };
        this.#coming.add(coming);
        if (this.#cancelTick === null) this.#tickLater();
      },
      end: () => {
        if (coming !== null) this.#coming.delete(coming);
      },
      release: () => {
        if (isReleased) return;
        isReleased = true;
        hold.end();
        this.#count(keyId ?? nobody, -held);
        if (isPublic) this.#publicBodies -= 1;
      },
    };
    return hold;
  }

  /** Bytes have come, or are needed no more. Throws if there is no room for them. */
  #count(who: string, change: number): void {
    const { publicBodyBytesMax, keyBodyBytesMax } = this.#limits;
    const sum = (this.#bytes.get(who) ?? 0) + change;
    if (sum > 0) this.#bytes.set(who, sum);
    else this.#bytes.delete(who);
    if (change <= 0) return;
    if (who === nobody && sum > publicBodyBytesMax) throw publicFull('publicBodyBytesMax');
    if (who !== nobody && sum > keyBodyBytesMax) throw keyFull(keyBodyBytesMax);
  }

  /** Once a second while bodies come, and once after the last: a timer for each would cost every request. */
  #tickLater(): void {
    this.#cancelTick = this.#clock.schedule(this.#clock.now() + tickMs, () => {
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
      coming.onLate(
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
