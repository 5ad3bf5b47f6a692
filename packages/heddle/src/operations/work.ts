// Operations on tasks for workers outside: lease tasks, keep them, finish them; and what goes with a task that one has. What is wrong
// with one task of several is told in its own answer, by the engine: here each is of its kind, and no more.

import type { Published, PublishOptions } from '../actor/publication.ts';
import type { Thrown } from '../base/failure.ts';
import type { Json } from '../base/json.ts';
import type { ObjectReference } from '../base/object-reference.ts';
import type { RememberedStep } from '../core/events.ts';
import type { RetryDefinition } from '../definition/definition.ts';
import type { LeaseRefusal } from '../work/lease-answers.ts';
import type { FinishAnswer, HeartbeatAnswer, ReleaseAnswer } from '../work/task-reports.ts';
import type { LeasedTask } from '../work/work-office.ts';
import { wantedReference } from './artifacts.ts';
import { answer, type Bytes, bytes, nothing, operation } from './operation.ts';
import { eventName, reference, thrown } from './parts.ts';
import {
  anyObject,
  anyText,
  type Bound,
  count,
  flag,
  json,
  list,
  lookedAt,
  number,
  object,
  optional,
  orNull,
  type Schema,
  text,
  time,
  whole,
  withCode,
  withOneOf,
} from './schema.ts';

/** Of one task, by the lease that its worker was given. */
export interface OneLease {
  readonly lease: string;
}

/** Run id, numbers and seal: up to 1,076 characters. */
const lease = text('The lease, as it was handed out: it opens this task alone, and dies with it.', {
  min: 0,
  max: 2_000,
});
const oneLease = object<OneLease>({ lease });

/** Of several at a time. */
export interface Several<Item> {
  readonly tasks: readonly Item[];
}

// The compiler compares members with types that it knows, and `Item` is not known here.
const several = <Item>(item: Schema<Item>, max?: Bound): Schema<Several<Item>> =>
  object<Several<unknown>>({
    tasks: list(item as Schema<unknown>, undefined, max, max === undefined ? 0 : 1), // see above
  }) as Schema<Several<Item>>; // of the same items

// ----------------------------------------------------------------------------------------------------------- lease

export interface LeaseRequest {
  /** The names of the actions that the worker does. */
  readonly actions: readonly string[];
  /** The most that it takes now. Default: 1. */
  readonly max?: number;
  /** How long it may be silent before its tasks are given to others. Default: `leaseMsDefault`. */
  readonly leaseMs?: number;
  /**
   * How soon its first heartbeat comes. A lease of which none came by then ends as if nobody had had it, and costs no hand-out: its
   * answer was lost on the way. Default: it lasts at once for `leaseMs`.
   */
  readonly confirmMs?: number;
  /** How long to wait for tasks if there are none. Default: not at all. */
  readonly waitMs?: number;
  /** Who it is, for people. */
  readonly worker?: string;
}

const leaseMs = optional(whole('How long, if nothing is heard of the worker.', { max: 'leaseMsMax' }));
export const actionNames = list(text('The name of an action.'), undefined, 'announcedActionsMax', 1);

const leaseRequest = object<LeaseRequest>(
  {
    actions: actionNames,
    max: optional(whole('At most so many. Default: 1.', { max: 'leaseTasksMax' })),
    leaseMs,
    confirmMs: optional(
      whole('How soon a heartbeat says that the answer was heard. Default: none need come.', { max: 'leaseMsMax' }),
    ),
    waitMs: optional(whole('Default: 0.', { min: 0, max: 'leaseWaitMsMax' })),
    worker: optional(text('Who asks, for people.')),
  },
  'LeaseRequest',
);

const step = {
  step: withCode(
    'STEP_INVALID',
    text('Its name, with its number from the second of that name on: `charge`, `charge#2`.'),
  ),
  result: optional(json()),
};

const leasedTask = object<LeasedTask>(
  {
    lease,
    runId: anyText(),
    tokenId: count(),
    nodeId: anyText(),
    workflow: anyText(),
    version: count(),
    action: anyText(),
    actionVersion: orNull(count()),
    input: json(),
    attempt: count('1 for the first.'),
    dispatch: count('Rises at every hand-out.'),
    idempotencyKey: anyText('The same for all attempts: for whatever must not happen twice.'),
    timeoutMs: orNull(count()),
    limits: object<LeasedTask['limits']>({
      payloadBytesMax: count(),
      jsonDepthMax: count(),
      artifactBytesMax: count(),
    }),
    trigger: orNull(anyObject()),
    artifactRuns: list(anyText()),
    steps: optional(
      list(
        object<RememberedStep>(step, 'RememberedStep'),
        'What earlier attempts have finished; absent if there is nothing.',
      ),
    ),
    expiresAt: time('When the lease ends, if nothing is heard of the worker.'),
  },
  'LeasedTask',
);

// ------------------------------------------------------------------------------------------- heartbeats and results

export interface TaskHeartbeat extends OneLease {
  readonly progress?: ToldProgress;
  readonly leaseMs?: number;
}

/** How far a task is, in its worker's words. */
export interface ToldProgress {
  /** From 0 to 1. */
  readonly fraction?: number;
  /** At most 500 characters. */
  readonly message?: string;
  /** At most 4 kB. */
  readonly details?: Json;
}

const progress = object<ToldProgress>(
  {
    fraction: optional(lookedAt(number('From 0 to 1.'))),
    message: optional(anyText('At most 500 characters.')),
    details: optional(json()),
  },
  'Progress',
);

const whyNot = { code: optional(anyText()), message: optional(anyText()) };

const heartbeatAnswer = object<HeartbeatAnswer>({
  lease: anyText(),
  ok: flag('False: stop working on it; nobody wants the result any more.'),
  expiresAt: optional(count()),
  ...whyNot,
});

export type FinishedTask =
  | { readonly lease: string; readonly output: unknown }
  | {
      readonly lease: string;
      readonly error: TaskError;
      /** False: trying again is useless. */
      readonly retryable?: boolean;
      /** Try again no sooner than this. */
      readonly retryAfterMs?: number | null;
      /** For nodes that have no policy of their own, in place of the announced one. */
      readonly retry?: RetryDefinition | null;
    };

/** As an error has it: code, message and details, and its name, stack, cause and parts. */
export type TaskError = Omit<Thrown, 'message'> & { readonly message: string; readonly details?: Json };

const taskError = object<TaskError>({
  code: optional(text('What programs match on.', { max: 200 })),
  message: text('What people read.', { min: 0, max: 100_000 }),
  details: optional(json()),
  name: optional(text('Of its class.', { min: 0, max: 200 })),
  stack: optional(text('Where it was thrown, for people.', { min: 0, max: 100_000 })),
  cause: optional(thrown),
  errors: optional(list(thrown, 'The parts of an error that has several.', 100)),
});

export const retryPolicy = anyObject<RetryDefinition>('The policy of the action, for nodes that have none.');

/** What an action has returned: whether it is JSON, the engine says, as of what a local action returns. */
const output: Schema<unknown> = { kind: { type: 'json' }, about: 'Any JSON.' };

// HT12: what a task came to is an output or an error: one of the two.
const finishedTask = withOneOf(
  object<FinishedTask>(
    {
      lease,
      output: optional(output),
      error: optional(taskError),
      retryable: optional(flag('False: trying again is useless, whatever the policy says.')),
      retryAfterMs: optional(orNull(whole('Try again no sooner than this.', { min: 0 }))),
      retry: optional(orNull(retryPolicy)),
    },
    'FinishedTask',
  ),
  'output',
  'error',
);

const finishAnswer = object<FinishAnswer>({
  lease: anyText(),
  applied: flag('False: it changed nothing.'),
  reason: optional(anyText()),
  error: optional(object<LeaseRefusal>({ code: anyText(), message: anyText() })),
});

const releaseAnswer = object<ReleaseAnswer>({ lease: anyText(), ok: flag(), ...whyNot });

// ----------------------------------------------------------------------------------------------- parts of one task

/** Published in the name of the run of a task. */
export interface TaskPublication extends OneLease, PublishOptions {
  readonly name: string;
  readonly payload?: Json;
}

const publication = object<TaskPublication>({
  lease,
  name: eventName,
  payload: optional(json()),
  id: optional(text('Publishing again under the same id is publishing once.')),
  correlation: optional(text('Which of the waits for this name it is for: those with the same text.', { min: 0 })),
  ttlMs: optional(whole('How long it is kept for waits that begin later.')),
});

// ------------------------------------------------------------------------------------------------------ operations

/** What a worker does with its own key. */
export const looking = { tag: 'Workers', where: 'work', scope: 'task:work' } as const;
export const working = { ...looking, changes: true } as const;

export const taskOperations = {
  leaseTasks: operation<LeaseRequest, Several<LeasedTask>>({
    ...working,
    summary: 'Lease tasks of these actions; waits for some if there are none',
    takes: leaseRequest,
    answers: answer(several(leasedTask)),
  }),
  heartbeatTasks: operation<Several<TaskHeartbeat>, Several<HeartbeatAnswer>>({
    ...working,
    summary: 'Say that tasks are being worked on, and how far they are',
    repeatable: true,
    takes: several(object<TaskHeartbeat>({ lease, leaseMs, progress: optional(progress) }), 'leaseTasksMax'),
    answers: answer(several(heartbeatAnswer)),
  }),
  finishTasks: operation<Several<FinishedTask>, Several<FinishAnswer>>({
    ...working,
    summary: 'Say what tasks came to: an output, or an error',
    repeatable: true,
    takes: several(finishedTask, 'leaseTasksMax'),
    answers: answer(several(finishAnswer)),
  }),
  releaseTasks: operation<Several<OneLease>, Several<ReleaseAnswer>>({
    ...working,
    summary: 'Hand tasks back, for others',
    repeatable: true,
    takes: several(oneLease, 'leaseTasksMax'),
    answers: answer(several(releaseAnswer)),
  }),
  recordStep: operation<OneLease & RememberedStep, undefined>({
    ...working,
    summary: 'Keep the result of a finished step of a task: later hand-outs of the task are given it',
    repeatable: true,
    takes: object<OneLease & RememberedStep>({ lease, ...step }),
    answers: nothing,
  }),
  publishFromTask: operation<TaskPublication, Published>({
    ...working,
    summary: 'Publish an event on behalf of the run of a task',
    repeatable: 'id',
    takes: publication,
    answers: answer(anyObject<Published>()),
  }),
  putTaskArtifact: operation<OneLease, ObjectReference>({
    ...working,
    summary: 'Keep bytes as an artifact of the run of a task; their type is the content type',
    repeatable: true,
    takes: oneLease,
    takesBytes: true,
    answers: answer(reference),
  }),
  listTaskArtifacts: operation<OneLease, { readonly items: readonly ObjectReference[] }>({
    ...looking,
    summary: 'The artifacts that a task may read',
    ofOwner: true,
    repeatable: true,
    takes: oneLease,
    answers: answer(object<{ readonly items: readonly ObjectReference[] }>({ items: list(reference) })),
  }),
  getTaskArtifact: operation<OneLease & ObjectReference, Bytes>({
    ...looking,
    summary: 'The bytes of an artifact that a task may read',
    ofOwner: true,
    repeatable: true,
    takes: object<OneLease & ObjectReference>({ lease, ...wantedReference }),
    answers: bytes,
  }),
};
