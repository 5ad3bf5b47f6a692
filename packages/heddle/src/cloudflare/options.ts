// Options: what a program on Cloudflare says of its engine, once for its objects and its Worker.

import type { ArtifactStore } from '../actor/ports.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { EngineOptions } from '../engine/engine.ts';
import type { GuardOptions } from '../http/guard.ts';
import type { Placement } from './place.ts';
import type { AssetsBinding, ObjectNamespace } from './platform.ts';
import type { Database } from './projection/database.ts';
import type { QueuedAction } from './task-queue.ts';

/** What is the platform's matter here: the store, the clock, and where requests are answered. */
type PlatformsOwn = 'clock' | 'readOnly';

export interface HeddleOptions<Env> {
  /** The binding of `HeddleObject`. */
  readonly objects: (env: Env) => ObjectNamespace;
  /** The operator's key: a secret of the Worker. Whoever has it may do everything, and make other keys. */
  readonly key: (env: Env) => string;
  /** Where runs are. Default: `tenant`, one object for each. */
  readonly placement?: Placement;
  /** Registered whenever the first object of a tenant wakes; what is known already is not stored again. */
  readonly definitions?: readonly object[];
  /** Actions and everything else that an engine takes, of this tenant. */
  readonly engine?: (env: Env, tenant: string) => Omit<EngineOptions, PlatformsOwn>;
  /** Actions that the consumers of a Queue do (`queueWorker`), by name: they are called while tasks wait. */
  readonly queues?: (env: Env) => Readonly<Record<string, QueuedAction>>;
  /** Where artifacts are kept, by object. Default: in the object's own storage. */
  readonly artifacts?: (env: Env, object: string) => ArtifactStore;
  /** A D1 database in which all objects write what their runs' rows say, behind their commits, for lists across objects. */
  readonly projection?: (env: Env) => Database;
  /** A secret of the Worker that stored secrets are sealed with, and snapshots. Default: each tenant has one of its own. */
  readonly secretKey?: (env: Env) => string;
  /** The web app: the folder `heddle/dist/web`, deployed as static assets with this binding. */
  readonly pages?: (env: Env) => AssetsBinding;
  /** Web pages of these origins may ask. */
  readonly origins?: readonly string[];
  /** Requests a second that one key may make, and how many at once. */
  readonly rate?: GuardOptions['rate'];
  /** What nobody foresaw. Default: `console.error`. */
  readonly onError?: (error: unknown) => void;
}

const known = {
  objects: true,
  key: true,
  placement: true,
  definitions: true,
  engine: true,
  queues: true,
  artifacts: true,
  projection: true,
  secretKey: true,
  pages: true,
  origins: true,
  rate: true,
  onError: true,
} as const satisfies Record<keyof HeddleOptions<unknown>, true>;

export const optionNames: readonly string[] = Object.keys(known);

/** To `onError` as it is; to the log of the Worker as people read it. */
export function report(options: Pick<HeddleOptions<never>, 'onError'>, error: unknown): void {
  if (options.onError) options.onError(error);
  // Every runtime of the platform has one.
  // oxlint-disable-next-line no-console
  else console.error(...toldOf(error));
}

/** What is ours says in its sentence what to do, and no more of a stack than of its cause. */
function toldOf(error: unknown): readonly unknown[] {
  if (!(error instanceof HeddleError)) return [error];
  const { code, message, hint, problems, cause } = error;
  const lines = problems.map((one) => `\n  ${one.pointer}  ${one.code}  ${one.message}${inBrackets(one.hint)}`);
  const isTold = cause instanceof Error && message.includes(cause.message);
  return [`${code}: ${message}${inBrackets(hint)}${lines.join('')}`, ...(cause === undefined || isTold ? [] : [cause])];
}

const inBrackets = (hint: string | undefined): string => (hint === undefined ? '' : ` (${hint})`);
