// API keys: who may use a server; and the sessions and tokens that stand on them. Rules AC….
//
// Always true: whoever may do something may do it by a key that is there now, or because none was ever made.

import type { Clock, Store } from '../actor/ports.ts';
import { Turns } from '../actor/turns.ts';
import { equalTexts, sha256Hex } from '../base/hash.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { recordsIn, type ServerRecords } from '../engine/server-records.ts';
import type { KeyInfo, KeyRequest, NewKey } from '../operations/access.ts';
import { everyScope } from '../operations/scope.ts';
import { type Access, defaultTenant, GrantWatch, isFreshAt, maySee, openAccess, refuseMore } from './access.ts';
import { AccessTokens } from './access-tokens.ts';
import { Credentials, type Found, type Kept } from './credentials.ts';
import { RequestError } from './problem-document.ts';
import { type NewSession, Sessions } from './sessions.ts';

interface StoredKey extends Kept, Omit<KeyInfo, 'id'> {
  /** Of one that was rotated: when it would have ended otherwise. */
  readonly ownExpiresAt?: number | null;
}

const accessKind = 'access';
const madeKey = 'key-made';
export const tenantPattern = /^[a-z0-9][a-z0-9-]{0,62}$/;
const dayMs = 86_400_000;

export interface ApiKeysOptions {
  /** How long a session lasts. */
  readonly sessionMs?: number;
  /** AC23: a key with every right that stands in no store: where a platform hands secrets to programs. */
  readonly operatorKey?: string;
}

export class ApiKeys {
  readonly sessions: Sessions;
  readonly tokens: AccessTokens;
  readonly #store: ServerRecords;
  readonly #clock: Clock;
  readonly #keys: Credentials<StoredKey>;
  /** Of whoever needs no key. */
  readonly #open: Access;
  readonly #openGrants: GrantWatch;
  /** One key is changed by one at a time. */
  readonly #turns = new Turns();
  /** The operator's key that is in no store. */
  readonly #operator: Found<StoredKey> | null;
  #wasMade = false;
  /** When it was last looked whether another process has made one. */
  #lookedAt = -Infinity;

  /** Of a store that this process owns, or of an engine (`serverRecords`). */
  constructor(kept: Store | ServerRecords, clock: Clock, { sessionMs, operatorKey }: ApiKeysOptions = {}) {
    const store = 'writeRecords' in kept ? kept : recordsIn(kept);
    this.#operator = operatorKey === undefined ? null : operatorOf(operatorKey);
    this.#store = store;
    this.#clock = clock;
    this.#keys = new Credentials(store, clock, { kind: 'api-key', prefix: 'hdl' });
    this.#openGrants = new GrantWatch(clock, () => this.#look());
    const isValid = (): boolean => !this.#wasMade;
    this.#open = { ...openAccess, grant: this.#openGrants.grant({ id: madeKey, isValid, endsAt: () => null }) };
    const accessOf = (keyId: string): Promise<Access | null> => this.#accessOf(keyId);
    this.sessions = new Sessions(store, clock, { accessOf, sessionMs });
    this.tokens = new AccessTokens(store, clock, {
      accessOf: (keyId) => (keyId === null ? this.openAccess() : accessOf(keyId)),
    });
  }

  /** Whether there is no key now. */
  async isEmpty(): Promise<boolean> {
    return (await this.#keys.list({ limit: 1 }, () => true)).length === 0;
  }

  /** AC8: all may be done without a key until the first is made; a server that had one is never open again. */
  async openAccess(): Promise<Access | null> {
    if (!this.#wasMade && !isFreshAt(this.#clock, this.#lookedAt)) await this.#look();
    return this.#wasMade ? null : this.#open;
  }

  /** Whether no key was ever made. */
  async isOpen(): Promise<boolean> {
    return (await this.openAccess()) !== null;
  }

  async #look(): Promise<void> {
    const made = await this.#store.readRecord(accessKind, madeKey);
    if (made !== null) this.#wasMade = true;
    this.#lookedAt = this.#clock.now();
  }

  /** By a key, or by a token that was made with one. */
  async authenticate(text: string): Promise<Access | null> {
    const found = await this.#find(text);
    return found === null ? this.tokens.authenticate(text) : this.#grantTo(found);
  }

  async #find(text: string): Promise<Found<StoredKey> | null> {
    const operator = this.#operator;
    if (operator !== null && equalTexts(sha256Hex(text), operator.stored.hash)) return operator;
    return this.#keys.authenticate(text);
  }

  /** A session in place of a key; null if the key opens nothing. */
  async signIn(key: string): Promise<NewSession | null> {
    const found = await this.#find(key);
    return found === null ? null : this.sessions.open(this.#grantTo(found), found);
  }

  /** By a key that was shown before. */
  async #accessOf(id: string): Promise<Access | null> {
    if (id === this.#operator?.id) return this.#grantTo(this.#operator);
    const stored = await this.#keys.find(id);
    return stored === null || this.#keys.hasEnded(stored) ? null : this.#grantTo({ id, stored });
  }

  #grantTo({ id, stored }: Found<StoredKey>): Access {
    const access = { tenant: stored.tenant, scopes: new Set(stored.scopes), keyId: id };
    // The operator's is there as long as the process.
    return id === this.#operator?.id ? access : { ...access, grant: this.#keys.grant(id) };
  }

  /** AC4: nobody gives a key more than they have: not their scopes, and not their tenant unless they are the operator. */
  async create({ name, scopes, tenant, expiresAt }: KeyRequest, maker: Access): Promise<NewKey> {
    const wanted = tenant ?? maker.tenant;
    refuseTenant(wanted);
    refuseForeign(maker, wanted);
    refuseMore(maker, scopes);
    return this.#write({ name, scopes: [...new Set(scopes)], tenant: wanted, expiresAt: expiresAt ?? null });
  }

  /** A page of those that the asker may know of, by id. */
  async list(page: { readonly after?: string; readonly limit: number }, asker: Access): Promise<readonly KeyInfo[]> {
    return (await this.#keys.list(page, ({ tenant }) => maySee(asker, tenant))).map(infoOf);
  }

  /** AC5: a rotated key has the same rights; the old one goes on for a while, so that nobody is locked out meanwhile. */
  rotate(id: string, graceMs: number | undefined, asker: Access): Promise<NewKey> {
    return this.#turns.take(id, async () => {
      const { hash, createdAt, ownExpiresAt, ...old } = await this.#mustFind(id, asker);
      refuseMore(asker, old.scopes);
      // Whoever did not hear the answer asks again: that the old one ends soon is no right of the new one.
      const expiresAt = ownExpiresAt === undefined ? old.expiresAt : ownExpiresAt;
      const made = await this.#write({ ...old, expiresAt });
      const endsAt = Math.min(this.#clock.now() + (graceMs ?? dayMs), old.expiresAt ?? Infinity);
      const replaced = { ...old, hash, createdAt, expiresAt: endsAt, ownExpiresAt: expiresAt };
      if (await this.#keys.replace(id, replaced)) return made;
      await this.#keys.remove(made.id);
      throw keyNotFound(id);
    });
  }

  revoke(id: string, asker: Access): Promise<void> {
    return this.#turns.take(id, async () => {
      await this.#mustFind(id, asker);
      await this.#keys.remove(id);
    });
  }

  async #write(rights: Omit<StoredKey, 'hash' | 'createdAt'>): Promise<NewKey> {
    const made = await this.#keys.make(rights, [{ kind: accessKind, key: madeKey, value: 'true', dueAt: null }]);
    this.#wasMade = true;
    this.#openGrants.look();
    return { ...infoOf(made), key: made.text };
  }

  async #mustFind(id: string, asker: Access): Promise<StoredKey> {
    const stored = await this.#keys.find(id);
    if (stored !== null && maySee(asker, stored.tenant)) return stored;
    throw keyNotFound(id);
  }
}

const keyNotFound = (id: string): HeddleError =>
  new HeddleError('KEY_NOT_FOUND', `Expected an API key ${id.slice(0, 40)}, but there is none`);

/** Its id changes with it, so that no session or token of another outlives it. */
function operatorOf(text: string): Found<StoredKey> {
  const hash = sha256Hex(text);
  const rights = { name: 'operator', tenant: defaultTenant, scopes: [everyScope], expiresAt: null };
  return { id: `operator-${sha256Hex(hash).slice(0, 16)}`, stored: { ...rights, hash, createdAt: 0 } };
}

function refuseForeign(maker: Access, tenant: string): void {
  if (maySee(maker, tenant)) return;
  throw new RequestError(403, 'TENANT_FOREIGN', `Expected a key for your own tenant, but ${tenant} is another`);
}

/** AC6: the name of a tenant is a file's name too: small letters, digits and hyphens. */
function refuseTenant(tenant: string): void {
  if (tenantPattern.test(tenant)) return;
  const message = `Expected a tenant of 1 to 63 small letters, digits and hyphens, but found ${JSON.stringify(tenant.slice(0, 80))}`;
  throw new RequestError(422, 'TENANT_INVALID', message, { pointer: '/tenant' });
}

function infoOf({ id, stored }: Found<StoredKey>): KeyInfo {
  const { name, tenant, scopes, createdAt, expiresAt } = stored;
  return { id, name, tenant, scopes, createdAt, expiresAt };
}
