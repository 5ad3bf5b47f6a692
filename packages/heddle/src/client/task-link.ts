// Task link: what belongs to the run of a leased task, reached over HTTP: its artifacts, and events in its name.

import type { Artifact, ArtifactData } from '../actor/artifacts.ts';
import type { Published } from '../actor/publication.ts';
import type { ObjectReference } from '../base/object-reference.ts';
import type { ActionArtifacts, Publish } from '../executor/action.ts';
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

  readonly publish: Publish = async (name, payload = {}, options = {}) => {
    const body = { ...options, lease: this.#lease, name, payload: sentJson(payload, 'payload') };
    const published = await this.#transport.call('publishFromTask', { body, mayRepeat: options.id !== undefined });
    return published as unknown as Published; // as the engine answered
  };
}
