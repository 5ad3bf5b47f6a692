// Secrets: what whoever runs the engine does with secrets: set, list, remove. Nobody reads a value here.

import { closedError, readOnlyError } from '../actor/refusals.ts';
import type { SecretInfo, SetSecretOptions } from '../secrets/secret.ts';
import type { Vault } from '../secrets/vault.ts';
import { checkOptions } from './check-options.ts';
import type { Host } from './host.ts';

export class Secrets {
  readonly #host: Host;
  readonly #vault: Vault;

  constructor(host: Host, vault: Vault) {
    this.#host = host;
    this.#vault = vault;
  }

  /** Stores a value, encrypted, or a new one in its place. Durable when this returns. */
  async set(name: string, value: string, options: SetSecretOptions = {}): Promise<SecretInfo> {
    this.#refuseChange();
    checkOptions('set', options, { hosts: 'members' });
    return this.#vault.set(name, value, options);
  }

  /** By name, without the values. */
  list(): Promise<readonly SecretInfo[]> {
    return this.#vault.list();
  }

  /** Whether there was one. */
  async remove(name: string): Promise<boolean> {
    this.#refuseChange();
    return this.#vault.remove(name);
  }

  #refuseChange(): void {
    if (this.#host.readOnly) throw readOnlyError();
    if (this.#host.runner.isClosed) throw closedError();
  }
}
