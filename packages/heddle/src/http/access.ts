// Access: who asks, what they may do, and for how long: streams and waits ask at every delivery, and are told when access
// is lost. Rules AC….
//
// Always true: the tenant of a request comes from its key alone; what no route allows is refused; nobody is told twice of
// a loss, and while nobody waits there is no timer.

import { untilFirst } from '../actor/first-signal.ts';
import type { Awaitable, Clock } from '../actor/ports.ts';
import { defaultTenant } from '../api/heddle.ts';
import type { Only } from '../operations/access.ts';
import type { AnyOperation } from '../operations/operation.ts';
import { everyScope } from '../operations/scope.ts';
import { RequestError } from './problem-document.ts';

export interface Access {
  readonly tenant: string;
  readonly scopes: ReadonlySet<string>;
  /** Of the key or the token; null for whoever needs none, on the same machine. */
  readonly keyId: string | null;
  /** The session that let it in, in place of its key. */
  readonly sessionId?: string;
  /** What a token is for, and nothing else; absent: all that the scopes say. */
  readonly only?: Only;
  /** For how long; absent: as long as the request. */
  readonly grant?: Grant;
}

/** Null: nobody that is known. */
export type Authenticate = (key: string | null) => Awaitable<Access | null>;

export { defaultTenant };

/** Everything may be done without a key: for a server that only this machine can reach. */
export const openAccess: Access = { tenant: defaultTenant, scopes: new Set([everyScope]), keyId: null };

/** The key of a request: `Authorization: Bearer …`. */
export function keyOf(authorization: string | null): string | null {
  if (authorization === null) return null;
  const [, key] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
  if (key !== undefined) return key;
  throw unauthorized('Expected `Authorization: Bearer KEY`, but the header says something else');
}

/** AC1: a request without a valid key is refused before anything else is looked at. */
export function unauthorized(message: string, hint = keyHint): RequestError {
  return new RequestError(401, 'KEY_INVALID', message, {
    hint,
    headers: { 'www-authenticate': 'Bearer' },
  });
}

const keyHint = 'Send `Authorization: Bearer KEY` with a key that `heddle keys create` has made.';

/** AC12: access is asked for again when the body has come, after every wait and at every event, not at the door alone. */
export function refuseLost(access: Access): void {
  if (hasAccess(access)) return;
  throw lostAccess();
}

export const hasAccess = ({ grant }: Access): boolean => grant?.isValid() !== false;

export const lostAccess = (): RequestError =>
  unauthorized('Expected a valid key, but it was revoked or has expired meanwhile');

/** Work that waits: its signal is aborted when the caller has gone or has lost access. */
export async function whileWanted<T>(
  { signal, access }: { readonly signal: AbortSignal; readonly access: Access },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const lost = new AbortController();
  const unwatch = access.grant?.onLoss(() => lost.abort());
  try {
    const answer = await untilFirst([signal, lost.signal], work);
    refuseLost(access);
    return answer;
  } finally {
    unwatch?.();
  }
}

/** AC2: a key does what its scopes say; `*` is all of them. */
export function refuseScope({ scopes }: Access, { scope }: Pick<AnyOperation, 'scope'>): void {
  if (scope === 'any' || scope === 'public' || scopes.has(scope) || scopes.has(everyScope)) return;
  throw new RequestError(403, 'SCOPE_MISSING', `Expected a key with the scope ${scope}, but this one has others`, {
    hint: `Use a key with ${scope}; GET /v1/me tells what a key may do.`,
  });
}

/** Nobody hands on a right that they do not have. */
export function refuseMore(maker: Access, scopes: readonly string[]): void {
  const missing = scopes.find((scope) => !maker.scopes.has(scope) && !maker.scopes.has(everyScope));
  if (missing === undefined) return;
  const message = `Expected scopes that you have yourself, but ${missing} is not among them`;
  throw new RequestError(403, 'SCOPE_MISSING', message);
}

/** The default tenant is the operator's: its keys may be given rights over the others. */
export function maySee({ tenant }: Access, other: string): boolean {
  return tenant === other || tenant === defaultTenant;
}

/** What let a request in, for as long as it does. */
export interface Grant {
  /** Whether it lets in now. Costs next to nothing. */
  readonly isValid: () => boolean;
  /** Calls back once, when it is lost; answers with what ends the watch. */
  readonly onLoss: (listener: () => void) => () => void;
}

/** A grant that stands on two others: it is lost with the first of them that is. */
export function bothGrants(one: Grant, other: Grant): Grant {
  return {
    isValid: () => one.isValid() && other.isValid(),
    onLoss: (listener) => {
      const lose = (): void => {
        unwatch();
        listener();
      };
      const unwatches = [one.onLoss(lose), other.onLoss(lose)];
      const unwatch = (): void => unwatches.forEach((end) => end());
      return unwatch;
    },
  };
}

/** What a grant stands on. */
interface Ground {
  /** Of what is read again. */
  readonly id: string;
  readonly isValid: () => boolean;
  /** When it ends by itself, as far as is known now. */
  readonly endsAt: () => number | null;
}

interface Watch extends Ground {
  readonly listener: () => void;
}

/** How long a change that another process made may go unnoticed. */
const rereadEveryMs = 1_000;

/** Whether what was read then need not be read again now. */
export const isFreshAt = (clock: Clock, readAt: number): boolean => Math.abs(clock.now() - readAt) < rereadEveryMs;

export class GrantWatch {
  readonly #clock: Clock;
  readonly #reread: (ids: ReadonlySet<string>) => Promise<void>;
  readonly #open = new Set<Watch>();
  #tickAt = Infinity;
  #cancelTick: (() => void) | null = null;

  /** `reread` looks at what another process may have changed. */
  constructor(clock: Clock, reread: (ids: ReadonlySet<string>) => Promise<void>) {
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
    await this.#reread(new Set([...this.#open].map(({ id }) => id))).catch(() => undefined);
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
