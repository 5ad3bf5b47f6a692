// Object front: HTTP in an object: the same API as everywhere, for the tenant of this object. The Worker has found out whose
// request it is; whether it may be done is decided here.
//
// Always true: what the Worker says of a request travels in headers that it writes over, so that no caller can.

import { checkedLimits } from '../engine/check-options.ts';
import type { Engine } from '../engine/engine.ts';
import type { Access } from '../http/access.ts';
import type { ApiKeys } from '../http/api-keys.ts';
import { type App, createApp } from '../http/app.ts';
import { requestLimitsOf } from '../http/request-limits.ts';
import { everyScope } from '../operations/scope.ts';
import type { ObjectClock } from './object-clock.ts';
import { type HeddleOptions, report } from './options.ts';
import type { Place } from './place.ts';

export interface FrontOptions<Env> {
  readonly options: HeddleOptions<Env>;
  readonly env: Env;
  readonly place: Place;
  readonly keys: ApiKeys;
  readonly clock: ObjectClock;
  /** Another whenever the one before was given up. */
  readonly engine: () => Promise<Engine>;
}

/** What the Worker says of a request. */
export const placeHeader = 'x-heddle-object';
/** It comes from the program itself. */
export const trustedHeader = 'x-heddle-trusted';

export class ObjectFront<Env> {
  readonly #app: App;
  /** What requests of the program itself show in place of a key; nobody else knows it. */
  readonly #ownKey = crypto.randomUUID();

  constructor({ options, env, place, keys, clock, engine }: FrontOptions<Env>) {
    const { limits } = options.engine?.(env, place.tenant) ?? {};
    const { origins = [], rate } = options;
    const own: Access = { tenant: place.tenant, scopes: new Set([everyScope]), keyId: null };
    this.#app = createApp({
      engineOf: async (tenant) => (tenant === place.tenant ? engine() : null),
      isTenant: (tenant) => tenant === place.tenant,
      keys,
      authenticate: async (key) => {
        if (key === null) return null;
        return key === this.#ownKey ? own : keys.authenticate(key);
      },
      limits: requestLimitsOf(checkedLimits(limits)),
      guard: { origins, ...(rate ? { rate } : {}) },
      clock,
      onError: (error) => report(options, error),
    });
  }

  async fetch(request: Request): Promise<Response> {
    const headers = new Headers(request.headers);
    if (headers.has(trustedHeader)) headers.set('authorization', `Bearer ${this.#ownKey}`);
    return this.#app.fetch(new Request(request, { headers }));
  }
}
