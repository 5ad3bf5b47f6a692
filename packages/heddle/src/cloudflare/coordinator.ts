// Coordinator: what an object answers by RPC to other code of the account: starts, what executors say of the tasks that they have,
// cancel, and how a run stands inside. Rules DO50 to DO53.
//
// Always true: every method is an operation of the table, done by the engine as for anybody else; what it says is stored is stored
// when it answers.

import { given } from '../base/given.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Json } from '../base/json.ts';
import { shardOf } from '../base/shard.ts';
import { homeShard } from '../engine/peers.ts';
import { defaultTenant } from '../http/access.ts';
import type { AnswerOf, RequestOf } from '../operations/operations.ts';
import type { Awake } from './object-life.ts';
import { type Ask, askingAgain, askObject } from './object-stub.ts';
import type { Place } from './place.ts';
import type { ObjectNamespace } from './platform.ts';

type StartOptions = Omit<RequestOf<'startRun'>, 'workflow' | 'input'>;
type StartedRun = AnswerOf<'startRun'>;
type LeaseRequest = Omit<RequestOf<'leaseTasks'>, 'waitMs'>;
type LeasedTask = AnswerOf<'leaseTasks'>['tasks'][number];
type FinishedTask = RequestOf<'finishTasks'>['tasks'][number];
type FailedTask = Extract<FinishedTask, { error: object }>;

/** The run that does a task of another coordinator. */
export interface SubworkflowStart extends Omit<RequestOf<'startRun'>, 'idempotencyKey' | 'ifFailed'> {
  /** That task, as it was leased. */
  readonly parent: Pick<LeasedTask, 'idempotencyKey' | 'attempt'>;
}

/** Why an attempt has failed, as an error has it, and what its executor knows of another. */
export type TaskFailure = FailedTask['error'] & Pick<FailedTask, 'retryable' | 'retryAfterMs' | 'retry'>;

/** How an executor's word about a task was taken. */
export interface Taken {
  /** False: it changed nothing: it came too late, or came before. */
  readonly applied: boolean;
  readonly reason?: string;
}

export interface StillWanted {
  /** False: drop the task; what becomes of it changes nothing. */
  readonly isWanted: boolean;
  /** Without another word by then it is given to somebody else. */
  readonly expiresAt?: number;
}

/** A token that an executor has: the `lease` of its task. It names run, token and hand-out. */
export type TokenId = string;

export interface Coordinator {
  start(workflow: string, input?: Json, options?: StartOptions): Promise<StartedRun>;
  /** With how it stands, at most `waitMs` later. */
  startSubworkflow(start: SubworkflowStart): Promise<Required<StartedRun>>;
  /** Tokens for an executor, of those that wait in this object. */
  leaseTasks(request: LeaseRequest): Promise<readonly LeasedTask[]>;
  /** The executor is at work on it: it has it for as long again. */
  markTokenExecuting(
    token: TokenId,
    options?: Omit<RequestOf<'heartbeatTasks'>['tasks'][number], 'lease'>,
  ): Promise<StillWanted>;
  handleTaskResult(token: TokenId, result: unknown): Promise<Taken>;
  handleTaskError(token: TokenId, error: TaskFailure): Promise<Taken>;
  /** The same for a task that was done as a run elsewhere. */
  handleSubworkflowResult(token: TokenId, output: unknown): Promise<Taken>;
  handleSubworkflowError(token: TokenId, error: string): Promise<Taken>;
  cancel(runId: string, reason?: string): Promise<AnswerOf<'cancelRun'>>;
  introspectRun(runId: string): Promise<AnswerOf<'getRunView'>>;
  introspectTokens(runId: string): Promise<AnswerOf<'listTokens'>['items']>;
  simulateRouting(runId: string, tokenId: number, outcome: SimulatedOutcome): Promise<AnswerOf<'simulateRouting'>>;
  simulateSynchronization(runId: string, at?: number): Promise<AnswerOf<'listGroups'>>;
}

type SimulatedOutcome = Pick<RequestOf<'simulateRouting'>, 'output' | 'error'>;

/** Whether it may be asked again where the answer was lost. */
const isRepeatable: Readonly<Record<keyof Coordinator, boolean>> = {
  start: false,
  startSubworkflow: true,
  leaseTasks: false,
  markTokenExecuting: true,
  handleTaskResult: true,
  handleTaskError: true,
  handleSubworkflowResult: true,
  handleSubworkflowError: true,
  cancel: true,
  introspectRun: true,
  introspectTokens: true,
  simulateRouting: true,
  simulateSynchronization: true,
};

export const coordinatorMethods = Object.keys(isRepeatable) as readonly (keyof Coordinator)[]; // the keys of the table

/** DO50: in the object. */
export function coordinatorOver({ engine, shard }: Awake): Coordinator {
  const finish = async (task: FinishedTask): Promise<Taken> => {
    const { tasks } = await engine.call('finishTasks', { tasks: [task] });
    const { applied, reason, error } = tasks[0] as (typeof tasks)[number]; // one for each
    if (error === undefined) return { applied, ...given({ reason }) };
    if (!isLate.has(error.code)) throw new HeddleError(error.code, error.message);
    return { applied: false, reason: error.message };
  };
  return {
    start: (workflow, input = {}, options = {}) => engine.call('startRun', { ...options, workflow, input }),
    // DO53: one run for each attempt of the task, however often it is asked for.
    async startSubworkflow({ parent: { idempotencyKey, attempt }, waitMs = 0, ...start }) {
      const key = `subworkflow/${idempotencyKey}/${attempt}`;
      const { runId } = await engine.call('startRun', { ...start, idempotencyKey: key });
      return { runId, result: await engine.call('waitForRun', { runId, waitMs }) };
    },
    leaseTasks: async (request) => (await shard.engine.call('leaseTasks', request)).tasks,
    async markTokenExecuting(lease, options = {}) {
      const { tasks } = await engine.call('heartbeatTasks', { tasks: [{ ...options, lease }] });
      const answer = tasks[0] as (typeof tasks)[number]; // one for each
      if (answer.ok) return { isWanted: true, expiresAt: answer.expiresAt };
      if (isLate.has(answer.code)) return { isWanted: false };
      throw new HeddleError(answer.code, answer.message);
    },
    handleTaskResult: (lease, output) => finish({ lease, output }),
    handleTaskError: (lease, { retryable, retryAfterMs, retry, ...error }) =>
      finish({ lease, error, ...given({ retryable, retryAfterMs, retry }) }),
    handleSubworkflowResult: (lease, output) => finish({ lease, output }),
    handleSubworkflowError: (lease, message) =>
      finish({ lease, error: { code: 'SUBWORKFLOW_FAILED', message }, retryable: false }),
    cancel: (runId, reason) => engine.call('cancelRun', { runId, ...given({ reason }) }),
    introspectRun: (runId) => engine.call('getRunView', { runId }),
    introspectTokens: (runId) => engine.run(runId).tokens(),
    simulateRouting: (runId, tokenId, outcome) => engine.call('simulateRouting', { ...outcome, runId, tokenId }),
    simulateSynchronization: (runId, at) => engine.call('listGroups', { runId, ...given({ at }) }),
  };
}

/** The token has gone on without the executor, or is no more. */
const isLate: ReadonlySet<string> = new Set(['LEASE_LOST', 'RUN_NOT_FOUND']);

export interface CoordinatorPlace {
  /** Default: the operator's. */
  readonly tenant?: string;
  /** A run of it, whose own object is asked. Any object of the tenant does as well, and asks that one. */
  readonly runId?: string;
}

/** DO52: the coordinator of a tenant, for other code of the account: with the errors as they were, asked again where that is harmless. */
export function coordinatorOf(
  objects: ObjectNamespace,
  { tenant = defaultTenant, runId }: CoordinatorPlace = {},
): Coordinator {
  const place: Place = { tenant, shard: runId === undefined ? homeShard : shardOf(runId) };
  const once = askObject(objects, place);
  const again = askingAgain(once);
  const methods = coordinatorMethods.map((method) => {
    const ask: Ask = isRepeatable[method] ? again : once;
    return [method, (...args: readonly unknown[]) => ask('coordinate', [method, args])] as const;
  });
  return Object.fromEntries(methods) as object as Coordinator; // every method of the table
}
