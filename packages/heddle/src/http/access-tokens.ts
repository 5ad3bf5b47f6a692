// Access tokens: credentials for one run or one workflow, so that a product shows its users what is theirs. Rules AC….
//
// Always true: a token may do no more than whoever made it, for no longer, and nothing outside of what it is for
// (`token-reach.ts`).

import type { Clock } from '../actor/ports.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { ServerRecords } from '../engine/server-records.ts';
import type { Only, TokenInfo, TokenMay } from '../operations/access.ts';
import { everyScope, type Scope } from '../operations/scope.ts';
import { type Access, bothGrants, maySee, refuseMore } from './access.ts';
import { Credentials, type Found, type Kept } from './credentials.ts';

interface StoredToken extends Kept, Omit<TokenInfo, 'id'> {
  readonly tenant: string;
  readonly expiresAt: number;
}

interface Wanted {
  readonly only: Only;
  readonly may: TokenMay;
  readonly name?: string;
  readonly expiresInMs?: number;
}

interface TokenOptions {
  /** Of who made it; null: nobody needed a key. Answers null once that is over. */
  readonly accessOf: (keyId: string | null) => Promise<Access | null>;
}

const expiresInMsDefault = 3_600_000;

const readScopes: readonly Scope[] = ['run:read', 'definition:read', 'prompt:read', 'artifact:read'];
const scopesOf: { readonly [May in TokenMay]: readonly Scope[] } = {
  read: readScopes,
  reply: [...readScopes, 'prompt:reply'],
};

export class AccessTokens {
  readonly #tokens: Credentials<StoredToken>;
  readonly #clock: Clock;
  readonly #options: TokenOptions;

  constructor(store: ServerRecords, clock: Clock, options: TokenOptions) {
    this.#tokens = new Credentials(store, clock, { kind: 'access-token', prefix: 'hdt', isSwept: true });
    this.#clock = clock;
    this.#options = options;
  }

  /** AC19: whoever makes a token may do all that it may; it ends by itself, and with the key that made it. */
  async create({ name = '', expiresInMs = expiresInMsDefault, ...wanted }: Wanted, maker: Access) {
    refuseMore(maker, scopesOf[wanted.may]);
    const expiresAt = this.#clock.now() + expiresInMs;
    const { id, text } = await this.#tokens.make({
      ...wanted,
      name,
      tenant: maker.tenant,
      keyId: maker.keyId,
      expiresAt,
    });
    return { id, token: text, expiresAt };
  }

  async authenticate(text: string): Promise<Access | null> {
    const found = await this.#tokens.authenticate(text);
    if (found === null) return null;
    const { id, stored } = found;
    const maker = await this.#options.accessOf(stored.keyId);
    if (maker === null) return null;
    const own = this.#tokens.grant(id);
    const grant = maker.grant === undefined ? own : bothGrants(own, maker.grant);
    return { tenant: stored.tenant, scopes: new Set(scopesOf[stored.may]), keyId: id, only: stored.only, grant };
  }

  /** A page of those that the asker may know of, by id. */
  async list(page: { readonly after?: string; readonly limit: number }, asker: Access): Promise<readonly TokenInfo[]> {
    return (await this.#tokens.list(page, (stored) => isKnownTo(asker, stored))).map(infoOf);
  }

  async revoke(id: string, asker: Access): Promise<void> {
    const stored = await this.#tokens.find(id);
    if (stored === null || !isKnownTo(asker, stored))
      throw new HeddleError('TOKEN_NOT_FOUND', `Expected a token ${id.slice(0, 40)}, but there is none`);
    await this.#tokens.remove(id);
  }
}

/** AC20: tokens are known to the key that made them, and to those that administer the keys of its tenant. */
function isKnownTo(asker: Access, { keyId, tenant }: StoredToken): boolean {
  if (!maySee(asker, tenant)) return false;
  return keyId === asker.keyId || asker.scopes.has('key:admin') || asker.scopes.has(everyScope);
}

function infoOf({ id, stored }: Found<StoredToken>): TokenInfo {
  const { name, only, may, keyId, createdAt, expiresAt } = stored;
  return { id, name, only, may, keyId, createdAt, expiresAt };
}
