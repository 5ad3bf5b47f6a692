// Outgoing: what an engine calls other services with, put together: its secrets, its HTTP client, the actions that use them.

import type { Clock, Store } from '../actor/ports.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { refuseUnknown } from '../base/refuse-options.ts';
import type { Limits } from '../definition/limits.ts';
import type { Action } from '../executor/action.ts';
import { HttpClient } from '../outbound/client.ts';
import { makeHttpRequest } from '../outbound/http-request.ts';
import { Policy, type PolicyOptions } from '../outbound/policy.ts';
import type { HttpTransport } from '../outbound/transport.ts';
import { Vault } from '../secrets/vault.ts';

/** How the engine itself calls other services: `http.request`, callbacks. */
export interface HttpOptions extends PolicyOptions {
  /** What connects. Default: sockets on Node, nothing elsewhere. In tests: whatever answers in place of the network. */
  readonly transport?: HttpTransport;
}

export interface Outgoing {
  readonly vault: Vault;
  /** Null: this runtime has none. */
  readonly client: HttpClient | null;
  readonly builtIns: Readonly<Record<string, Action>>;
}

export interface OutgoingOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: Limits;
}

export function makeOutgoing({ store, clock, limits }: OutgoingOptions, http: HttpOptions = {}): Outgoing {
  refuseUnknown('http', http, ['allowPrivate', 'ports', 'transport']);
  refuseLists(http);
  const { transport } = http;
  const policy = new Policy(http);
  const client = transport === undefined ? null : new HttpClient(transport, policy, clock);
  return {
    vault: new Vault({ store, limits, now: () => clock.now() }),
    client,
    builtIns: { 'http.request': makeHttpRequest({ client, clock, limits }) },
  };
}

/** OP9: where requests may go is given as lists. */
function refuseLists(http: HttpOptions): void {
  for (const name of ['allowPrivate', 'ports'] as const) {
    const given: unknown = http[name];
    if (given === undefined || Array.isArray(given)) continue;
    throw new HeddleError('OPTION_INVALID', `Expected http.${name} to be a list, but found ${typeof given}`);
  }
}
