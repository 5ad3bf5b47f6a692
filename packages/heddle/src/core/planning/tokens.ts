// Tokens: how they come to be and are called off, within the limits. Rules TK1–TK3.

import type { Failure } from '../../base/failure.ts';
import { type Limits, limitOrigin } from '../../definition/limits.ts';
import type { HandOut } from '../commands.ts';
import type { EventOf, TokenId } from '../events.ts';
import type { Branch, Group, RunState, Token } from '../state.ts';
import { forgetEventWait } from './event-wait.ts';
import { dropPrompt, release } from './input.ts';
import { type Planning, record, request, runOf } from './planning.ts';

/**
 * TK1: ids are counted up; every new token is entered within the same command. With a failure its node has failed before
 * its work began.
 */
export function createTokens(
  p: Planning,
  event: Omit<EventOf<'token.created'>, 'type' | 'token'>,
  failure: Failure | null = null,
): void {
  const count = event.count ?? 1;
  if (exceedsTokenLimits(p, count)) return;
  const token = p.state.lastToken + 1;
  record(p, { type: 'token.created', token, ...event });
  p.steps.push(failure ? { type: 'fail', token, failure } : { type: 'enter', token, count });
}

// TK2: a run that would exceed its tokens, alive or in all, fails.
export function exceedsTokenLimits(p: Planning, count: number): boolean {
  if (p.fatal) return true;
  const { tokensAliveMax } = p.graph.limits;
  const { tokens, lastToken, childNodesUsed } = p.state;
  const { nodeBudget } = runOf(p);
  if (tokens.size + count > tokensAliveMax)
    p.fatal = limitFailure(p, 'tokensAliveMax', tokensAliveMax, tokens.size + count);
  else if (lastToken + count + childNodesUsed > nodeBudget) {
    p.fatal = limitFailure(p, 'nodesPerRunMax', nodeBudget, lastToken + count + childNodesUsed);
  }
  return p.fatal !== null;
}

export function limitFailure(p: Planning, limit: keyof Limits, most: number, found: number): Failure {
  return {
    code: 'LIMIT_EXCEEDED',
    message: `Expected at most ${most} by the limit ${limit}, but found ${found}; ${originOf(p, limit, most)}`,
    limit,
  };
}

function originOf({ graph }: Planning, limit: keyof Limits, most: number): string {
  if (most < graph.limits[limit]) return 'it is what the runs above this one have left of theirs';
  return limitOrigin(limit, graph);
}

// TK3: whoever is called off is told so: an action is aborted, a sub-run cancelled.
export function cancelTokens(p: Planning, tokens: readonly Token[], reason: string, isEnd = false): void {
  if (tokens.length === 0) return;
  for (const token of tokens) {
    if (token.status === 'dispatched') request(p, { type: 'abort', token: token.id });
    if (token.childRunId !== null)
      request(p, { type: 'send', to: token.childRunId, message: { type: 'cancel', reason } });
    if (token.status === 'waiting_for_event') forgetEventWait(p, token);
  }
  const asking = tokens.filter(({ status }) => status === 'waiting_for_input');
  const prompts = asking.map((token) => dropPrompt(p, token));
  record(p, { type: 'tokens.cancelled', tokens: tokens.map(({ id }) => id).toSorted((a, b) => a - b), reason });
  for (const prompt of prompts) release(p, prompt, isEnd);
}

/** Everything that lives in a branch, at any depth: its tokens, and the groups that were opened in it, inner ones last. */
function collectContents(p: Planning, branches: readonly Branch[]): { tokens: Token[]; groups: Group[] } {
  const tokens: Token[] = [];
  const groups: Group[] = [];
  const todo = [...branches];
  for (let branch = todo.pop(); branch; branch = todo.pop()) {
    for (let token = branch.firstToken; token; token = token.next) tokens.push(token);
    for (const id of branch.groups ?? []) {
      const group = p.state.groups.get(id) as Group; // a branch lists its open groups
      groups.push(group);
      for (const inner of group.branches) if (inner) todo.push(inner);
    }
  }
  return { tokens, groups };
}

/** Calls off all that lives in the given branches and closes the groups in them. */
export function clearBranches(p: Planning, branches: readonly Branch[], reason: string): void {
  const { tokens, groups } = collectContents(p, branches);
  cancelTokens(p, tokens, reason);
  for (const { id } of groups.toReversed()) if (p.state.groups.has(id)) record(p, { type: 'group.closed', group: id });
}

/**
 * Tasks that were handed out and not answered, but for hand-outs that somebody outside holds. What was answered while the
 * run was paused is kept, and not lost.
 */
export function lostTasks({ held, tokens }: RunState, heldOutside: readonly HandOut[] = []): TokenId[] {
  const answered = new Set(held.map(({ token }) => token));
  const outside = new Map(heldOutside.map(({ token, dispatch }) => [token, dispatch]));
  const isLost = ({ id, status, dispatch }: Token): boolean =>
    status === 'dispatched' && !answered.has(id) && outside.get(id) !== dispatch;
  return [...tokens.values()].filter(isLost).map(({ id }) => id);
}

/** Whether the result of a task came while the run was paused. */
export function isAnswered({ held }: RunState, id: TokenId): boolean {
  return held.some(({ token }) => token === id);
}
