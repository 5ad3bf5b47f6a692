// Remote outside: secrets, callbacks and retention of an engine elsewhere, each as the engine's own.

import type { NewCallback } from '../outbound/callbacks/check-callback.ts';
import type { DeliveryQuery } from '../sdk/callbacks.ts';
import type { RetentionRule } from '../sdk/retention.ts';
import type { SetSecretOptions } from '../secrets/secret.ts';
import { everyItem } from './pages.ts';
import type { Shown } from './remote-parts.ts';
import type { Transport } from './transport.ts';

export class RemoteSecrets implements Shown<'secrets'> {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  set(name: string, value: string, { hosts }: SetSecretOptions = {}) {
    const body = { value, ...(hosts === undefined ? {} : { hosts: [...hosts] }) };
    return this.#transport.call('setSecret', { params: { name }, body });
  }

  list() {
    return everyItem((query) => this.#transport.call('listSecrets', { query }));
  }

  async remove(name: string): Promise<boolean> {
    return (await this.#transport.call('removeSecret', { params: { name } })).removed;
  }
}

export class RemoteCallbacks implements Shown<'callbacks'> {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  create(callback: NewCallback) {
    return this.#transport.call('createCallback', { body: callback });
  }

  list() {
    return everyItem((query) => this.#transport.call('listCallbacks', { query }));
  }

  get(id: string) {
    return this.#transport.call('getCallback', { params: { id } });
  }

  async remove(id: string): Promise<boolean> {
    return (await this.#transport.call('removeCallback', { params: { id } })).removed;
  }

  enable(id: string) {
    return this.#transport.call('enableCallback', { params: { id } });
  }

  disable(id: string) {
    return this.#transport.call('disableCallback', { params: { id } });
  }

  async deliveries(query: DeliveryQuery = {}) {
    return (await this.#transport.call('listDeliveries', { query })).items;
  }

  resend(id: string) {
    return this.#transport.call('resendDelivery', { params: { id } });
  }
}

export class RemoteRetention implements Shown<'retention'> {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  set(workflow: string, rule: RetentionRule) {
    return this.#transport.call('setRetention', { params: { workflow }, body: rule });
  }

  list() {
    return everyItem((query) => this.#transport.call('listRetention', { query }));
  }

  async remove(workflow: string): Promise<boolean> {
    return (await this.#transport.call('removeRetention', { params: { workflow } })).removed;
  }

  sweep() {
    return this.#transport.call('sweep', {});
  }
}
