// Operations on runs: start, find, wait for, control. The types are those of the engine's own methods.

import type { Json } from '../base/json.ts';
import type { Reply } from '../core/commands.ts';
import type { RunStatus } from '../core/views/status.ts';
import { answer, nothing, operation } from './operation.ts';
import { type OneRun, oneRun, type Page, type Paging, page, paging, reply, runId, status, tags } from './parts.ts';
import { type AwaitedRun, awaitedRun, id, type RunSummary, runSummary } from './run-results.ts';
import {
  anyText,
  choice,
  count,
  flag,
  json,
  list,
  map,
  object,
  optional,
  orNull,
  text,
  time,
  whole,
} from './schema.ts';

// ----------------------------------------------------------------------------------------------------------- start

export interface StartOptions {
  /** The latest if absent. */
  readonly version?: number;
  /** Starting again with the same key gives the same run. */
  readonly idempotencyKey?: string;
  /**
   * With a key whose run has failed, timed out or run out of credits: answer with that run (default), retry it, or start
   * anew. Whoever asks with the key afterwards gets the newest run.
   */
  readonly ifFailed?: IfFailed;
  readonly tags?: Readonly<Record<string, string>>;
  /** Whose credits pay for it and for its sub-runs; without one nothing is charged. */
  readonly organization?: string;
  /** Keep its trace events, for `run.trace()`, and tell them to `onTrace`; of its sub-runs too. */
  readonly trace?: boolean;
  /** The run is there at once, and begins so many milliseconds later, or then (since 1970); not both. */
  readonly delayMs?: number;
  readonly startAt?: number;
}

export type IfFailed = (typeof ifFailedChoices)[number];
export const ifFailedChoices = ['return', 'retry', 'restart'] as const;

/** Of a list of runs, where nobody says how many; and the most that one request may ask for. */
export const runsPerPageDefault = 50;
export const runsPerPageMax = 1_000;

export interface StartRequest extends StartOptions {
  readonly workflow: string;
  readonly input?: Json;
  /** Wait for the end, at most so long. */
  readonly waitMs?: number;
}

export interface StartedRun {
  readonly runId: string;
  /** As it stood when the wait was over. */
  readonly result?: AwaitedRun;
}

const waitMs = whole('Wait for the end, at most so long.', { min: 0, max: 60_000 });
const startedRun = object<StartedRun>({ runId: id, result: optional(awaitedRun) }, 'StartedRun');

/** One of several: nobody waits for its end. */
export type StartItem = Omit<StartRequest, 'waitMs'>;

/** The most runs that one request may start. */
const startsMax = 1_000;

export type StartAnswer =
  | { readonly ok: true; readonly runId: string }
  /** Nothing was started. */
  | { readonly ok: false; readonly code: string; readonly message: string };

const startItem = {
  workflow: text('The workflow.'),
  version: optional(whole('The latest if absent.')),
  input: optional(json()),
  idempotencyKey: optional(text('The same key gives the same run.')),
  ifFailed: optional(
    choice(ifFailedChoices, 'With the key of a failed run: answer with it (default), retry it, or start anew.'),
  ),
  tags: optional(tags),
  organization: optional(text('Whose credits pay for it.')),
  trace: optional(flag('Keep how decisions about it come about, for `/v1/runs/{runId}/trace`.')),
  delayMs: optional(whole('Begin so much later.', { min: 0, max: 'timeoutMsMax' })),
  startAt: optional(time('Begin then.')),
};

const startRequest = object<StartRequest>({ ...startItem, waitMs: optional(waitMs) }, 'StartRun');

export interface SeveralStarts {
  readonly runs: readonly StartItem[];
}

export interface SeveralStarted {
  readonly runs: readonly StartAnswer[];
}

const startAnswer = object<StartAnswer>(
  {
    ok: flag('False: nothing was started.'),
    runId: optional(anyText()),
    code: optional(anyText('Why not.')),
    message: optional(anyText()),
  },
  'StartAnswer',
);

export interface RetryOptions {
  /** Keep the idempotency keys of the failed run: for work that must not be repeated where it had succeeded. */
  readonly keepKeys?: boolean;
  /** Retrying again with the same key gives the same run. */
  readonly idempotencyKey?: string;
  /** Where it goes on: just before the failure, which is all there is. */
  readonly from?: 'failure';
}

// ----------------------------------------------------------------------------------------------------------- lists

/** All that is given must hold. */
export interface RunFilter {
  readonly workflow?: string;
  readonly statuses?: readonly RunStatus[];
  /** Every one must match. */
  readonly tags?: Readonly<Record<string, string>>;
  readonly parentRunId?: string;
  readonly rootRunId?: string;
  /** The beginning of an id (8 characters or more) or of a workflow, or the value of a tag. */
  readonly search?: string;
  /** Started then or later; before that. */
  readonly createdAfter?: number;
  readonly createdBefore?: number;
  /** True: those that were set aside; false: the others. */
  readonly quarantined?: boolean;
  /** True: sub-runs too. They are also listed by `parentRunId` and `rootRunId`. */
  readonly subRuns?: boolean;
}

/** A list of runs, a page at a time. */
export interface RunListRequest extends RunFilter, Paging {
  /** True: say what each of the first 50 that have not ended is doing, and what the authors of the first 50 say of them. */
  readonly activity?: boolean;
}

const runFilter = {
  // OP4: a filter by a status that does not exist finds nothing by mistake, so it is refused.
  statuses: optional(list(status, 'Only runs with one of these.', 10)),
  workflow: optional(text('Only runs of this workflow.')),
  tags: optional(map(text('A mark.'), 'Only runs with these tags.')),
  parentRunId: optional(text('Only sub-runs of this run.')),
  rootRunId: optional(text('Only sub-runs of this run, at any depth.')),
  search: optional(
    text('Only runs whose id (8 characters or more) or workflow begins with this, or with this value of a tag.'),
  ),
  createdAfter: optional(time('Only runs started then or later.')),
  createdBefore: optional(time('Only runs started before that.')),
  quarantined: optional(flag('Only runs that were set aside.')),
  subRuns: optional(flag('Sub-runs too; they also come with `parentRunId` and `rootRunId`.')),
};

export interface RunCountOptions {
  readonly workflow?: string;
  /** True: sub-runs are counted too. */
  readonly subRuns?: boolean;
}

export interface RunCountView {
  /** By status; of none more than 10,000 are counted. */
  readonly byStatus: Readonly<Record<string, number>>;
  readonly quarantined: number;
  /** Statuses (and `quarantined`) of which there are more than were counted. */
  readonly more: readonly string[];
}

export interface BulkRequest extends RunFilter, Paging {
  /** Every run there is: needed where no filter is given. */
  readonly all?: boolean;
  /** Say what would be done, and do nothing. */
  readonly preview?: boolean;
}

export interface BulkAnswer extends Page<BulkItem> {}

export interface BulkItem {
  readonly runId: string;
  /** With `preview`: whether it would be. */
  readonly applied: boolean;
  /** The new run, for a retry; with `preview`, of one that was made before. */
  readonly retriedAs?: string;
  /** Why it was refused. */
  readonly code?: string;
  readonly message?: string;
}

const bulk = {
  ...runFilter,
  all: optional(flag('Every run there is: needed where no filter is given.')),
  preview: optional(flag('Say what would be done, and do nothing.')),
  ...paging,
};

const bulkAnswer = object<BulkAnswer>(
  {
    items: list(
      object<BulkItem>({
        runId: id,
        applied: flag('With `preview`: whether it would be.'),
        retriedAs: optional(anyText('The new run, for a retry.')),
        code: optional(anyText('Why it was refused.')),
        message: optional(anyText()),
      }),
    ),
    next: orNull(anyText('For `after`, if there are more: ask again until it is null.')),
  },
  'BulkAnswer',
);

// ------------------------------------------------------------------------------------------------------ operations

const tag = 'Runs';

export const runOperations = {
  startRun: operation<StartRequest, StartedRun>({
    tag,
    summary: 'Start a run',
    description:
      'Durable when it is answered. Starting again with the same `idempotencyKey` gives the same run: whoever lost the answer asks again.',
    where: 'key',
    changes: true,
    scope: 'run:start',
    repeatable: 'idempotencyKey',
    takes: startRequest,
    answers: answer(startedRun),
  }),
  startRuns: operation<SeveralStarts, SeveralStarted>({
    tag,
    summary: 'Start several runs',
    description:
      'As many single starts, in one request: each is answered by itself, in its place, and those that could be started are durable when it is answered. Give each an `idempotencyKey`, and whoever lost the answer asks again.',
    where: 'key',
    changes: true,
    scope: 'run:start',
    takes: object<SeveralStarts>({
      runs: list(object<StartItem>(startItem, 'StartItem'), 'What to start.', startsMax, 1),
    }),
    answers: answer(object<SeveralStarted>({ runs: list(startAnswer) })),
  }),
  listRuns: operation<RunListRequest, Page<RunSummary>>({
    tag,
    summary: 'List runs, newest first',
    where: 'every',
    scope: 'run:read',
    repeatable: true,
    takes: object<RunListRequest>({
      ...runFilter,
      activity: optional(
        flag('Say what each of the first 50 that have not ended is doing, and the summaries of the first 50.'),
      ),
      ...paging,
    }),
    answers: answer(page(runSummary)),
  }),
  countRuns: operation<RunCountOptions, RunCountView>({
    tag,
    summary: 'How many runs there are of each status, each counted up to 10,000',
    where: 'every',
    scope: 'run:read',
    repeatable: true,
    takes: object<RunCountOptions>({ workflow: runFilter.workflow, subRuns: runFilter.subRuns }),
    answers: answer(
      object<RunCountView>(
        {
          byStatus: map(count()),
          quarantined: count(),
          more: list(anyText(), 'Those of which there are more than were counted.'),
        },
        'RunCounts',
      ),
    ),
  }),
  getRun: operation<OneRun, RunSummary>({
    tag,
    summary: 'Show a run',
    where: 'run',
    scope: 'run:read',
    repeatable: true,
    takes: oneRun,
    answers: answer(runSummary),
  }),
  waitForRun: operation<OneRun & { readonly waitMs?: number }, AwaitedRun>({
    tag,
    summary: 'Wait for the result of a run',
    description: 'Answers when the run has ended, or as it stands when the time is up.',
    where: 'run',
    scope: 'run:read',
    ofOwner: true,
    repeatable: true,
    takes: object<OneRun & { readonly waitMs?: number }>({ runId, waitMs: optional(waitMs) }),
    answers: answer(awaitedRun),
  }),
  cancelRun: operation<OneRun & { readonly reason?: string }, Reply>({
    tag,
    summary: 'Cancel a run and its sub-runs',
    where: 'run',
    changes: true,
    scope: 'run:control',
    repeatable: true,
    takes: object<OneRun & { readonly reason?: string }>({ runId, reason: optional(text('Why.')) }),
    answers: answer(reply),
  }),
  pauseRun: operation<OneRun, Reply>({
    tag,
    summary: 'Hand out nothing more of a run until it is resumed',
    where: 'run',
    changes: true,
    scope: 'run:control',
    repeatable: true,
    takes: oneRun,
    answers: answer(reply),
  }),
  resumeRun: operation<OneRun, Reply>({
    tag,
    summary: 'Let a paused run go on',
    where: 'run',
    changes: true,
    scope: 'run:control',
    repeatable: true,
    takes: oneRun,
    answers: answer(reply),
  }),
  retryRun: operation<OneRun & RetryOptions, StartedRun>({
    tag,
    summary: 'Start a new run that goes on from just before the failure of this one',
    where: 'run',
    changes: true,
    scope: 'run:retry',
    repeatable: 'idempotencyKey',
    takes: object<OneRun & RetryOptions>({
      runId,
      keepKeys: optional(flag('Keep the idempotency keys of its tasks.')),
      idempotencyKey: optional(text('The same key gives the same new run.')),
      from: optional(choice(['failure'], 'Where it goes on: just before the failure, which is all there is.')),
    }),
    answers: answer(startedRun),
  }),
  releaseRun: operation<OneRun, Reply>({
    tag,
    summary: 'Release a run from quarantine',
    where: 'run',
    changes: true,
    scope: 'run:control',
    repeatable: true,
    takes: oneRun,
    answers: answer(reply),
  }),
  deleteRun: operation<OneRun, undefined>({
    tag,
    summary: 'Delete a run that has ended, with its sub-runs',
    where: 'run',
    changes: true,
    scope: 'run:delete',
    takes: oneRun,
    answers: nothing,
  }),
  cancelRuns: operation<BulkRequest & { readonly reason?: string }, BulkAnswer>({
    tag,
    summary: 'Cancel every run that a filter finds, a page at a time',
    where: 'every',
    changes: true,
    scope: 'run:control',
    repeatable: true,
    takes: object<BulkRequest & { readonly reason?: string }>(
      { ...bulk, reason: optional(text('Why.')) },
      'CancelRuns',
    ),
    answers: answer(bulkAnswer),
  }),
  retryRuns: operation<BulkRequest, BulkAnswer>({
    tag,
    summary: 'Retry every run that a filter finds, a page at a time',
    description: 'A run is retried once by this, however often it is asked for.',
    where: 'every',
    changes: true,
    scope: 'run:retry',
    repeatable: true,
    takes: object<BulkRequest>(bulk, 'RetryRuns'),
    answers: answer(bulkAnswer),
  }),
};
