// Host: the parts of an engine that its handles reach for.

import type { Definitions } from '../actor/definitions.ts';
import type { Observers, Progress } from '../actor/observers.ts';
import type { Clock, Store } from '../actor/ports.ts';
import type { Runner } from '../actor/runner.ts';
import type { Limits } from '../definition/limits.ts';

export interface Host {
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly definitions: Definitions;
  readonly observers: Observers;
  readonly runner: Runner;
  readonly readOnly: boolean;
  readonly newRunId: () => string;
  isExecuting(runId: string, tokenId: number): boolean;
  /** What a task that is under way has told last of how far it is. */
  progressOf(runId: string, tokenId: number): Progress | null;
}
