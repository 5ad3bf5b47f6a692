// Executor: runs the tasks that the engine hands out, in this process, with the actions that were registered here.
// The door of this room: everything else in it is reached from here.

import type { Progress, TaskProgress } from '../actor/observers.ts';
import type { Clock, Executor, RememberStep, Report } from '../actor/ports.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { ActionSchemas } from '../definition/flow/known-schemas.ts';
import { defaultLimits, type Limits } from '../definition/limits.ts';
import type { Vault } from '../secrets/vault.ts';
import type { Action, Actions } from './action.ts';
import { makeCoreActions } from './actions/core.ts';
import type { PublishFor } from './attempt.ts';
import type { LocalAction } from './compile-action.ts';
import type { Outside } from './outside.ts';
import { type Counts, Pool, type PoolOptions } from './pool.ts';
import { type LoadAction, type MissingActions, Registry } from './registry.ts';
import type { ArtifactsFor } from './task-artifacts.ts';

export interface ExecutorOptions {
  readonly clock: Clock;
  readonly limits?: Limits;
  readonly actions?: Actions;
  /** Asked for actions that are not among `actions`, when a task first needs one. */
  readonly loadAction?: LoadAction | undefined;
  /** Where actions keep artifacts. */
  readonly artifactsFor: ArtifactsFor;
  /** Built in, besides `core.…`; an action of the user's takes the place of one by its name. */
  readonly builtIns?: Readonly<Record<string, Action>>;
  /** Where secrets are kept. */
  readonly vault?: Vault | null;
  /** How actions publish events. */
  readonly publish?: PublishFor;
  /** How finished steps are kept. */
  readonly remember?: RememberStep;
  readonly report: Report;
  /** Where tasks go whose actions are not here. */
  readonly outside?: Outside | null;
  readonly onProgress?: (progress: TaskProgress) => void;
  /** Default: `fail`. */
  readonly missingActions?: MissingActions;
  readonly onMissing?: PoolOptions['onMissing'];
  readonly onFound?: PoolOptions['onFound'];
}

export interface LocalExecutor extends Executor {
  counts(): Counts;
  /** What one execution of an action costs, in credits. */
  costOf(action: string): number;
  /** What is known of what an action takes and gives, here or outside. */
  schemasOf: ActionSchemas;
  /** Those that there can be; null if more may be loaded. */
  actionNames(): readonly string[] | null;
  /** Whether the task's action has been called and its result is awaited. */
  isExecuting(runId: string, tokenId: number): boolean;
  /** What the task has told last of how far it is. */
  progressOf(runId: string, tokenId: number): Progress | null;
  /** Somebody outside has these actions now. */
  found(names: readonly string[]): void;
  /** The actions that are in this process, by name. */
  localActions(): ReadonlyMap<string, LocalAction>;
}

/** Throws `InvalidActionsError` if something is wrong with the actions. */
export function createExecutor(options: ExecutorOptions): LocalExecutor {
  const {
    clock,
    limits = defaultLimits,
    actions = {},
    loadAction,
    artifactsFor,
    publish = refuseToPublish,
    remember = refuseToRemember,
    report,
  } = options;
  const { outside = null, onProgress = () => undefined, missingActions = 'fail', onMissing, onFound } = options;
  const builtIns = { ...makeCoreActions(clock), ...options.builtIns };
  const registry = new Registry({ clock, limits, actions, builtIns, loadAction, outside, missingActions });
  return new Pool({
    clock,
    limits,
    registry,
    artifactsFor,
    publish,
    remember,
    report,
    outside,
    onProgress,
    vault: options.vault ?? null,
    missingActions,
    ...(onMissing ? { onMissing } : {}),
    ...(onFound ? { onFound } : {}),
  });
}

const refuseToRemember: RememberStep = ({ action }) =>
  Promise.reject(
    new HeddleError('NOT_AVAILABLE', `Expected an executor that remembers steps, but action ${action} has none`),
  );

const refuseToPublish: PublishFor = ({ action }) =>
  Promise.reject(
    new HeddleError('NOT_AVAILABLE', `Expected an executor that can publish, but action ${action} has none`),
  );
