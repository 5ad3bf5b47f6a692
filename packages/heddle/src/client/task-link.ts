// Task link: what belongs to a leased task and its run, reached over HTTP: finished steps, artifacts, events in its name.

import type { Artifact, ArtifactData } from '../actor/artifacts.ts';
import { Tasks } from '../api/tasks.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { ObjectReference } from '../base/object-reference.ts';
import type { RememberedStep } from '../core/events.ts';
import type { ActionArtifacts, Publish } from '../executor/action.ts';
import { ActionError } from '../executor/action-error.ts';
import type { Carrier } from '../operations/carrier.ts';

export class TaskLink implements ActionArtifacts {
  readonly #tasks: Tasks;
  readonly #lease: string;

  constructor(carrier: Carrier, lease: string) {
    this.#tasks = new Tasks(carrier);
    this.#lease = lease;
  }

  put(data: ArtifactData, mimeType: string): Promise<ObjectReference> {
    return this.#tasks.putArtifact(this.#lease, data, mimeType);
  }

  get(reference: ObjectReference): Promise<Artifact> {
    return this.#tasks.getArtifact(this.#lease, reference);
  }

  list(): Promise<readonly ObjectReference[]> {
    return this.#tasks.listArtifacts(this.#lease);
  }

  async remember({ step, result }: RememberedStep): Promise<void> {
    try {
      await this.#tasks.recordStep(this.#lease, step, result);
    } catch (error) {
      const isTooMuch = error instanceof HeddleError && error.code === 'LIMIT_EXCEEDED';
      // It would be too much in the next attempt, too.
      throw isTooMuch ? new ActionError(error.message, { code: error.code, retryable: false, cause: error }) : error;
    }
  }

  readonly publish: Publish = (...event) => this.#tasks.publish(this.#lease, ...event);
}
