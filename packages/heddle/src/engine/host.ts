// Host: the parts of an engine that its handles reach for.

import type { Artifact } from '../actor/artifacts.ts';
import type { Definitions } from '../actor/definitions.ts';
import type { Inbox } from '../actor/inbox.ts';
import type { Observers, Progress } from '../actor/observers.ts';
import type { Clock, Store } from '../actor/ports.ts';
import type { Runner } from '../actor/runner.ts';
import type { Turns } from '../actor/turns.ts';
import type { ObjectReference } from '../base/object-reference.ts';
import type { Limits } from '../definition/limits.ts';

/** What starting a run takes. */
export interface StartHost {
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly definitions: Definitions;
  readonly inbox: Inbox;
  readonly newRunId: () => string;
}

export interface Host extends StartHost {
  readonly observers: Observers;
  readonly runner: Runner;
  readonly readOnly: boolean;
  /** What must be done one after the other, by a name: a retry with a key, a release, a deletion, a backup. */
  readonly turns: Turns;
  /** What one of these owners has put, here or in another shard. */
  readArtifact(reference: ObjectReference, owners: readonly string[]): Promise<Artifact>;
  isExecuting(runId: string, tokenId: number): boolean;
  /** What a task that is under way has told last of how far it is. */
  progressOf(runId: string, tokenId: number): Progress | null;
}
