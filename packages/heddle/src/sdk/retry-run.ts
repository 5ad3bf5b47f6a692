// Retry of a failed run: a new run that goes on from just before the failure. Rules RX….

import { runStart } from '../actor/run-start.ts';
import { copyJson } from '../base/copy-json.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Json } from '../base/json.ts';
import { apply, emptyState } from '../core/apply/apply.ts';
import { type EncodedGroup, type EncodedToken, encodeState } from '../core/apply/snapshot.ts';
import type { Command, TaskResult } from '../core/commands.ts';
import type { RunStart } from '../core/events.ts';
import type { RunState } from '../core/state.ts';
import type { Host } from './host.ts';
import { readHistory } from './read-events.ts';

export interface RetryOptions {
  /** Keep the idempotency keys of the failed run: for work that must not be repeated where it had succeeded. */
  readonly keepKeys?: boolean;
}

/** Answers with the id of the new run. */
export async function retryRun(host: Host, runId: string, { keepKeys = false }: RetryOptions): Promise<string> {
  const stored = await host.store.readRun(runId);
  if (!stored) throw new HeddleError('RUN_NOT_FOUND', `Expected a run ${runId}, but there is none`);
  // RX1: only a run that failed or timed out can be retried.
  if (stored.status !== 'failed' && stored.status !== 'timed_out') {
    throw new HeddleError('RUN_NOT_FAILED', `Expected run ${runId} to have failed, but it is ${stored.status}`);
  }
  const state = await stateBeforeEnd(host, runId, stored.seq);
  const before = state.run as RunStart;
  const newRunId = host.newRunId();
  const at = host.clock.now();
  const graph = await host.definitions.mustFind(before.workflow, before.version);
  // RX4: a retry is a run of its own, with its own budgets and deadline, that names the run it retries.
  const start = runStart(graph, at, {
    ...before,
    runId: newRunId,
    rootRunId: newRunId,
    parent: null,
    depth: 0,
    // Tokens go on being counted from where they were: what the failed run used is not this run's.
    nodeBudget: graph.limits.nodesPerRunMax + state.lastToken,
    descendantBudget: graph.limits.descendantsMax,
    // RX2: new keys, unless the old ones are kept.
    keyRunId: keepKeys ? before.keyRunId : newRunId,
    retryOf: runId,
  });
  // A run that failed in its first command has nothing to go on from.
  const restore = stored.seq === 1 ? {} : { restore: copyJson(renewed(encodeState(state), at) as unknown as Json) };
  await host.runner.submit(newRunId, { type: 'command', command: { type: 'start', at, start, ...restore } });
  return newRunId;
}

/** The state before the last row; of a run with one row only that it started. */
async function stateBeforeEnd(host: Host, runId: string, lastSeq: number): Promise<RunState> {
  const state = emptyState();
  const history = await readHistory(host.store, runId, Math.max(1, lastSeq - 1));
  for (const { at, event } of lastSeq === 1 ? history.slice(0, 1) : history) {
    state.at = at;
    apply(state, event);
  }
  return state;
}

const isSuccess = (command: Command): command is Command & TaskResult =>
  command.type === 'task.result' && command.outcome.type === 'completed';

type Encoded = ReturnType<typeof encodeState>;

/** RX3: what was under way begins anew with its first attempt, a join's time with it; what waited goes on waiting. */
function renewed(encoded: Encoded, at: number): Encoded {
  const isUnderWay = ({ status }: EncodedToken) =>
    status === 'dispatched' || status === 'retrying' || status === 'waiting_for_subworkflow';
  // What was done while the run was paused is not done again: the new run takes the result over.
  const held = (encoded.held as unknown as readonly Command[]).filter(isSuccess);
  const isDone = ({ id }: EncodedToken) => held.some((result) => result.token === id);
  const tokens = encoded.tokens.map((token): EncodedToken => {
    if (!isUnderWay(token) || isDone(token)) return token;
    return { ...token, status: 'ready', attempt: 1, dispatch: 0, input: undefined, dueAt: null, childRunId: null };
  });
  const ready = tokens.filter(({ status }) => status === 'ready').map(({ id }) => id);
  const groups = encoded.groups.map((group): EncodedGroup => {
    if (group.deadline === null || group.firstArrivalAt === null) return group;
    return { ...group, firstArrivalAt: at, deadline: at + group.deadline - group.firstArrivalAt };
  });
  return {
    ...encoded,
    held: held as unknown as Encoded['held'],
    tokens,
    groups,
    ready,
    childNodesUsed: 0,
    descendantsUsed: 0,
  };
}
