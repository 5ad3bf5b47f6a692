// Vault: the secrets in the store. Rules SK2–SK5.
//
// Always true: a value lies in the store encrypted, and leaves this room only through `reveal`, for a host that it is
// bound to, or `revealForSigning`, which is for this process alone.

import { readAllRecords } from '../actor/all-records.ts';
import type { RecordRow, Store } from '../actor/ports.ts';
import { valueOf } from '../actor/record-value.ts';
import { sideCommit } from '../actor/side-writer.ts';
import { Turns } from '../actor/turns.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Limits } from '../definition/limits.ts';
import { type CipherKey, makeCipherKey, type Sealed, seal, unseal } from './cipher.ts';
import { checkSecret, matchesHost, refuseSecretName, type SecretInfo, type SetSecretOptions } from './secret.ts';

interface StoredSecret extends SecretInfo {
  readonly sealed: Sealed;
}

const kind = 'secret';

export interface VaultOptions {
  readonly store: Store;
  readonly limits: Limits;
  readonly now: () => number;
}

export class Vault {
  readonly #options: VaultOptions;
  readonly #turns = new Turns();
  #key: Promise<CipherKey> | null = null;

  constructor(options: VaultOptions) {
    this.#options = options;
  }

  /** SK2: a value is stored encrypted, bound to its name and hosts; setting it again makes the next version of it. */
  async set(name: string, value: string, { hosts = [] }: SetSecretOptions = {}): Promise<SecretInfo> {
    checkSecret(name, value, hosts);
    return this.#turns.take('', async () => {
      const { store, now } = this.#options;
      const known = await store.readRecord(kind, name);
      if (known === null) await this.#refuseMore();
      const before = known === null || known.value === '' ? null : (valueOf(known) as StoredSecret); // as below
      const at = now();
      const { version, createdAt } = before ?? { version: 0, createdAt: at };
      const secret = { name, hosts: [...hosts], version: version + 1, createdAt, updatedAt: at };
      const sealed = await seal(await this.#cipherKey(), value, boundTo(secret));
      const stored: StoredSecret = { ...secret, sealed };
      const record = { kind, key: name, value: JSON.stringify(stored), dueAt: null };
      await store.commit(sideCommit({ records: [record] }));
      return secret;
    });
  }

  /** By name. */
  async list(): Promise<readonly SecretInfo[]> {
    const rows = await readAllRecords(this.#options.store, kind);
    return rows.map((row) => makeInfo(valueOf(row) as StoredSecret)); // as `set` wrote it
  }

  /** Whether there was one. */
  async remove(name: string): Promise<boolean> {
    refuseSecretName(name);
    return this.#turns.take('', async () => {
      const { store } = this.#options;
      if ((await store.readRecord(kind, name)) === null) return false;
      await store.commit(sideCommit({ records: [{ kind, key: name, value: null, dueAt: null }] }));
      return true;
    });
  }

  /** SK3: a secret is given out for a host that it is bound to, and for no other. */
  async reveal(name: string, host: string | undefined): Promise<string> {
    if (typeof host !== 'string')
      throw new SecretError('SECRET_HOST_REFUSED', `Expected the host that secret ${name} is sent to, but found none`);
    const secret = await this.#mustRead(name);
    if (secret.hosts.some((one) => matchesHost(host.toLowerCase(), one))) return this.#open(secret);
    const message = `Expected secret ${name} to be sent to a host that it is bound to, but ${JSON.stringify(host.slice(0, 255))} is none of them`;
    throw new SecretError('SECRET_HOST_REFUSED', message);
  }

  /** For making and checking signatures in this process; it is sent nowhere. */
  async revealForSigning(name: string): Promise<string> {
    return this.#open(await this.#mustRead(name));
  }

  async #mustRead(name: string): Promise<StoredSecret> {
    refuseSecretName(name);
    const row: RecordRow | null = await this.#options.store.readRecord(kind, name);
    if (row !== null) return valueOf(row) as StoredSecret; // as `set` wrote it
    throw new SecretError('SECRET_NOT_FOUND', `Expected a secret ${name}, but there is none; set it first`);
  }

  /** SK4: a secret that does not open with the store's key, or whose name or hosts were altered, is refused. */
  async #open(secret: StoredSecret): Promise<string> {
    const value = await unseal(await this.#cipherKey(), secret.sealed, boundTo(secret));
    if (value !== null) return value;
    const message = `Expected secret ${secret.name} to open with the key of this store, but it does not: the key file is another one, or the secret was altered. Put the old key back, or set the secret again.`;
    throw new SecretError('SECRET_UNREADABLE', message);
  }

  async #refuseMore(): Promise<void> {
    const { store, limits } = this.#options;
    const { secretsMax } = limits;
    const rows = await store.listRecords(kind, { limit: secretsMax });
    if (rows.length < secretsMax) return;
    const message = `Expected at most ${secretsMax} secrets (limit secretsMax), but there are as many`;
    throw new HeddleError('LIMIT_EXCEEDED', message, { limit: 'secretsMax' });
  }

  #cipherKey(): Promise<CipherKey> {
    this.#key ??= Promise.resolve(this.#options.store.secretKey()).then(makeCipherKey);
    return this.#key;
  }
}

/** Another attempt of an action would fail in the same way. */
class SecretError extends HeddleError {
  override name = 'SecretError';
  readonly retryable = false;
}

const boundTo = ({ name, hosts, version, createdAt, updatedAt }: SecretInfo): string =>
  JSON.stringify([name, hosts, version, createdAt, updatedAt]);

const makeInfo = ({ name, hosts, version, createdAt, updatedAt }: StoredSecret): SecretInfo => ({
  name,
  hosts,
  version,
  createdAt,
  updatedAt,
});
