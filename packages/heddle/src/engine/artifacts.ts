// Artifacts of an engine: for the program that it is embedded in, which may read what every run has put.

import {
  type Artifact,
  type ArtifactData,
  everyRun,
  getAnyArtifact,
  pageArtifacts,
  putArtifact,
} from '../actor/artifacts.ts';
import { readOnlyError } from '../actor/refusals.ts';
import type { ObjectReference } from '../base/object-reference.ts';
import { limitOrigin } from '../definition/limits.ts';
import { checkOptions, refuseTexts } from './check-options.ts';
import type { Host } from './host.ts';
import type { NamePage } from './tasks.ts';

export class Artifacts {
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  /** Durable when it answers. The reference may go into any input: every run may read it. */
  async put(data: ArtifactData, mimeType: string): Promise<ObjectReference> {
    const { store, limits, readOnly } = this.#host;
    if (readOnly) throw readOnlyError();
    return putArtifact(store, data, {
      owners: () => [everyRun],
      mimeType,
      bytesMax: limits.artifactBytesMax,
      limitOrigin: limitOrigin('artifactBytesMax', { limits }),
    });
  }

  get(reference: ObjectReference): Promise<Artifact> {
    return getAnyArtifact(this.#host.store, reference);
  }

  /** What a run has put; without one, what was put here. All of it by id, or a page. */
  async list(runId: string = everyRun, page: NamePage = {}): Promise<readonly ObjectReference[]> {
    refuseTexts([['the id of a run', runId]]);
    checkOptions('list', page, { after: 'text', limit: 'whole' });
    return pageArtifacts(this.#host.store, runId, page);
  }
}
