// Continuation: what a run takes over from one that ended before it was complete. A retry continues the run that it
// retries, and its sub-runs continue the sub-runs of that run, at any depth. Rules RX3, RX5, RX7.
//
// Always true: what was done is not done again; the run that is continued stays as it is.

import { copyJson } from '../base/copy-json.ts';
import { given } from '../base/given.ts';
import { asJson, type Json } from '../base/json.ts';
import { emptyState } from '../core/apply/apply.ts';
import type { EncodedGroup, EncodedToken } from '../core/apply/encoded-state.ts';
import { encodeState } from '../core/apply/snapshot.ts';
import type { Command, TaskResult } from '../core/commands.ts';
import type { RunStart } from '../core/events.ts';
import { heldCommands } from '../core/held-commands.ts';
import { readEvents } from '../core/read-events.ts';
import type { RunState } from '../core/state.ts';
import type { Graph } from '../definition/graph.ts';
import { readVerified, replay } from './journal.ts';
import type { JournalRow, RunRow, Store } from './ports.ts';

export interface Continuation {
  /** How the run that is continued was started. */
  readonly start: RunStart;
  /** When the first run of the line started. */
  readonly eventsFrom: number;
  /** Tokens are counted from here: what the run before has used is not the budget of this one. */
  readonly lastToken: number;
  /** Outputs by node that are taken over, where they are kept. */
  readonly outputs: Readonly<Record<string, Json>>;
  /** For the command that starts the run; absent if there is nothing to take over. */
  readonly restore?: Json;
}

/** As of just before the end of the run; null if the run is not there (any more). */
export async function prepareContinuation(
  store: Store,
  graph: Graph,
  ended: RunRow,
  at: number,
): Promise<Continuation | null> {
  const { keepsOutputs } = graph.policy;
  const state = await stateAfter(store, ended.runId, ended.seq - 1);
  if (keepsOutputs) await addLastOutputs(store, state, ended);
  if (!state.run) return null;
  const { lastToken, outputs, run: start } = state;
  const eventsFrom = start.eventsFrom ?? state.startedAt;
  const encoded = encodeState(state);
  // A run that ended before it had a token has nothing to continue from.
  const restored = keepsOutputs
    ? outputsAlone(encoded)
    : state.tokens.size > 0
      ? renewed(encoded, at, await startedChildren(store, encoded.tokens))
      : null;
  return {
    start,
    eventsFrom,
    lastToken,
    outputs,
    ...given({ restore: restored ? copyJson(restored as unknown as Json) : undefined }), // what is undefined is left out
  };
}

const rowsPerPage = 100;

/** The state as of a row; of none, only that the run has started. */
async function stateAfter(store: Store, runId: string, seq: number): Promise<RunState> {
  const state = emptyState();
  for (let fromSeq = 1; ; ) {
    const read = await readVerified(store, runId, { fromSeq, limit: rowsPerPage });
    const rows = read.filter((row) => row.seq <= Math.max(1, seq));
    replay(state, seq === 0 ? rows.map(firstEvent) : rows);
    if (rows.length < rowsPerPage) return state;
    fromSeq += rows.length;
  }
}

function firstEvent(row: JournalRow): JournalRow {
  const [first] = readEvents(row.events);
  return { ...row, events: JSON.stringify([first]) };
}

/** What nodes have put out in the last row, and while the run was paused, was done. */
async function addLastOutputs(store: Store, state: RunState, { runId, seq }: RunRow): Promise<void> {
  for (const result of heldCommands(state.held).filter(isSuccess)) {
    const token = state.tokens.get(result.token);
    if (token?.dispatch === result.dispatch) state.outputs[token.node] = result.outcome.output;
  }
  Object.assign(state.outputs, (await stateAfter(store, runId, seq)).outputs);
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
  'waiting_for_action',
]);

const begun = {
  status: 'ready',
  attempt: 1,
  dispatch: 0,
  input: undefined,
  dueAt: null,
  childRunId: null,
} as const satisfies Partial<EncodedToken>;

/** RX3: what was running begins anew with its first attempt, a join's time with it; what waited keeps waiting. */
function renewed(encoded: Encoded, at: number, children: ReadonlySet<string>): Encoded {
  const isUnderWay = ({ status }: EncodedToken) => begunAnew.has(status);
  // What was done while the run was paused is not done again: the new run takes the result over.
  const held = heldCommands(encoded.held).filter(isSuccess);
  const done = new Set(held.map(({ token }) => token));
  const isDone = ({ id }: EncodedToken) => done.has(id);
  const tokens = encoded.tokens.map((token): EncodedToken => {
    const { wait, ...common } = token;
    // HN39: with the finished steps of its task, whatever keys it has: what was done is not done again.
    if (isUnderWay(token) && !isDone(token)) return { ...common, ...begun, ...continued(token, children) };
    return wait ? { ...common, wait: { ...wait, paid: null } } : common;
  });
  const ready = tokens.filter(({ status }) => status === 'ready').map(({ id }) => id);
  const groups = encoded.groups.map((group): EncodedGroup => {
    if (group.deadline === null || group.firstArrivalAt === null) return group;
    return { ...group, firstArrivalAt: at, deadline: at + group.deadline - group.firstArrivalAt };
  });
  return {
    ...encoded,
    held: held.map((command) => asJson(command)),
    tokens,
    groups,
    ready,
    childNodesUsed: 0,
    descendantsUsed: 0,
    tasksStarted: 0,
  };
}

// RX7: a sub-run that had started is continued (actor/receive.ts), all others begin anew.
function continued(token: EncodedToken, children: ReadonlySet<string>): Pick<EncodedToken, 'continues'> {
  const child = childOf(token);
  return child !== null && children.has(child) ? { continues: child } : {};
}

/** The sub-run that it waits for, or that its own was to continue. */
const childOf = ({ childRunId, continues }: EncodedToken): string | null => childRunId ?? continues ?? null;

async function startedChildren(store: Store, tokens: readonly EncodedToken[]): Promise<ReadonlySet<string>> {
  const started = new Set<string>();
  for (const token of tokens) {
    const child = childOf(token);
    if (child !== null && (await store.readRun(child))) started.add(child);
  }
  return started;
}
