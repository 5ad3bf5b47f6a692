// Executor: runs the tasks that the engine hands out, in this process, with the actions that were registered here.
// The door of this room: everything else in it is reached from here.

import type { Clock, Executor, Report, Store } from '../actor/ports.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { defaultLimits, type Limits } from '../definition/limits.ts';
import type { Actions } from './action.ts';
import { makeCoreActions } from './actions/core.ts';
import type { PublishFor } from './attempt.ts';
import { type Counts, Pool } from './pool.ts';
import { type LoadAction, Registry } from './registry.ts';

export interface ExecutorOptions {
  readonly clock: Clock;
  readonly limits?: Limits;
  readonly actions?: Actions;
  /** Asked for actions that are not among `actions`, when a task first needs one. */
  readonly loadAction?: LoadAction | undefined;
  /** Where actions keep artifacts. */
  readonly store: Store;
  /** How actions publish events. */
  readonly publish?: PublishFor;
  readonly report: Report;
}

export interface LocalExecutor extends Executor {
  counts(): Counts;
  /** What one execution of an action costs, in credits. */
  costOf(action: string): number;
  /** Those that there can be; null if more may be loaded. */
  actionNames(): readonly string[] | null;
  /** Whether the task's action has been called and its result is awaited. */
  isExecuting(runId: string, tokenId: number): boolean;
}

/** Throws `InvalidActionsError` if something is wrong with the actions. */
export function createExecutor(options: ExecutorOptions): LocalExecutor {
  const { clock, limits = defaultLimits, actions = {}, loadAction, store, publish = refuseToPublish, report } = options;
  const registry = new Registry({ clock, limits, actions, builtIns: makeCoreActions(clock), loadAction });
  return new Pool({ clock, limits, registry, store, publish, report });
}

const refuseToPublish: PublishFor = ({ action }) =>
  Promise.reject(
    new HeddleError('NOT_AVAILABLE', `Expected an executor that can publish, but action ${action} has none`),
  );
