// Task link: what belongs to a leased task and its run, reached over HTTP: finished steps, artifacts, events in its name.

import type { Artifact, ArtifactData } from '../actor/artifacts.ts';
import type { Published } from '../actor/publication.ts';
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
    const headers = { 'content-type': mimeType };
    return this.#transport.call('putTaskArtifact', { params: { lease: this.#lease }, body: bytesOf(data), headers });
  }

  get({ id, mimeType }: ObjectReference): Promise<Artifact> {
    return this.#transport.call('getTaskArtifact', { params: { lease: this.#lease, id }, query: { mimeType } });
  }

  async list(): Promise<readonly ObjectReference[]> {
    return (await this.#transport.call('listTaskArtifacts', { params: { lease: this.#lease } })).items;
  }

  async remember({ step, result }: RememberedStep): Promise<void> {
    const body = { lease: this.#lease, step, ...(result === undefined ? {} : { result }) };
    try {
      await this.#transport.call('recordStep', { body });
    } catch (error) {
      const isTooMuch = error instanceof HeddleError && error.code === 'LIMIT_EXCEEDED';
      // It would be too much in the next attempt, too.
      throw isTooMuch ? new ActionError(error.message, { code: error.code, retryable: false, cause: error }) : error;
    }
  }

  readonly publish: Publish = async (name, payload = {}, options = {}) => {
    const body = { ...options, lease: this.#lease, name, payload: sentJson(payload, 'payload') };
    const published = await this.#transport.call('publishFromTask', { body, mayRepeat: options.id !== undefined });
    return published as unknown as Published; // as the engine answered
  };
}
