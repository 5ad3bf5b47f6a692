// Apply: one applier per event, exhaustive. An applier records what the event says; it decides nothing, evaluates
// nothing and reads no definition, so that a journal replays to the same state for ever.

import type { Json } from '../../base/json.ts';
import type { Event, EventOf, EventType, TokenId } from '../events.ts';
import { ReadyQueue } from '../ready-queue.ts';
import type { RunOutcome, RunState } from '../state.ts';
import { TimerHeap } from '../timer-heap.ts';
import { newBranch } from './branches.ts';
import * as groups from './groups.ts';
import { decodeState, encodeState, holdCommand, restoreState } from './snapshot.ts';
import * as tokens from './tokens.ts';

type Appliers = { readonly [T in EventType]: (state: RunState, event: EventOf<T>) => void };

const appliers: Appliers = {
  'workflow.started': startRun,
  'workflow.restored': (state, event) => restoreState(state, event.state, event.isWhole ?? false),
  'workflow.completed': (state, event) => {
    state.output = event.output;
    endRun(state, 'completed', event.at);
  },
  'workflow.failed': (state, event) => {
    state.error = event.error;
    endRun(state, 'failed', event.at);
  },
  'workflow.cancelled': (state, event) => {
    state.error = { code: 'CANCELLED', message: event.reason };
    endRun(state, 'cancelled', event.at);
  },
  'workflow.timed_out': (state, event) => {
    state.error = event.error;
    endRun(state, 'timed_out', event.at);
  },
  'workflow.exhausted': (state, event) => {
    state.error = event.error;
    endRun(state, 'exhausted', event.at);
  },
  'workflow.suspended': (state) => {
    state.suspended = true;
  },
  'workflow.resumed': (state) => {
    state.suspended = false;
  },
  'workflow.result_set': (state, event) => {
    state.result = event.output;
  },
  'workflow.paused': (state) => {
    state.paused = true;
  },
  'workflow.unpaused': (state, event) => {
    state.paused = false;
    if (!event.keepsHeld) dropHeld(state);
  },
  'workflow.held': (state, event) => holdCommand(state, event.command),
  'held.taken': (state) => takeHeld(state),
  'token.created': tokens.createTokens,
  'token.waiting': (state, event) => {
    if (event.for === 'siblings') tokens.waitForSiblings(state, event);
    else if (event.for === 'timer') tokens.waitForTimer(state, event);
    else if (event.for === 'batch') tokens.waitForBatch(state, event);
    else if (event.for === 'action') tokens.waitForAction(state, event);
    else tokens.waitForEdges(state, event);
  },
  'token.completed': (state, event) => tokens.endToken(state, event.token),
  'tokens.completed': (state, event) => {
    for (const id of event.tokens) tokens.endToken(state, id);
  },
  'tokens.timed_out': (state, event) => {
    for (const id of event.tokens) tokens.endToken(state, id);
  },
  'tokens.cancelled': (state, event) => {
    for (const id of event.tokens) {
      const { childRunId } = tokens.tokenAt(state, id);
      if (childRunId !== null) state.givenUp.add(childRunId);
      tokens.endToken(state, id);
    }
  },
  'task.dispatched': tokens.dispatchTask,
  'step.completed': tokens.completeStep,
  'task.completed': tokens.completeTask,
  'task.attempt_failed': tokens.failAttempt,
  'task.failed': tokens.failTask,
  'tasks.lost': (state, event) => {
    for (const id of event.tokens) tokens.makeReady(state, tokens.tokenAt(state, id));
  },
  'tasks.offered': (state, event) => {
    for (const id of event.tokens) tokens.makeReady(state, tokens.tokenAt(state, id));
  },
  'timer.fired': tokens.fireTimer,
  'handle.unmatched': () => undefined,
  'control.ignored': () => undefined,
  'batch.completed': (state, event) => {
    if (event.output !== undefined) tokens.keepRaw(tokens.tokenAt(state, event.token), event.output);
  },
  'fan_out.started': groups.startFanOut,
  'fan_in.completed': groups.decideFanIn,
  'fan_in.failed': groups.decideFanIn,
  'branches.merged': (state, event) => groups.writeValues(state, event.branch, event.writes),
  'branch.ended': groups.endBranch,
  'branches.detached': groups.detachBranches,
  'branch.abandoned_failed': groups.failAbandoned,
  'branch.discarded': groups.discardWrites,
  'group.closed': groups.closeGroup,
  'edges.settled': groups.settleEdges,
  'edge_join.completed': groups.completeEdgeJoin,
  'subworkflow.dispatched': (state, event) => {
    const token = tokens.tokenAt(state, event.token);
    tokens.setStatus(state, token, 'waiting_for_subworkflow');
    token.childRunId = event.childRunId;
    token.continues = null;
    tokens.keepInput(state, token, event.input);
    token.since = state.at;
    state.descendantsUsed++;
    tokens.setDue(state, token, event.deadline ?? null);
  },
  'subworkflow.completed': (state, event) => {
    const token = tokens.tokenAt(state, event.token);
    leaveChild(state, event.token);
    state.childNodesUsed += event.nodesUsed;
    state.descendantsUsed += event.descendantsUsed;
    if (event.status === 'completed') tokens.keepRaw(token, event.output ?? null);
  },
  'subworkflow.ended_late': (state, event) => {
    state.givenUp.delete(event.childRunId);
    state.childNodesUsed += event.nodesUsed;
    state.descendantsUsed += event.descendantsUsed;
  },
  'subworkflow.timed_out': (state, event) => {
    state.givenUp.add(event.childRunId);
    leaveChild(state, event.token);
  },
  'subworkflow.suspended': (state, event) => tokens.setChildSuspended(state, tokens.tokenAt(state, event.token), true),
  'subworkflow.resumed': (state, event) => tokens.setChildSuspended(state, tokens.tokenAt(state, event.token), false),
  'input.queued': tokens.awaitInput,
  'input.requested': tokens.awaitInput,
  'input.resumed': (state, event) => {
    const token = tokens.tokenAt(state, event.token);
    tokens.keepRaw(token, event.payload);
    tokens.endWait(state, token);
  },
  'input.expired': (state, event) => tokens.endWait(state, tokens.tokenAt(state, event.token)),
  'input_queue.joined': (state, { type: _, ...prompt }) => {
    state.queue.set(prompt.correlationId, prompt);
  },
  'input_queue.left': (state, event) => {
    state.queue.delete(event.correlationId);
  },
  'event.awaited': tokens.awaitEvent,
  'event.received': tokens.receiveEvent,
  'credits.requested': (state, event) => {
    state.credits.requested += event.amount;
    if (event.token === undefined) state.credits.awaited = true;
    else tokens.setStatus(state, tokens.tokenAt(state, event.token), 'waiting_for_credits');
  },
  'credits.granted': (state, event) => {
    if (event.token === undefined) state.credits.awaited = false;
    else tokens.payFor(state, tokens.tokenAt(state, event.token), event.amount);
  },
  'context.updated': (state, event) => groups.writeValues(state, event.branch, event.writes),
};

/** AP1: the events alone lead to the state. Changes it in place. */
export function apply(state: RunState, event: Event): void {
  const applier = appliers[event.type] as (state: RunState, event: Event) => void; // the one of its type
  applier(state, event);
}

export function emptyState(): RunState {
  return {
    run: null,
    startedAt: 0,
    at: 0,
    outcome: null,
    endedAt: null,
    output: undefined,
    error: null,
    paused: false,
    held: [],
    heldAnswers: new Map(),
    root: newBranch(null, 0, false),
    tokens: new Map(),
    groups: new Map(),
    lastToken: 0,
    lastGroup: 0,
    childNodesUsed: 0,
    descendantsUsed: 0,
    givenUp: new Set(),
    dispatched: 0,
    inputBytes: 0,
    waitingForChildren: 0,
    childrenSuspended: 0,
    waitingForOthers: 0,
    waitingForCredits: 0,
    waitingForActions: 0,
    timed: 0,
    tasksStarted: 0,
    suspended: false,
    result: undefined,
    // Without a prototype: any node id may be a key.
    outputs: Object.create(null) as Record<string, Json>,
    errors: Object.create(null) as Record<string, string>, // empty
    queue: new Map(),
    received: new Map(),
    credits: { awaited: false, requested: 0, spent: 0 },
    ready: new ReadyQueue(),
    spawnable: null,
    timers: new TimerHeap(),
  };
}

/** A state that changes without the other. Values in them are shared: no applier alters one in place. */
export function copyState(state: RunState): RunState {
  const copy = emptyState();
  decodeState(copy, encodeState(state));
  return copy;
}

function startRun(state: RunState, { type: _, at, ...start }: EventOf<'workflow.started'>): void {
  state.run = start;
  state.root = newBranch(null, 0, start.countsNodes);
  state.startedAt = at;
  state.at = at;
  if (start.deadline !== null) state.timers.push({ type: 'run', at: start.deadline });
  if (start.startAt !== undefined) state.timers.push({ type: 'start', at: start.startAt });
}

/** A new list: whoever works off the old one continues with it. */
function dropHeld(state: RunState): void {
  state.held = [];
  empty(state.heldAnswers);
}

function takeHeld(state: RunState): void {
  const taken = state.held.shift();
  const token = taken?.['token'] as TokenId; // answers say whom they are for
  if (taken && state.heldAnswers.get(token) === taken) state.heldAnswers.delete(token);
}

function endRun(state: RunState, outcome: RunOutcome, at: number): void {
  state.outcome = outcome;
  state.endedAt = at;
  state.paused = false;
  dropHeld(state);
  empty(state.groups);
  state.spawnable = null;
  empty(state.givenUp);
  empty(state.queue);
  state.timed = 0;
  state.suspended = false;
  state.root.groups = null;
}

/** Most of them are empty when a run ends, and to clear one that is makes it anew. */
function empty(collection: { readonly size: number; clear(): void }): void {
  if (collection.size > 0) collection.clear();
}

function leaveChild(state: RunState, id: number): void {
  const token = tokens.tokenAt(state, id);
  tokens.setStatus(state, token, 'ready');
  token.childRunId = null;
  tokens.setDue(state, token, null);
}
