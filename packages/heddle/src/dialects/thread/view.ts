// Thread view: a run in the words of the thread dialect: its status, its threads, and the tree of contexts that they run
// in. Rules TH31 to TH33. Only what lives is here; what has ended is told by the tokens of the run.

import { copyJson } from '../../base/copy-json.ts';
import type { JsonObject } from '../../base/json.ts';
import type { TokenId } from '../../core/events.ts';
import { composeView } from '../../core/planning/scope.ts';
import { isDelayed } from '../../core/run-class.ts';
import type { RunState, Token, TokenStatus } from '../../core/state.ts';
import { type RunStatus, statusOf } from '../../core/views/status.ts';
import type { Graph } from '../../definition/graph.ts';
import { contextIdOf, type ExecutionContext, listContexts, type QueuedInput, queueOf } from './contexts.ts';

export interface ThreadsView {
  readonly runId: string;
  readonly status: ThreadStatus;
  /** The run's own first, then those inside it, each after the one that it is in. */
  readonly contexts: readonly ExecutionContext[];
  /** Those that live, by id. */
  readonly threads: readonly ThreadView[];
  /** The prompts of the whole tree of runs, kept by its root; the first is the one that is asked. */
  readonly inputQueue: readonly QueuedInput[];
}

export interface ThreadView {
  /** The id of its token: a thread has a new one at every node. */
  readonly threadId: TokenId;
  readonly node: string;
  readonly contextId: string;
  readonly status: ThreadState;
  /** What it sees: its own copy, as far as it wrote itself. */
  readonly context: JsonObject;
}

export type ThreadStatus =
  | 'Created'
  | 'Running'
  | 'Waiting'
  | 'Suspended'
  | 'Paused'
  | 'Success'
  | 'Failed'
  | 'Cancelled';

/** What becomes of a thread after a node. */
export type ThreadState = 'continued' | 'complete' | 'suspended' | 'waiting';

/** TH31: the words of the thread dialect for the status of a run. */
export function threadStatus(status: RunStatus): ThreadStatus {
  switch (status) {
    case 'submitted':
      return 'Created';
    case 'running':
      return 'Running';
    case 'waiting':
      return 'Waiting';
    case 'suspended':
      return 'Suspended';
    case 'paused':
      return 'Paused';
    case 'completed':
      return 'Success';
    case 'failed':
    case 'timed_out':
    case 'exhausted':
      return 'Failed';
    case 'cancelled':
      return 'Cancelled';
  }
}

/** TH32: after a node a thread continues, is complete (at a fan-in), suspended (a person or event) or waiting. */
function threadStateOf(status: TokenStatus): ThreadState {
  switch (status) {
    case 'ready':
    case 'dispatched':
    case 'retrying':
      return 'continued';
    case 'waiting_for_siblings':
    case 'waiting_for_edges':
      return 'complete';
    case 'waiting_for_input':
    case 'waiting_for_event':
      return 'suspended';
    case 'waiting_for_timer':
    case 'waiting_for_subworkflow':
    case 'waiting_for_batch':
    case 'waiting_for_credits':
    case 'waiting_for_action':
      return 'waiting';
  }
}

/** A copy: nothing of it changes with the run. */
export function viewThreads(state: RunState, graph: Graph): ThreadsView {
  const view: ThreadsView = {
    runId: state.run?.runId ?? '',
    status: statusNow(state),
    contexts: listContexts(state, graph),
    threads: [...state.tokens.values()].toSorted((a, b) => a.id - b.id).map((token) => viewThread(state, token)),
    inputQueue: queueOf(state),
  };
  return copyJson(view);
}

/** One that has not begun is created. A run that only waits to try again uses no waits: to whoever looks it is running. */
function statusNow(state: RunState): ThreadStatus {
  const status = statusOf(state);
  if (status === 'waiting' && isDelayed(state)) return 'Created';
  const onlyRetries = [...state.tokens.values()].every((token) => withoutWait.has(token.status));
  return status === 'waiting' && onlyRetries ? 'Running' : threadStatus(status);
}

const withoutWait: ReadonlySet<TokenStatus> = new Set([
  'retrying',
  'waiting_for_siblings',
  'waiting_for_edges',
  'waiting_for_batch',
]);

function viewThread(state: RunState, { id, node, branch, status }: Token): ThreadView {
  return {
    threadId: id,
    node,
    contextId: contextIdOf(state, branch),
    status: threadStateOf(status),
    context: composeView(state, branch).state,
  };
}
