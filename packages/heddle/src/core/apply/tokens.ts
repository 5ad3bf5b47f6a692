// Appliers of token and task events: a token is created, changes its status, ends.

import { InvariantError } from '../../base/assert.ts';
import { lengthOfJson } from '../../base/check-json.ts';
import type { Json } from '../../base/json.ts';
import type { EventOf, RememberedStep, TokenId } from '../events.ts';
import type { RunState, Token, TokenStatus } from '../state.ts';
import { attach, branchAt, changeSpawn, detach, hold, lowerLive, newBranch, spawnOf } from './branches.ts';

export function tokenAt(state: RunState, id: TokenId): Token {
  const token = state.tokens.get(id);
  if (!token) throw new InvariantError(`Expected token ${id} to be alive, but it is not`);
  return token;
}

export function createTokens(state: RunState, event: EventOf<'token.created'>): void {
  const [groupId, first] = event.branch;
  const count = event.count ?? 1;
  for (let i = 0; i < count; i++) {
    const branch =
      groupId === 0 ? state.root : branchAtOrNew(state, groupId, first + (event.count === undefined ? 0 : i));
    const token = newToken(event, event.token + i, branch);
    state.tokens.set(token.id, token);
    attach(branch, token);
    state.ready.push(token.id);
  }
  state.lastToken = event.token + count - 1;
}

function newToken(event: EventOf<'token.created'>, id: TokenId, branch: Token['branch']): Token {
  return {
    id,
    node: event.node,
    via: event.via ?? null,
    branch,
    status: 'ready',
    attempt: 1,
    dispatch: 0,
    input: undefined,
    inputBytes: 0,
    steps: null,
    dueAt: null,
    since: 0,
    childRunId: null,
    continues: null,
    childSuspended: false,
    correlationId: null,
    asked: false,
    texts: null,
    result: undefined,
    waitLabel: null,
    paid: null,
    iterations: event.iterations ?? null,
    lastError: event.lastError ?? null,
    failure: event.failure ?? null,
    previous: null,
    next: null,
  };
}

/** The first token of a branch makes the branch. */
function branchAtOrNew(state: RunState, groupId: number, index: number) {
  const group = state.groups.get(groupId);
  if (!group) throw new InvariantError(`Expected group ${groupId} to be open, but it is not`);
  const found = group.branches[index];
  if (found) return found;
  const branch = newBranch(group, index, state.run?.countsNodes ?? false);
  group.branches[index] = branch;
  group.spawned++;
  changeSpawn(group, spawnOf(group, index), { spawned: 1, underWay: 1 });
  return branch;
}

export function setStatus(state: RunState, token: Token, status: TokenStatus): void {
  countStatus(state, token, -1);
  if (token.status === 'ready') state.ready.drop(token.id);
  if (token.childSuspended && status !== 'waiting_for_subworkflow') setChildSuspended(state, token, false);
  token.status = status;
  countStatus(state, token, 1);
}

/** Counts a token where its status is counted. */
export function countStatus(state: RunState, { status }: Token, change: 1 | -1): void {
  if (status === 'dispatched') state.dispatched += change;
  else if (status === 'waiting_for_subworkflow') state.waitingForChildren += change;
  else if (status === 'waiting_for_input' || status === 'waiting_for_event') state.waitingForOthers += change;
  else if (status === 'waiting_for_credits') state.waitingForCredits += change;
  else if (status === 'waiting_for_action') state.waitingForActions += change;
}

export function setChildSuspended(state: RunState, token: Token, suspended: boolean): void {
  if (token.childSuspended === suspended) return;
  token.childSuspended = suspended;
  state.childrenSuspended += suspended ? 1 : -1;
}

export function setDue(state: RunState, token: Token, at: number | null): void {
  state.timed += Number(at !== null) - Number(token.dueAt !== null);
  token.dueAt = at;
  if (at !== null) state.timers.push({ type: 'token', at, token: token.id });
}

export function endToken(state: RunState, id: TokenId): void {
  const token = tokenAt(state, id);
  const { branch } = token;
  state.tokens.delete(id);
  state.inputBytes -= token.inputBytes;
  if (token.steps) dropSteps(state, token);
  if (branch.arrival === id && branch.group && !branch.group.joined) branch.group.arrived--;
  detach(token);
  if (token.dueAt !== null) setDue(state, token, null);
  setStatus(state, token, 'ready'); // no longer counted as dispatched or waiting
}

export function waitForSiblings(state: RunState, event: Extract<EventOf<'token.waiting'>, { for: 'siblings' }>): void {
  const token = tokenAt(state, event.token);
  const target = branchAt(state, event.branch);
  const { group } = target;
  if (!group)
    throw new InvariantError(`Expected token ${token.id} to arrive for a branch of a group, but it is in none`);
  for (let b = token.branch; b !== target && b.group; b = b.group.parent) b.group.bypassed = true;
  if (token.branch !== target) {
    detach(token);
    attach(target, token);
  }
  hold(target, token.node, -1);
  setStatus(state, token, 'waiting_for_siblings');
  target.arrival = token.id;
  group.arrived++;
  lowerLive(target);
  if (group.join !== null) return;
  group.join = event.join;
  group.required = event.required;
  group.firstArrivalAt = event.arrivedAt;
  if (event.deadline === undefined) return;
  group.deadline = event.deadline;
  state.timed++;
  state.timers.push({ type: 'join', at: event.deadline, group: group.id });
}

export function waitForTimer(state: RunState, event: Extract<EventOf<'token.waiting'>, { for: 'timer' }>): void {
  const token = tokenAt(state, event.token);
  setStatus(state, token, 'waiting_for_timer');
  setDue(state, token, event.until);
  token.result = event.result;
  token.waitLabel = event.label ?? null;
}

export function waitForBatch(state: RunState, event: Extract<EventOf<'token.waiting'>, { for: 'batch' }>): void {
  setStatus(state, tokenAt(state, event.token), 'waiting_for_batch');
}

/** Nobody had it: the next hand-out has its number. */
export function waitForAction(state: RunState, event: Extract<EventOf<'token.waiting'>, { for: 'action' }>): void {
  const token = tokenAt(state, event.token);
  setStatus(state, token, 'waiting_for_action');
  token.dispatch--;
}

/** It waits for its turn to ask, or asks. */
export function awaitInput(state: RunState, event: EventOf<'input.queued' | 'input.requested'>): void {
  const token = tokenAt(state, event.token);
  setStatus(state, token, 'waiting_for_input');
  token.correlationId = event.correlationId;
  token.asked = event.type === 'input.requested';
  const { title, description } = event;
  const texts = { ...(title === undefined ? {} : { title }), ...(description === undefined ? {} : { description }) };
  token.texts = title === undefined && description === undefined ? null : texts;
  if (event.type === 'input.queued') return;
  token.since = event.at ?? 0;
  setDue(state, token, event.deadline ?? null);
}

export function awaitEvent(state: RunState, event: EventOf<'event.awaited'>): void {
  const token = tokenAt(state, event.token);
  setStatus(state, token, 'waiting_for_event');
  token.since = state.at;
  token.correlationId = event.correlation;
  setDue(state, token, event.deadline ?? null);
}

/** What it waited for has come, or will not. */
export function endWait(state: RunState, token: Token): void {
  setStatus(state, token, 'ready');
  setDue(state, token, null);
  token.correlationId = null;
  token.asked = false;
  token.texts = null;
}

export function receiveEvent(state: RunState, event: EventOf<'event.received'>): void {
  const token = tokenAt(state, event.token);
  const { eventId, expiresAt } = event;
  // The oldest first: it is enough that they go at some time.
  for (const [id, received] of state.received) {
    if (received.expiresAt > state.at) break;
    state.received.delete(id);
  }
  if (!state.received.has(eventId)) state.received.set(eventId, { expiresAt, lastToken: state.lastToken });
  keepRaw(token, event.payload);
  endWait(state, token);
}

export function waitForEdges(state: RunState, event: Extract<EventOf<'token.waiting'>, { for: 'edges' }>): void {
  const token = tokenAt(state, event.token);
  setStatus(state, token, 'waiting_for_edges');
  hold(token.branch, token.node, -1);
  token.branch.edges ??= { taken: new Map(), done: new Set(), finished: new Set() };
  token.branch.edges.taken.set(event.edge, token.id);
}

export function dispatchTask(state: RunState, event: EventOf<'task.dispatched'>): void {
  const token = tokenAt(state, event.token);
  setStatus(state, token, 'dispatched');
  token.attempt = event.attempt;
  token.dispatch = event.dispatch;
  if (event.input === undefined) return;
  keepInput(state, token, event.input);
  if (state.run?.oneAtATime) state.tasksStarted++;
  state.credits.spent += event.cost ?? 0;
}

/** The input of a token's work, from now until the token ends. */
export function keepInput(state: RunState, token: Token, input: Json): void {
  const before = token.inputBytes;
  token.input = input;
  token.inputBytes = lengthOfJson(input);
  state.inputBytes += token.inputBytes - before;
}

export function completeStep(state: RunState, { token: id, step, result }: EventOf<'step.completed'>): void {
  keepStep(state, tokenAt(state, id), { step, ...(result === undefined ? {} : { result }) });
}

/** A finished step of a token's task, from now until the task is complete. */
export function keepStep(state: RunState, token: Token, remembered: RememberedStep): void {
  const bytes = bytesOfStep(remembered);
  token.steps ??= { finished: new Map(), bytes: 0 };
  token.steps.finished.set(remembered.step, remembered);
  token.steps.bytes += bytes;
  state.inputBytes += bytes;
}

export function bytesOfStep({ result }: Pick<RememberedStep, 'result'>): number {
  return result === undefined ? 0 : lengthOfJson(result);
}

function dropSteps(state: RunState, token: Token): void {
  state.inputBytes -= token.steps?.bytes ?? 0;
  token.steps = null;
}

export function completeTask(state: RunState, event: EventOf<'task.completed'>): void {
  const token = tokenAt(state, event.token);
  keepRaw(token, event.output);
  if (token.steps) dropSteps(state, token);
  if (state.run?.keepsOutputs) state.outputs[token.node] = event.output;
}

export function failTask(state: RunState, event: EventOf<'task.failed'>): void {
  if (state.run?.keepsOutputs) state.errors[tokenAt(state, event.token).node] = event.error.message;
  endToken(state, event.token);
}

/** The newest raw output of a branch counts if no mapping writes in it. */
export function keepRaw(token: Token, output: EventOf<'task.completed'>['output']): void {
  if (token.branch.group) token.branch.raw = output;
}

export function failAttempt(state: RunState, event: EventOf<'task.attempt_failed'>): void {
  const token = tokenAt(state, event.token);
  setStatus(state, token, 'retrying');
  token.childRunId = null;
  setDue(state, token, event.retryAt);
}

/** A retry becomes ready again as the next attempt; a wait is over. */
export function fireTimer(state: RunState, event: EventOf<'timer.fired'>): void {
  const token = tokenAt(state, event.token);
  setDue(state, token, null);
  if (token.status === 'retrying') token.attempt++;
  makeReady(state, token);
}

/** It is to be handed out, again or now that it may be. Where tasks go one at a time it has not lost its place. */
export function makeReady(state: RunState, token: Token): void {
  setStatus(state, token, 'ready');
  if (state.run?.oneAtATime) state.ready.putInOrder(token.id);
  else state.ready.push(token.id);
}

/** Credits were granted: its work may begin. */
export function payFor(state: RunState, token: Token, amount: number): void {
  token.paid = amount;
  makeReady(state, token);
}
