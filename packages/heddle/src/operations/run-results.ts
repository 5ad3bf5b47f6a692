// Run results: how a run stands or has ended, as lists and waits answer with it.
//
// Always true: `status` tells the members of the union apart: a completed run has an output, any other that has ended, or
// was set aside, has an error.

import type { Failure } from '../base/failure.ts';
import type { Json } from '../base/json.ts';
import type { RunStatus, TerminalStatus } from '../core/views/status.ts';
import { type Activity, waitKinds } from '../core/views/wait.ts';
import { failure, status, tags } from './parts.ts';
import { anyText, choice, count, flag, json, object, optional, orNull, time } from './schema.ts';

export interface CompletedResult<Output = Json> {
  readonly runId: string;
  readonly status: 'completed';
  readonly output: Output;
  /** `RUN_QUARANTINED` if it was set aside afterwards, and undefined otherwise. */
  readonly error: Failure | undefined;
}

/** Of a run that ended in any other way. */
export interface FailedResult {
  readonly runId: string;
  readonly status: Exclude<TerminalStatus, 'completed'>;
  readonly output: undefined;
  /** Of a cancelled run: `CANCELLED`, with the reason that was given as its message. */
  readonly error: Failure;
}

/** Of a run that was set aside before it ended: it stays as it is until it is released. */
export interface QuarantinedResult {
  readonly runId: string;
  readonly status: UnfinishedStatus;
  readonly output: undefined;
  /** `RUN_QUARANTINED`, and why. */
  readonly error: Failure;
}

/** What waiting for a run answers with; `status` tells the members of the union apart. */
export type RunResult<Output = Json> = CompletedResult<Output> | FailedResult | QuarantinedResult;

/** A run that has not ended. */
export interface UnfinishedRun {
  readonly runId: string;
  readonly status: UnfinishedStatus;
  readonly output: undefined;
  readonly error: undefined;
}

type UnfinishedStatus = Exclude<RunStatus, TerminalStatus>;

export type RunSummary = (RunResult | UnfinishedRun) & {
  readonly workflow: string;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly endedAt: number | null;
  readonly parentRunId: string | null;
  readonly rootRunId: string;
  readonly tags: Readonly<Record<string, string>>;
  /** When it wakes by itself. */
  readonly nextTimerAt: number | null;
  /** Why it was set aside; null for a healthy run. */
  readonly quarantine: string | null;
  /** What it is doing: in lists that ask for it, of runs that have not ended. */
  readonly activity?: Activity;
  /** What the author of its workflow has to say of it, as of now; in lists that ask for it. */
  readonly summary?: string;
};

export const id = anyText();
const outcome = { status, output: optional(json()), error: optional(failure) };

const activity = object<Activity>(
  {
    kind: choice(waitKinds),
    text: anyText('For people, as `runs "score"`.'),
    node: orNull(anyText()),
    until: orNull(time('When it is over by itself, or given up.')),
  },
  'Activity',
  'What a run is doing, in one line; in lists that ask for it.',
);

export const runSummary = object<RunSummary>(
  {
    runId: id,
    ...outcome,
    workflow: anyText(),
    version: count(),
    createdAt: time('When it was started.'),
    updatedAt: time('When it last changed.'),
    endedAt: orNull(time('When it ended.')),
    parentRunId: orNull(id),
    rootRunId: id,
    tags,
    nextTimerAt: orNull(time('When it wakes by itself.')),
    quarantine: orNull(anyText('Why it was set aside.')),
    activity: optional(activity),
    summary: optional(
      anyText('What the author of its workflow has to say of it, as of now; in lists that ask for it.'),
    ),
  },
  'Run',
);

/** How a run stands, for whoever waits for its end. */
export type AwaitedRun = (RunResult | UnfinishedRun) & {
  /** It has ended, or was set aside: nothing more will come. */
  readonly ended: boolean;
};

const ended = flag('Whether it has ended, or was set aside: nothing more will come.');
export const awaitedRun = object<AwaitedRun>({ runId: id, ended, ...outcome }, 'RunResult');
