// Task link: what belongs to a leased task and its run, reached over HTTP: finished steps, artifacts, events in its name.

import type { Artifact, ArtifactData } from '../actor/artifacts.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { ObjectReference } from '../base/object-reference.ts';
import type { RememberedStep } from '../core/events.ts';
import type { ActionArtifacts, Publish } from '../executor/action.ts';
import { ActionError } from '../executor/action-error.ts';
import { bytesOf } from './remote-parts.ts';
import { sentJson } from './sent-json.ts';
import type { Transport } from './transport.ts';

export class TaskLink implements ActionArtifacts {
  readonly #transport: Transport;
  readonly #lease: string;

  constructor(transport: Transport, lease: string) {
    this.#transport = transport;
    this.#lease = lease;
  }

  put(data: ArtifactData, mimeType: string): Promise<ObjectReference> {
    const options = { bytes: bytesOf(data), headers: { 'content-type': mimeType } };
    return this.#transport.call('putTaskArtifact', { lease: this.#lease }, options);
  }

  get({ id, mimeType }: ObjectReference): Promise<Artifact> {
    return this.#transport.call('getTaskArtifact', { lease: this.#lease, id, mimeType });
  }

  async list(): Promise<readonly ObjectReference[]> {
    return (await this.#transport.call('listTaskArtifacts', { lease: this.#lease })).items;
  }

  async remember(step: RememberedStep): Promise<void> {
    try {
      await this.#transport.call('recordStep', { lease: this.#lease, ...step });
    } catch (error) {
      const isTooMuch = error instanceof HeddleError && error.code === 'LIMIT_EXCEEDED';
      // It would be too much in the next attempt, too.
      throw isTooMuch ? new ActionError(error.message, { code: error.code, retryable: false, cause: error }) : error;
    }
  }

  readonly publish: Publish = async (name, payload = {}, options = {}) => {
    const json = sentJson(payload, 'payload');
    return this.#transport.call('publishFromTask', { ...options, lease: this.#lease, name, payload: json });
  };
}
