// Guard: what is looked at before a request is: whose page sent it, which name it was sent to, how often its sender asks.
// Rules GD….

import type { Clock } from '../actor/ports.ts';
import { sha256Hex } from '../base/hash.ts';
import { RequestError } from './problem-document.ts';

export interface GuardOptions {
  /** Web pages of these origins may ask. */
  readonly origins?: readonly string[];
  /** Names by which the server may be asked; absent: any. */
  readonly hosts?: readonly string[];
  readonly rate?: { readonly perSecond: number; readonly burst: number };
}

const methods = 'GET, POST, PUT, DELETE';
const headers = 'authorization, content-type, idempotency-key, last-event-id';
const dayS = 86_400;

/** Where a request was sent to; some runtimes hand on names that are none. */
export function addressOf({ url }: Request, { hosts }: GuardOptions): URL {
  let address: URL;
  try {
    address = new URL(url);
  } catch {
    throw new RequestError(400, 'ADDRESS_INVALID', `Expected an address, but found ${url.slice(0, 200)}`);
  }
  // GD2: a server that only this machine can reach is asked by this machine's names: a foreign name that leads here is refused.
  if (hosts === undefined || hosts.includes(address.hostname)) return address;
  const message = `Expected a name of this machine, but it was asked as ${address.host.slice(0, 200)}`;
  throw new RequestError(403, 'HOST_FORBIDDEN', message);
}

/** GD1: a page of another origin may ask only if its origin was named; nothing is done for one that was not. */
function refuseOrigin(request: Request, address: URL, { origins = [] }: GuardOptions): void {
  const origin = request.headers.get('origin');
  if (origin === null || origins.includes(origin) || origin === address.origin) return;
  throw new RequestError(403, 'ORIGIN_FORBIDDEN', `Expected a page that may ask, but ${origin.slice(0, 200)} may not`, {
    hint: 'Name its origin when the server is started (--origin).',
  });
}

export function corsHeaders(request: Request, { origins = [] }: GuardOptions): Readonly<Record<string, string>> {
  const origin = request.headers.get('origin');
  if (origin === null || !origins.includes(origin)) return {};
  return { 'access-control-allow-origin': origin, vary: 'Origin', 'access-control-expose-headers': 'retry-after' };
}

/** A request of a web page, which may ask or not; answers what a browser asks before it asks. */
export function answerOrigin(request: Request, address: URL, options: GuardOptions): Response | null {
  refuseOrigin(request, address, options);
  if (request.method !== 'OPTIONS' || request.headers.get('access-control-request-method') === null) return null;
  return new Response(null, {
    status: 204,
    headers: {
      ...corsHeaders(request, options),
      'access-control-allow-methods': methods,
      'access-control-allow-headers': headers,
      'access-control-max-age': String(dayS),
    },
  });
}

interface Bucket {
  tokens: number;
  at: number;
}

const bucketsMax = 10_000;

/** GD7: names that anybody can make up share a fixed number of buckets: no flood of them empties those of the keys. */
export const publicBucket = (tenant: string): string => `public ${sha256Hex(tenant).slice(0, 2)}`;

/** GD3: a key may ask so often; more is refused with when to come again, and costs nothing else. */
export class RateLimits {
  readonly #clock: Clock;
  readonly #rate: NonNullable<GuardOptions['rate']>;
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Clock, rate: NonNullable<GuardOptions['rate']>) {
    this.#clock = clock;
    this.#rate = rate;
  }

  take(who: string): void {
    const { perSecond, burst } = this.#rate;
    const now = this.#clock.now();
    const { tokens, at } = this.#buckets.get(who) ?? { tokens: burst, at: now };
    const there = Math.min(burst, tokens + (Math.max(0, now - at) / 1_000) * perSecond);
    if (!this.#buckets.has(who) && this.#buckets.size >= bucketsMax) this.#buckets.clear();
    this.#buckets.set(who, { tokens: there < 1 ? there : there - 1, at: now });
    if (there >= 1) return;
    const seconds = Math.ceil((1 - there) / perSecond);
    throw new RequestError(
      429,
      'RATE_EXCEEDED',
      `Expected at most ${perSecond} requests a second, but there were more`,
      {
        limit: 'rate',
        headers: { 'retry-after': String(seconds) },
      },
    );
  }
}
