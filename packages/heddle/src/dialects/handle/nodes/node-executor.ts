// Handle nodes: executors, as the handle dialect has them, made into actions. An executor is given its node's
// data and the context and returns the next context; what else it may do stands in `step`, `publish` and `artifacts`.

import type { JsonObject } from '../../../base/json.ts';
import { kindOf } from '../../../base/kind-of.ts';
import type { Problem } from '../../../base/problem.ts';
import type {
  Action,
  ActionArtifacts,
  ActionContext,
  ActionFunction,
  ActionStep,
  Actions,
  Publish,
} from '../../../executor/action.ts';
import { ActionError } from '../../../executor/action-error.ts';
import { type GatheredActions, InvalidActionsError } from '../../../executor/registry.ts';

/** What flows from node to node: any JSON object. */
export type WorkflowContext = JsonObject;

export interface NodeExecutorParams {
  /** The node's configuration. */
  readonly data: JsonObject;
  readonly nodeId: string;
  readonly runId: string;
  /** A copy of its own. */
  readonly context: WorkflowContext;
  readonly step: NodeStep;
  /** Publishes an event by name; runs that it starts count as one deeper than this one. */
  readonly publish: Publish;
  /** Bytes, which are too large or no JSON: put here, a reference to them goes into the context. */
  readonly artifacts: ActionArtifacts;
}

/** HN38: what an action has (`context.step`), with what else an executor asks of its node. */
export interface NodeStep extends ActionStep {
  /** 1 for the first. */
  readonly attempt: number;
  /** The same for all attempts, also after a crash: hand it to whatever must not happen twice. */
  readonly idempotencyKey: string;
  /** Aborted when the result is no longer wanted: timeout, cancel, shutdown. */
  readonly signal: AbortSignal;
}

/** Sets `_branch`, `_wait` or `_waitUntil` in the context that it returns to steer the engine. */
export type NodeExecutor = (params: NodeExecutorParams) => WorkflowContext | Promise<WorkflowContext>;

/** By node type. */
export type NodeExecutors = Readonly<Record<string, NodeExecutor>>;

/** Executors as actions, for where those are wanted: the module of `heddle run --actions`, or beside your own. */
export function defineExecutors(executors: NodeExecutors): Readonly<Record<string, Action>> {
  const { actions, problems } = addExecutors({}, executors);
  if (problems.length > 0) throw new InvalidActionsError(problems);
  return actions as Readonly<Record<string, Action>>; // as the actions were: no list
}

/** HN30: executors are actions by the name of their node type; a name that is given twice is refused. */
export function addExecutors(actions: Actions, executors: NodeExecutors): GatheredActions {
  // Of what is no action, others tell.
  const taken = new Set(Array.isArray(actions) ? actions.map((action) => action?.name) : Object.keys(actions));
  const problems: Problem[] = [];
  const made: [string, ActionFunction][] = [];
  for (const [type, executor] of Object.entries(executors)) {
    const refused = checkExecutor(type, executor, taken);
    problems.push(...refused);
    if (refused.length === 0) made.push([type, makeAction(type, executor)]);
  }
  const list = made.map(([name, run]) => ({ name, run }));
  if (Array.isArray(actions)) return { actions: [...actions, ...list], problems };
  const named = actions as Readonly<Record<string, Action>>; // it is no list
  return { actions: { ...named, ...Object.fromEntries(made) }, problems };
}

function checkExecutor(type: string, executor: unknown, taken: ReadonlySet<string | undefined>): Problem[] {
  const refuse = (code: string, message: string): Problem[] => [
    { severity: 'error', code, pointer: `/${type}`, message },
  ];
  if (typeof executor !== 'function')
    return refuse('WRONG_TYPE', `Expected executor "${type}" to be a function, but found ${kindOf(executor)}`);
  return taken.has(type)
    ? refuse('DUPLICATE_NAME', `Expected the name of an executor, but "${type}" is an action already`)
    : [];
}

function makeAction(type: string, executor: NodeExecutor): ActionFunction {
  return async (action) => {
    const { data, context } = action.input as { readonly data: JsonObject; readonly context: WorkflowContext }; // HN11
    const { nodeId, runId, publish, artifacts } = action;
    const params = { data, nodeId, runId, context, step: stepOf(action), publish, artifacts };
    const returned: unknown = await executor(params);
    // HN31: an executor returns the context; one that returns something else has failed, and would again.
    if (isPlain(returned)) return returned;
    const message = `Expected executor "${type}" of node "${nodeId}" to return the context, but it returned ${kindOf(returned)}`;
    throw new ActionError(message, { code: 'CONTEXT_INVALID', retryable: false });
  };
}

const stepOf = ({ attempt, idempotencyKey, signal, step }: ActionContext): NodeStep => ({
  attempt,
  idempotencyKey,
  signal,
  run: (name, work) => step.run(name, work),
});

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
