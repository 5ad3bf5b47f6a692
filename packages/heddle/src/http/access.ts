// Access: who asks, and what they may do. Rules AC….
//
// Always true: the tenant of a request comes from its key alone; what no route allows is refused.

import type { Awaitable } from '../actor/ports.ts';
import { defaultTenant } from '../api/heddle.ts';
import type { AnyOperation } from '../operations/operation.ts';
import { everyScope } from '../operations/scope.ts';
import type { Grant } from './grant.ts';
import { RequestError } from './problem-document.ts';

export interface Access {
  readonly tenant: string;
  readonly scopes: ReadonlySet<string>;
  /** Null for whoever needs no key, on the same machine. */
  readonly keyId: string | null;
  /** For how long; absent: as long as the request. */
  readonly grant?: Grant;
}

/** Null: nobody that is known. */
export type Authenticate = (key: string | null) => Awaitable<Access | null>;

export { defaultTenant };

/** Everything may be done without a key: for a server that only this machine can reach. */
export const openAccess: Access = { tenant: defaultTenant, scopes: new Set([everyScope]), keyId: null };

/** The key of a request: `Authorization: Bearer …`. */
export function keyOf(authorization: string | undefined): string | null {
  if (authorization === undefined) return null;
  const [, key] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
  if (key !== undefined) return key;
  throw unauthorized('Expected `Authorization: Bearer KEY`, but the header says something else');
}

/** AC1: a request without a valid key is refused before anything else is looked at. */
export function unauthorized(message: string): RequestError {
  return new RequestError(401, 'KEY_INVALID', message, {
    hint: 'Send `Authorization: Bearer KEY` with a key that `heddle keys create` has made.',
    headers: { 'www-authenticate': 'Bearer' },
  });
}

/** AC12: access is asked for again when the body has come, after every wait and at every event, not at the door alone. */
export function refuseLost(access: Access): void {
  if (hasAccess(access)) return;
  throw lostAccess();
}

export const hasAccess = ({ grant }: Access): boolean => grant?.isValid() !== false;

export const lostAccess = (): RequestError =>
  unauthorized('Expected a valid key, but it was revoked or has expired meanwhile');

/** AC2: a key does what its scopes say; `*` is all of them. */
export function refuseScope({ scopes }: Access, { scope }: Pick<AnyOperation, 'scope'>): void {
  if (scope === 'any' || scope === 'public' || scopes.has(scope) || scopes.has(everyScope)) return;
  throw new RequestError(403, 'SCOPE_MISSING', `Expected a key with the scope ${scope}, but this one has others`, {
    hint: `Use a key with ${scope}; GET /v1/me tells what a key may do.`,
  });
}
