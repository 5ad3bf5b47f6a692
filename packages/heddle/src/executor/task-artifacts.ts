// Task artifacts: what an action puts and reads, as its run. One for each attempt, so it holds two words and does nothing
// until it is asked (making one costs about 20 ns).

import {
  type Artifact,
  type ArtifactData,
  everyRun,
  getArtifact,
  listArtifacts,
  putArtifact,
} from '../actor/artifacts.ts';
import type { Store, Task } from '../actor/ports.ts';
import type { ObjectReference } from '../base/object-reference.ts';
import { type Limits, taskLimitOrigin } from '../definition/limits.ts';
import type { ActionArtifacts } from './action.ts';
import type { TaskSecrets } from './task-secrets.ts';

type ArtifactTask = Pick<Task, 'runId' | 'limits' | 'artifactRuns'>;

/** Made for each attempt: what its action puts and reads. */
export type ArtifactsFor = (task: Task, secrets: TaskSecrets | null) => ActionArtifacts;

/** Where artifacts are kept, and how large they may be. */
interface ArtifactRoom {
  readonly store: Store;
  readonly limits: Limits;
  /** Reads what one of these owners has put, here or in another shard. */
  readonly readArtifact?: (reference: ObjectReference, owners: readonly string[]) => Promise<Artifact>;
}

export class TaskArtifacts implements ActionArtifacts {
  readonly #task: ArtifactTask;
  readonly #room: ArtifactRoom;
  readonly #secrets: TaskSecrets | null;

  constructor(task: ArtifactTask, room: ArtifactRoom, secrets: TaskSecrets | null = null) {
    this.#task = task;
    this.#room = room;
    this.#secrets = secrets;
  }

  put(data: ArtifactData, mimeType: string): Promise<ObjectReference> {
    const { runId, limits } = this.#task;
    const { store, limits: engine } = this.#room;
    const clean = this.#secrets?.cleanData(data) ?? data;
    return putArtifact(store, clean, {
      owner: runId,
      mimeType,
      // A workflow may take less than the engine allows.
      bytesMax: Math.min(limits.artifactBytesMax, engine.artifactBytesMax),
      limitOrigin: taskLimitOrigin('artifactBytesMax', { limits, engine }),
    });
  }

  get(reference: ObjectReference): Promise<Artifact> {
    const { store, readArtifact = (...asked) => getArtifact(store, ...asked) } = this.#room;
    return readArtifact(reference, [...this.#task.artifactRuns, everyRun]);
  }

  list(): Promise<readonly ObjectReference[]> {
    return listArtifacts(this.#room.store, this.#task.artifactRuns);
  }
}
