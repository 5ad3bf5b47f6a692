// Retry of a failed run: a new run that goes on from just before the failure. Rules RX….

import type { KeyRow, RunRow } from '../actor/ports.ts';
import { runStart } from '../actor/run-start.ts';
import { copyJson } from '../base/copy-json.ts';
import { shortHash } from '../base/hash.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Json } from '../base/json.ts';
import { stableStringify } from '../base/stable-json.ts';
import { apply, emptyState } from '../core/apply/apply.ts';
import { type EncodedGroup, type EncodedToken, encodeState } from '../core/apply/snapshot.ts';
import type { Command, TaskResult } from '../core/commands.ts';
import type { RunState } from '../core/state.ts';
import { refuseChoice } from './check-options.ts';
import type { Host } from './host.ts';
import { turnsOf } from './host-turns.ts';
import { mustReadRun, runNotFound } from './must-read.ts';
import { readHistory } from './read-events.ts';

/** What a retry may be asked with. */
export const retryOptions = { keepKeys: 'flag', idempotencyKey: 'text', from: 'other' } as const;

export interface RetryOptions {
  /** Keep the idempotency keys of the failed run: for work that must not be repeated where it had succeeded. */
  readonly keepKeys?: boolean;
  /** Retrying again with the same key gives the same run. */
  readonly idempotencyKey?: string;
  /** Where it goes on: just before the failure, which is all there is. */
  readonly from?: 'failure';
}

/** HT9: whoever retries many runs at once retries each of them once, however often, and from wherever, it is asked for. */
export const bulkRetryKey = (runId: string): string => `bulk:${runId}`;

/** Answers with the id of the new run. */
export async function retryRun(host: Host, runId: string, options: RetryOptions): Promise<string> {
  const { idempotencyKey, keepKeys = false } = options;
  refuseChoice('from', options.from, ['failure']);
  if (idempotencyKey === undefined) return retryNew(host, runId, { keepKeys, key: null });
  return turnsOf(host).take(`retry/${idempotencyKey}`, async () => {
    // RX6: the same key with the same run gives the same retry; with another it is refused.
    const fingerprint = shortHash(stableStringify({ runId, keepKeys }));
    const known = await host.store.findKey('retry', idempotencyKey);
    if (!known) return retryNew(host, runId, { keepKeys, key: { scope: 'retry', key: idempotencyKey, fingerprint } });
    if (known.fingerprint === fingerprint) return known.runId;
    const message = `Expected the retry that idempotency key ${idempotencyKey} was first used with, but run or options differ`;
    throw new HeddleError('IDEMPOTENCY_KEY_REUSED', message, { details: { runId: known.runId } });
  });
}

interface Retry {
  readonly keepKeys: boolean;
  readonly key: Pick<KeyRow, 'scope' | 'key' | 'fingerprint'> | null;
}

async function retryNew(host: Host, runId: string, { keepKeys, key }: Retry): Promise<string> {
  const stored = await mustReadRun(host.store, runId);
  // RX1: a run that failed, timed out or was exhausted can be retried.
  if (!['failed', 'timed_out', 'exhausted'].includes(stored.status)) {
    throw new HeddleError('RUN_NOT_FAILED', `Expected run ${runId} to have failed, but it is ${stored.status}`);
  }
  const graph = await host.definitions.mustFind(stored.workflow, stored.version);
  const { keepsOutputs } = graph.policy;
  const state = await stateAfter(host, runId, stored.seq - 1);
  if (keepsOutputs) await addLastOutputs(host, state, stored);
  if (!state.run) throw runNotFound(runId); // It was deleted while it was read.
  const { startAt: _, ...before } = state.run; // A retry begins at once.
  const newRunId = host.newRunId();
  const at = host.clock.now();
  // RX4: a retry is a run of its own, with its own budgets and deadline, that names the run it retries.
  const own = {
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
    // What is in its state may refer to what the failed run put.
    artifactRuns: [runId, ...(before.artifactRuns ?? [])],
  };
  const start = runStart(graph, at, own, state.outputs);
  const encoded = encodeState(state);
  const restored = keepsOutputs ? outputsAlone(encoded) : state.tokens.size > 0 ? renewed(encoded, at) : null;
  // A run that failed before it had a token has nothing to go on from.
  const restore = restored ? { restore: copyJson(restored as unknown as Json) } : {};
  const keyed = key ? { key: { ...key, runId: newRunId, at } } : {};
  await host.runner.submit(newRunId, { type: 'command', command: { type: 'start', at, start, ...restore }, ...keyed });
  return newRunId;
}

/** The state as of a row; of none, only that the run has started. */
async function stateAfter(host: Host, runId: string, seq: number): Promise<RunState> {
  const state = emptyState();
  const history = await readHistory(host.store, runId, Math.max(1, seq));
  for (const { at, event } of seq === 0 ? history.slice(0, 1) : history) {
    state.at = at;
    apply(state, event);
  }
  return state;
}

/** What nodes have put out in the last row, and while the run was paused, was done. */
async function addLastOutputs(host: Host, state: RunState, { runId, seq }: RunRow): Promise<void> {
  for (const result of (state.held as unknown as readonly Command[]).filter(isSuccess)) {
    const token = state.tokens.get(result.token);
    if (token?.dispatch === result.dispatch) state.outputs[token.node] = result.outcome.output;
  }
  Object.assign(state.outputs, (await stateAfter(host, runId, seq)).outputs);
}

/** RX5: where the outputs of nodes are kept, a retry begins anew, but what has an output is not done again. */
function outputsAlone(encoded: Encoded): Encoded {
  const { edges: _, ...root } = encoded.root;
  return { ...encoded, root, groups: [], tokens: [], ready: [], held: [], errors: {}, tasksStarted: 0 };
}

type Success = Command & TaskResult & { readonly outcome: { readonly type: 'completed' } };

const isSuccess = (command: Command): command is Success =>
  command.type === 'task.result' && command.outcome.type === 'completed';

type Encoded = ReturnType<typeof encodeState>;

const begunAnew: ReadonlySet<EncodedToken['status']> = new Set([
  'dispatched',
  'retrying',
  'waiting_for_subworkflow',
  'waiting_for_input',
  'waiting_for_event',
  'waiting_for_credits',
]);

const begun = {
  status: 'ready',
  attempt: 1,
  dispatch: 0,
  input: undefined,
  dueAt: null,
  childRunId: null,
} as const satisfies Partial<EncodedToken>;

/** RX3: what was under way begins anew with its first attempt, a join's time with it; what waited goes on waiting. */
function renewed(encoded: Encoded, at: number): Encoded {
  const isUnderWay = ({ status }: EncodedToken) => begunAnew.has(status);
  // What was done while the run was paused is not done again: the new run takes the result over.
  const held = (encoded.held as unknown as readonly Command[]).filter(isSuccess);
  const done = new Set(held.map(({ token }) => token));
  const isDone = ({ id }: EncodedToken) => done.has(id);
  const tokens = encoded.tokens.map((token): EncodedToken => {
    const { wait, ...common } = token;
    if (isUnderWay(token) && !isDone(token)) return { ...common, ...begun };
    return wait ? { ...common, wait: { ...wait, paid: null } } : common;
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
    tasksStarted: 0,
  };
}
