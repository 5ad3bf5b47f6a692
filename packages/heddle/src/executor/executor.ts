// Executor: runs the tasks that the engine hands out, in this process, with the actions that were registered here, or
// leaves them to workers outside. The door of this room: everything else in it is reached from here.

import type { TaskProgress } from '../actor/observers.ts';
import type { Clock, RememberStep, Report } from '../actor/ports.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Limits } from '../definition/limits.ts';
import type { Vault } from '../secrets/vault.ts';
import { makeCoreActions } from './actions/core.ts';
import type { PublishFor } from './attempt.ts';
import { MissingNames, type MissingNamesOptions } from './missing-names.ts';
import { nobodyOutside, type Outside } from './outside.ts';
import { Pool } from './pool.ts';
import { Registry, type RegistryOptions } from './registry.ts';
import type { ArtifactsFor } from './task-artifacts.ts';
import { TaskRouter } from './task-router.ts';

export interface ExecutorOptions {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly registry: Registry;
  /** Where actions keep artifacts. */
  readonly artifactsFor: ArtifactsFor;
  /** Where secrets are kept. */
  readonly vault?: Vault;
  /** How actions publish events. */
  readonly publish?: PublishFor;
  /** How finished steps are kept. */
  readonly remember?: RememberStep;
  readonly report: Report;
  /** Where tasks go whose actions are not here. */
  readonly outside?: Outside | null;
  readonly onProgress?: (progress: TaskProgress) => void;
  readonly onMissing?: MissingNamesOptions['onMissing'];
  readonly onFound?: MissingNamesOptions['onFound'];
}

/** Throws `InvalidActionsError` if something is wrong with the actions. */
export function createRegistry({ builtIns, ...options }: RegistryOptions): Registry {
  return new Registry({ ...options, builtIns: { ...makeCoreActions(options.clock), ...builtIns } });
}

export function createExecutor(options: ExecutorOptions): TaskRouter {
  const { clock, limits, registry, artifactsFor, vault = null, report } = options;
  const { publish = refuseToPublish, remember = refuseToRemember, onProgress = () => undefined } = options;
  const { onMissing = () => undefined, onFound = () => undefined } = options;
  const outside = options.outside ?? nobodyOutside;
  const missing = new MissingNames({ clock, registry, onMissing, onFound });
  const around = { clock, limits, artifactsFor, vault, publish, remember };
  const handOn: Outside['dispatch'] = (task) => outside.dispatch(task);
  const pool = new Pool({ ...around, registry, missing, report, handOn, onProgress });
  const close = (graceMs: number): Promise<void> => {
    registry.close();
    return pool.close(graceMs);
  };
  return new TaskRouter({ registry, missing, pool, outside, close });
}

export const refuseToRemember: RememberStep = ({ action }) =>
  Promise.reject(
    new HeddleError('NOT_AVAILABLE', `Expected an executor that remembers steps, but action ${action} has none`),
  );

export const refuseToPublish: PublishFor = ({ action }) =>
  Promise.reject(
    new HeddleError('NOT_AVAILABLE', `Expected an executor that can publish, but action ${action} has none`),
  );
