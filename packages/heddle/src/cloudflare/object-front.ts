// Object front: HTTP in an object: the same API as everywhere, for the tenant of this object. The Worker has found out whose
// request it is; whether it may be done is decided here.
//
// Always true: what the Worker says of a request travels in headers that it writes over, so that no caller can.

import { checkedLimits } from '../engine/check-options.ts';
import type { Access } from '../http/access.ts';
import type { ApiKeys } from '../http/api-keys.ts';
import { type App, createApp } from '../http/app.ts';
import { requestLimitsOf } from '../http/request-limits.ts';
import { everyScope } from '../operations/scope.ts';
import { EngineFigures } from '../telemetry/engine-figures.ts';
import { Exposition } from '../telemetry/exposition.ts';
import type { ObjectClock } from './object-clock.ts';
import type { Awake } from './object-life.ts';
import { reached, stubOf } from './object-stub.ts';
import { type HeddleOptions, report } from './options.ts';
import type { Place } from './place.ts';
import type { ObjectNamespace } from './platform.ts';

export interface FrontOptions<Env> {
  readonly options: HeddleOptions<Env>;
  readonly env: Env;
  readonly place: Place;
  readonly keys: ApiKeys;
  readonly clock: ObjectClock;
  readonly awake: () => Promise<Awake>;
}

/** What the Worker says of a request. */
export const placeHeader = 'x-heddle-object';
/** It comes from the program itself. */
const trustedHeader = 'x-heddle-trusted';

/** A request of a tenant, to an object of it. */
export function forward(
  objects: ObjectNamespace,
  place: Place,
  request: Request,
  isTrusted: boolean,
): Promise<Response> {
  const headers = new Headers(request.headers);
  headers.set(placeHeader, JSON.stringify(place));
  headers.delete(trustedHeader);
  if (isTrusted) headers.set(trustedHeader, 'true');
  return reached(stubOf(objects, place).fetch(new Request(request, { headers })), place);
}

export class ObjectFront<Env> {
  readonly #app: App;
  #figures: EngineFigures | null = null;
  /** What requests of the program itself show in place of a key; nobody else knows it. */
  readonly #ownKey = crypto.randomUUID();

  constructor({ options, env, place, keys, clock, awake }: FrontOptions<Env>) {
    const { limits } = options.engine?.(env, place.tenant) ?? {};
    const { origins = [], rate } = options;
    const own: Access = { tenant: place.tenant, scopes: new Set([everyScope]), keyId: null };
    this.#app = createApp({
      engineOf: async (tenant) => (tenant === place.tenant ? (await awake()).engine : null),
      isTenant: (tenant) => tenant === place.tenant,
      keys,
      authenticate: async (key) => {
        if (key === null) return null;
        return key === this.#ownKey ? own : keys.authenticate(key);
      },
      limits: requestLimitsOf(checkedLimits(limits)),
      guard: { origins, ...(rate ? { rate } : {}) },
      clock,
      metrics: async () => this.#metrics(await awake(), clock, place.tenant),
      onError: (error) => report(options, error),
    });
  }

  /** MT8: of its tenant, and of nothing else: no process is anybody's own here. */
  async #metrics({ engine, stores }: Awake, clock: ObjectClock, tenant: string): Promise<string> {
    this.#figures ??= new EngineFigures({ engine, store: stores, clock });
    const exposition = new Exposition();
    await this.#figures.writeTo(exposition, { tenant });
    return exposition.text();
  }

  async fetch(request: Request): Promise<Response> {
    const headers = new Headers(request.headers);
    if (headers.has(trustedHeader)) headers.set('authorization', `Bearer ${this.#ownKey}`);
    return this.#app.fetch(new Request(request, { headers }));
  }
}
