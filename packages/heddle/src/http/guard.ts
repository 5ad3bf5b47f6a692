// Guard: what is looked at before a request is: whose page sent it, how often its sender asks; and what goes with every answer.
// Rules GD….

import type { Clock } from '../actor/ports.ts';
import { sha256Hex } from '../base/hash.ts';
import { RequestError } from './problem-document.ts';
import { type AddressOptions, senderOf } from './sender.ts';

export interface GuardOptions extends AddressOptions {
  /** Web pages of these origins may ask. */
  readonly origins?: readonly string[];
  readonly rate?: { readonly perSecond: number; readonly burst: number };
}

const methods = 'GET, POST, PUT, DELETE';
const headers = 'authorization, content-type, idempotency-key, last-event-id';
const dayS = 86_400;

/** GD1: a page of another origin may ask only if its origin was named; nothing is done for one that was not. */
function refuseOrigin(request: Request, address: URL, { origins = [] }: GuardOptions): void {
  const origin = request.headers.get('origin');
  if (origin === null) return refuseUnnamed(request, address);
  if (origins.includes(origin) || origin === address.origin) return;
  throw new RequestError(403, 'ORIGIN_FORBIDDEN', `Expected a page that may ask, but ${origin.slice(0, 200)} may not`, {
    hint: 'Name its origin when the server is started (--origin).',
  });
}

/** GD8: what comes from a page of another site, and does not say of which, changes nothing. */
function refuseUnnamed(request: Request, address: URL): void {
  const { page, isSafe } = senderOf(request, address);
  if (page !== 'foreign' || isSafe) return;
  const message = 'Expected a page that says its origin, but one of another site has sent this without';
  throw new RequestError(403, 'ORIGIN_FORBIDDEN', message);
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

/**
 * HT23: no browser guesses what an answer is, shows it in a frame, runs what is in it, tells others its address, keeps it for
 * whoever uses it next, or hands it to a page of others that has not asked as one.
 */
export const protections: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};

/** An answer that says more of these itself keeps it. */
export function protect(response: Response): Response {
  for (const [name, value] of Object.entries(protections))
    if (!response.headers.has(name)) response.headers.set(name, value);
  return response;
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
