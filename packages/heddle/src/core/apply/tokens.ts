// Appliers of token and task events: a token is created, changes its status, ends.

import { assert } from '../../base/assert.ts';
import type { EventOf, TokenId } from '../events.ts';
import type { RunState, Token, TokenStatus } from '../state.ts';
import { attach, branchAt, detach, hold, lowerLive, newBranch, spawnOf } from './branches.ts';

export function tokenAt(state: RunState, id: TokenId): Token {
  const token = state.tokens.get(id);
  assert(token, `Expected token ${id} to be alive, but it is not`);
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
    dueAt: null,
    since: 0,
    childRunId: null,
    iterations: event.iterations ?? null,
    lastError: event.lastError ?? null,
    previous: null,
    next: null,
  };
}

/** The first token of a branch makes the branch. */
function branchAtOrNew(state: RunState, groupId: number, index: number) {
  const group = state.groups.get(groupId);
  assert(group, `Expected group ${groupId} to be open, but it is not`);
  const found = group.branches[index];
  if (found) return found;
  const branch = newBranch(group, index, state.run?.countsNodes ?? false);
  group.branches[index] = branch;
  group.spawned++;
  const spawn = spawnOf(group, index);
  spawn.spawned++;
  spawn.underWay++;
  return branch;
}

export function setStatus(state: RunState, token: Token, status: TokenStatus): void {
  state.dispatched += Number(status === 'dispatched') - Number(token.status === 'dispatched');
  state.waitingForChildren +=
    Number(status === 'waiting_for_subworkflow') - Number(token.status === 'waiting_for_subworkflow');
  token.status = status;
}

export function setDue(state: RunState, token: Token, at: number | null): void {
  token.dueAt = at;
  if (at !== null) state.timers.push({ type: 'token', at, token: token.id });
}

export function endToken(state: RunState, id: TokenId): void {
  const token = tokenAt(state, id);
  const { branch } = token;
  state.tokens.delete(id);
  if (branch.arrival === id && branch.group && !branch.group.joined) branch.group.arrived--;
  detach(token);
  setStatus(state, token, 'ready'); // no longer counted as dispatched or waiting
}

export function waitForSiblings(state: RunState, event: Extract<EventOf<'token.waiting'>, { for: 'siblings' }>): void {
  const token = tokenAt(state, event.token);
  const target = branchAt(state, event.branch);
  const { group } = target;
  assert(group, `Expected token ${token.id} to arrive for a branch of a group, but it is in none`);
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
  state.timers.push({ type: 'join', at: event.deadline, group: group.id });
}

export function waitForTimer(state: RunState, event: Extract<EventOf<'token.waiting'>, { for: 'timer' }>): void {
  const token = tokenAt(state, event.token);
  setStatus(state, token, 'waiting_for_timer');
  setDue(state, token, event.until);
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
  if (event.input !== undefined) token.input = event.input;
}

export function completeTask(state: RunState, event: EventOf<'task.completed'>): void {
  keepRaw(tokenAt(state, event.token), event.output);
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

export function makeReady(state: RunState, token: Token): void {
  setStatus(state, token, 'ready');
  state.ready.push(token.id);
}
