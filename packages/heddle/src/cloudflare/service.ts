// Service: the engine for other Workers of the same account, over a service binding: the same client as over HTTP, and no key, for
// nobody else can have such a binding.

import { WorkerEntrypoint } from 'cloudflare:workers';
import { Client } from '../client/client.ts';
import { Transport } from '../client/transport.ts';
import { defaultTenant, unauthorized } from '../http/access.ts';
import { tenantPattern } from '../http/api-keys.ts';

/** Brings a request of the program itself, or of who has a binding, to an object of the tenant. */
export type ForwardTrusted<Env> = (request: Request, env: Env, tenant: string) => Promise<Response>;

export interface HeddleServiceClass<Env> {
  new (context: never, env: Env): { fetch(request: Request): Promise<Response> };
}

const tenantHeader = 'x-heddle-tenant';

/** The entry point that other Workers bind to. */
export function heddleService<Env>(forward: ForwardTrusted<Env>): HeddleServiceClass<Env> {
  return class HeddleService extends WorkerEntrypoint<Env> {
    override fetch(request: Request): Promise<Response> {
      const tenant = request.headers.get(tenantHeader) ?? defaultTenant;
      if (!tenantPattern.test(tenant)) throw unauthorized('Expected the name of a tenant, but found another text');
      return forward(request, this.env, tenant);
    }
  };
}

/** DO40: the engine of a tenant behind a service binding. */
export function engineBehind(
  binding: { fetch(request: Request): Promise<Response> },
  tenant: string = defaultTenant,
): Client {
  const ask: typeof fetch = (input, init) => {
    const request = new Request(input, init);
    request.headers.set(tenantHeader, tenant);
    return binding.fetch(request);
  };
  return new Client(new Transport({ url: 'http://heddle', fetch: ask }));
}
