// API: what an engine in this process and a client of an engine elsewhere have in common. A program that is written
// against it does not know which of the two it has.

import type { RetryOptions, StartOptions } from '../operations/runs.ts';
import type { Artifacts } from './artifacts.ts';
import type { Callbacks } from './callbacks.ts';
import type { Credits } from './credits.ts';
import type { Engine } from './engine.ts';
import type { Introspection } from './introspection.ts';
import type { Retention } from './retention.ts';
import type { Run } from './run.ts';
import type { Secrets } from './secrets.ts';
import type { Tasks } from './tasks.ts';
import type { Triggers } from './triggers.ts';

/** What a class shows, without what it hides. */
type Shown<Class> = { readonly [Name in keyof Class]: Class[Name] };

/** A handle on one run. */
export interface RunHandle extends Omit<Shown<Run>, 'retry'> {
  /** A new run that goes on from just before this one's failure. */
  retry(options?: RetryOptions): Promise<RunHandle>;
}

/** An engine, wherever it is. */
export interface Heddle
  extends Pick<
    Shown<Engine>,
    | 'register'
    | 'publish'
    | 'runs'
    | 'runPage'
    | 'countRuns'
    | 'prompts'
    | 'reply'
    | 'promptSecret'
    | 'definitions'
    | 'definition'
    | 'events'
    | 'audit'
    | 'stats'
    | 'vacuum'
  > {
  /** What is wrong with a definition; nothing is stored. */
  validate(definition: unknown): Promise<ReturnType<Engine['validate']>> | ReturnType<Engine['validate']>;
  /** Starts a run; it is durable when this returns. */
  start(workflow: string, input?: unknown, options?: StartOptions): Promise<RunHandle>;
  /** Goes on with the runs of a snapshot. */
  restore(snapshot: unknown): Promise<RunHandle>;
  /** A handle on a run, whether it is there or not: asking it for anything tells. */
  run(runId: string): RunHandle;
  close(options?: { readonly graceMs?: number }): Promise<void>;
  readonly introspection: Shown<Introspection>;
  readonly credits: Shown<Credits>;
  readonly triggers: Shown<Triggers>;
  readonly artifacts: Shown<Artifacts>;
  readonly tasks: Shown<Tasks>;
  readonly secrets: Shown<Secrets>;
  readonly callbacks: Omit<Shown<Callbacks>, 'countPending'>;
  readonly retention: Pick<Retention, 'set' | 'list' | 'remove' | 'sweep'>;
}
