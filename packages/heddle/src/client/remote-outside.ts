// Remote outside: secrets, callbacks and retention of an engine elsewhere, each as the engine's own.

import type { DeliveryQuery } from '../operations/callbacks.ts';
import type { RetentionRule } from '../operations/retention.ts';
import type { NewCallback } from '../outbound/callbacks/check-callback.ts';
import type { SetSecretOptions } from '../secrets/secret.ts';
import { everyItem } from './pages.ts';
import type { Shown } from './remote-parts.ts';
import type { Transport } from './transport.ts';

export class RemoteSecrets implements Shown<'secrets'> {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  set(name: string, value: string, options: SetSecretOptions = {}) {
    return this.#transport.call('setSecret', { ...options, name, value });
  }

  list() {
    return everyItem((page) => this.#transport.call('listSecrets', page));
  }

  async remove(name: string): Promise<boolean> {
    return (await this.#transport.call('removeSecret', { name })).removed;
  }
}

export class RemoteCallbacks implements Shown<'callbacks'> {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  create(callback: NewCallback) {
    return this.#transport.call('createCallback', callback);
  }

  list() {
    return everyItem((page) => this.#transport.call('listCallbacks', page));
  }

  get(id: string) {
    return this.#transport.call('getCallback', { id });
  }

  async remove(id: string): Promise<boolean> {
    return (await this.#transport.call('removeCallback', { id })).removed;
  }

  enable(id: string) {
    return this.#transport.call('enableCallback', { id });
  }

  disable(id: string) {
    return this.#transport.call('disableCallback', { id });
  }

  async deliveries(query: DeliveryQuery = {}) {
    return (await this.#transport.call('listDeliveries', query)).items;
  }

  resend(id: string) {
    return this.#transport.call('resendDelivery', { id });
  }
}

export class RemoteRetention implements Shown<'retention'> {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  set(workflow: string, rule: RetentionRule) {
    return this.#transport.call('setRetention', { ...rule, workflow });
  }

  list() {
    return everyItem((page) => this.#transport.call('listRetention', page));
  }

  async remove(workflow: string): Promise<boolean> {
    return (await this.#transport.call('removeRetention', { workflow })).removed;
  }

  sweep() {
    return this.#transport.call('sweep', {});
  }
}
