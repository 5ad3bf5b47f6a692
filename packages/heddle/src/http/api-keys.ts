// API keys, kept as hashes in a store. Rules AC….
//
// Always true: the text of a key is known to whoever was given it and to nobody here; what is kept cannot be turned back
// into it. A key that was revoked or has ended opens nothing from then on.

import type { Clock, RecordRow, RecordWrite, Store } from '../actor/ports.ts';
import { valueOf } from '../actor/record-value.ts';
import { sideCommit } from '../actor/side-writer.ts';
import { Turns } from '../actor/turns.ts';
import { given } from '../base/given.ts';
import { equalTexts, sha256Hex } from '../base/hash.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { everyScope } from '../operations/scope.ts';
import type { KeyInfo, KeyRequest, NewKey } from '../operations/server.ts';
import { type Access, defaultTenant, GrantWatch, openAccess, rereadEveryMs } from './access.ts';
import { RequestError } from './problem-document.ts';

interface StoredKey extends Omit<KeyInfo, 'id'> {
  readonly hash: string;
  /** Of one that was rotated: when it would have ended otherwise. */
  readonly ownExpiresAt?: number | null;
}

/** A key as it is stored; null once it was revoked. */
interface KnownKey {
  readonly stored: StoredKey | null;
  readonly readAt: number;
}

const kind = 'api-key';
const accessKind = 'access';
const madeKey = 'key-made';
const keyPattern = /^hdl_([0-9a-z]{16})_[\w-]{32}$/;
const tenantPattern = /^[a-z0-9][a-z0-9-]{0,62}$/;
const dayMs = 86_400_000;

export class ApiKeys {
  readonly #store: Store;
  readonly #clock: Clock;
  /** Those that were asked for. */
  readonly #known = new Map<string, KnownKey>();
  readonly #grants: GrantWatch;
  /** Of whoever needs no key. */
  readonly #open: Access;
  /** One key is changed by one at a time. */
  readonly #turns = new Turns();
  #wasMade = false;
  /** When it was last looked whether another process has made one. */
  #lookedAt = -Infinity;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#grants = new GrantWatch(clock, (keyIds) => this.#reread(keyIds));
    const grant = this.#grants.grant({ keyId: null, isValid: () => !this.#wasMade, endsAt: () => null });
    this.#open = { ...openAccess, grant };
  }

  /** Whether there is no key now. */
  async isEmpty(): Promise<boolean> {
    return (await this.#store.listRecords(kind, { limit: 1 })).length === 0;
  }

  /** AC8: all may be done without a key until the first is made; a server that had one is never open again. */
  async openAccess(): Promise<Access | null> {
    if (!this.#wasMade && !this.#isFresh(this.#lookedAt)) await this.#look();
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

  /** AC3: a key is known by its id, and right if its hash is the one that is kept, which takes the same time to find out. */
  async authenticate(key: string): Promise<Access | null> {
    const [, id] = keyPattern.exec(key) ?? [];
    if (id === undefined) return null;
    const stored = await this.#find(id);
    const isRight = equalTexts(sha256Hex(key), stored?.hash ?? sha256Hex(''));
    if (stored === null || !isRight || this.#hasEnded(stored)) return null;
    const isValid = (): boolean => this.#isOpening(id);
    const endsAt = (): number | null => this.#known.get(id)?.stored?.expiresAt ?? null;
    const grant = this.#grants.grant({ keyId: id, isValid, endsAt });
    return { tenant: stored.tenant, scopes: new Set(stored.scopes), keyId: id, grant };
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
  async list(
    { after, limit }: { readonly after?: string; readonly limit: number },
    asker: Access,
  ): Promise<readonly KeyInfo[]> {
    const found: KeyInfo[] = [];
    for (let from = after; found.length < limit; ) {
      const rows = await this.#store.listRecords(kind, { limit: 100, ...given({ after: from }) });
      for (const row of rows) if (maySee(asker, storedOf(row).tenant)) found.push(infoOf(row.key, storedOf(row)));
      from = rows.at(-1)?.key;
      if (rows.length < 100) break;
    }
    return found.slice(0, limit);
  }

  /** AC5: a rotated key has the same rights; the old one goes on for a while, so that nobody is locked out meanwhile. */
  rotate(id: string, graceMs: number | undefined, asker: Access): Promise<NewKey> {
    return this.#turns.take(id, async () => {
      const { hash, ownExpiresAt, ...old } = await this.#mustFind(id, asker);
      refuseMore(asker, old.scopes);
      // Whoever did not hear the answer asks again: that the old one ends soon is no right of the new one.
      const expiresAt = ownExpiresAt === undefined ? old.expiresAt : ownExpiresAt;
      const made = await this.#write({ ...old, expiresAt });
      const endsAt = Math.min(this.#clock.now() + (graceMs ?? dayMs), old.expiresAt ?? Infinity);
      await this.#save(id, { ...old, hash, expiresAt: endsAt, ownExpiresAt: expiresAt });
      return made;
    });
  }

  revoke(id: string, asker: Access): Promise<void> {
    return this.#turns.take(id, async () => {
      await this.#mustFind(id, asker);
      await this.#store.commit(sideCommit({ records: [{ kind, key: id, value: null, dueAt: null }] }));
      this.#note(id, null);
    });
  }

  async #write(rights: Omit<StoredKey, 'hash' | 'createdAt'>): Promise<NewKey> {
    const id = randomText(16, 'abcdefghijklmnopqrstuvwxyz0123456789');
    const key = `hdl_${id}_${randomText(32, 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_')}`;
    const stored = { ...rights, createdAt: this.#clock.now(), hash: sha256Hex(key) };
    await this.#save(id, stored, [{ kind: accessKind, key: madeKey, value: 'true', dueAt: null }]);
    this.#wasMade = true;
    this.#grants.look();
    return { ...infoOf(id, stored), key };
  }

  async #save(id: string, stored: StoredKey, others: readonly RecordWrite[] = []): Promise<void> {
    const value = JSON.stringify(stored);
    await this.#store.commit(sideCommit({ records: [{ kind, key: id, value, dueAt: null }, ...others] }));
    this.#note(id, stored);
  }

  async #find(id: string): Promise<StoredKey | null> {
    const known = this.#known.get(id);
    if (known !== undefined && (known.stored === null || this.#isFresh(known.readAt))) return known.stored;
    return this.#read(id);
  }

  #isFresh(readAt: number): boolean {
    return Math.abs(this.#clock.now() - readAt) < rereadEveryMs;
  }

  async #read(id: string): Promise<StoredKey | null> {
    const before = this.#known.get(id);
    const row = await this.#store.readRecord(kind, id);
    // What was changed while it was read counts.
    const meanwhile = this.#known.get(id);
    if (meanwhile !== before) return meanwhile?.stored ?? null;
    const stored = row === null ? null : storedOf(row);
    // Ids that are nobody's are not kept: there is no end of them.
    if (stored !== null || before !== undefined) this.#note(id, stored);
    return stored;
  }

  #note(id: string, stored: StoredKey | null): void {
    this.#known.set(id, { stored, readAt: this.#clock.now() });
    this.#grants.look();
  }

  async #reread(keyIds: ReadonlySet<string | null>): Promise<void> {
    for (const id of keyIds) await (id === null ? this.#look() : this.#read(id));
  }

  #isOpening(id: string): boolean {
    const stored = this.#known.get(id)?.stored;
    return stored !== undefined && stored !== null && !this.#hasEnded(stored);
  }

  async #mustFind(id: string, asker: Access): Promise<StoredKey> {
    const stored = await this.#find(id);
    if (stored !== null && maySee(asker, stored.tenant)) return stored;
    throw new HeddleError('KEY_NOT_FOUND', `Expected an API key ${id.slice(0, 40)}, but there is none`);
  }

  #hasEnded({ expiresAt }: StoredKey): boolean {
    return expiresAt !== null && expiresAt <= this.#clock.now();
  }
}

/** The default tenant is the operator's: its keys may be given rights over the others. */
function maySee({ tenant }: Access, other: string): boolean {
  return tenant === other || tenant === defaultTenant;
}

function refuseForeign(maker: Access, tenant: string): void {
  if (maySee(maker, tenant)) return;
  throw new RequestError(403, 'TENANT_FOREIGN', `Expected a key for your own tenant, but ${tenant} is another`);
}

function refuseMore(maker: Access, scopes: readonly string[]): void {
  const missing = scopes.find((scope) => !maker.scopes.has(scope) && !maker.scopes.has(everyScope));
  if (missing === undefined) return;
  const message = `Expected scopes that you have yourself, but ${missing} is not among them`;
  throw new RequestError(403, 'SCOPE_MISSING', message);
}

/** AC6: the name of a tenant is a file's name too: small letters, digits and hyphens. */
function refuseTenant(tenant: string): void {
  if (tenantPattern.test(tenant)) return;
  const message = `Expected a tenant of 1 to 63 small letters, digits and hyphens, but found ${JSON.stringify(tenant.slice(0, 80))}`;
  throw new RequestError(422, 'TENANT_INVALID', message, { pointer: '/tenant' });
}

function storedOf(row: RecordRow): StoredKey {
  return valueOf(row) as StoredKey; // as it was written here
}

function infoOf(id: string, { name, tenant, scopes, createdAt, expiresAt }: StoredKey): KeyInfo {
  return { id, name, tenant, scopes, createdAt, expiresAt };
}

/** Every letter is as likely: what does not fit evenly is drawn again. */
function randomText(length: number, letters: string): string {
  const bound = 256 - (256 % letters.length);
  let text = '';
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      if (byte < bound && text.length < length) text += letters[byte % letters.length] ?? '';
    }
  }
  return text;
}
