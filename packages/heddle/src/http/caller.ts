// Caller: who has sent a request: by a key, a token or a session, because no key was ever made, or as anybody may. Rules AC….
//
// Always true: a request that is let in may do what its operation is; a key in `Authorization` goes before a session.

import {
  type Access,
  type Authenticate,
  defaultTenant,
  keyOf,
  openAccess,
  refuseScope,
  unauthorized,
} from './access.ts';
import type { ApiKeys } from './api-keys.ts';
import type { Route } from './route.ts';
import { type AddressOptions, addressOf, senderOf } from './sender.ts';
import { refuseForeignPage, sessionIn } from './sessions.ts';
import { refuseUnlisted } from './token-reach.ts';

export interface CallerOptions {
  /** Whether there is such a tenant, for requests that name one and have no key. Absent: only the default one. */
  readonly isTenant?: (tenant: string) => boolean;
  /** Absent: everybody may do everything. Only for servers that nobody else can reach. */
  readonly authenticate?: Authenticate;
  /** Absent: there are neither sessions nor tokens. */
  readonly keys?: ApiKeys;
  readonly guard?: AddressOptions;
}

interface Caller {
  readonly access: Access;
  /** The tenant is there. */
  readonly isTenant: boolean;
}

interface Asking {
  readonly request: Request;
  /** That its address names, if it does. */
  readonly tenant: string | undefined;
}

export async function callerOf(
  { request, tenant }: Asking,
  { name, operation }: Route,
  options: CallerOptions,
): Promise<Caller> {
  if (operation.scope === 'public') return publicCaller(tenant, options);
  const access = await accessOf(request, options);
  refuseUnlisted(access, name);
  refuseScope(access, operation);
  return { access, isTenant: true };
}

async function accessOf(request: Request, { authenticate, keys, guard = {} }: CallerOptions): Promise<Access> {
  const key = keyOf(request.headers.get('authorization'));
  const session = key === null ? sessionIn(request.headers.get('cookie')) : null;
  if (session !== null && keys !== undefined) {
    const access = await keys.sessions.authenticate(session);
    if (access !== null) {
      refuseForeignPage(senderOf(request, addressOf(request, guard)));
      return access;
    }
  }
  const access = authenticate === undefined ? openAccess : await authenticate(key);
  if (access !== null) return access;
  if (key !== null) throw unauthorized('Expected a valid key, but this one opens nothing');
  if (session !== null) throw unauthorized('Expected a valid session, but this one has ended', 'Sign in again.');
  throw unauthorized('Expected a key, but there is none');
}

/**
 * AC7: whoever has no key may do what the route says and nothing else, makes no tenant by naming it, and does not learn
 * whether it is there: what is not is looked for at another's, and never found.
 */
function publicCaller(named: string = defaultTenant, { isTenant: isThere }: CallerOptions): Caller {
  const isTenant = named === defaultTenant || isThere?.(named) === true;
  return { access: { tenant: isTenant ? named : defaultTenant, scopes: new Set(), keyId: null }, isTenant };
}
