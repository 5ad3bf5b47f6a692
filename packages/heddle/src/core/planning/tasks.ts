// Tasks: handing out, results, lost ones. Rules TS….

import type { Reply, TaskResult } from '../commands.ts';
import type { Token } from '../state.ts';
import { retryLater } from './attempts.ts';
import { applyInputMapping } from './mapping.ts';
import { failNode, finishNode } from './nodes.ts';
import { nodeOf, type Planning, record, request } from './planning.ts';
import { limitFailure } from './tokens.ts';

/**
 * TS1: ready tokens are handed out first in, first out, as many as the window holds. The window is filled when half of
 * it is free, so that a fan-out of any size costs each command no more than it hands out.
 */
export function handOutTasks(p: Planning): void {
  const { state } = p;
  const { dispatchWindow } = p.graph.limits;
  // LC6: a paused run hands out nothing.
  if (state.paused || state.dispatched * 2 > dispatchWindow) return;
  while (state.dispatched < dispatchWindow && state.outcome === null && p.doom === null) {
    const id = state.ready.take((ready) => state.tokens.get(ready)?.status === 'ready');
    if (id === null) return;
    handOut(p, state.tokens.get(id) as Token);
    if (p.steps.length > 0) return; // an input mapping failed: look at what follows first
  }
}

function handOut(p: Planning, token: Token): void {
  const dispatch = token.dispatch + 1;
  const { dispatchesMax } = p.graph.limits;
  // TS2: a task that was lost too often is given up.
  const lost = dispatch - token.attempt; // every earlier attempt was answered, and once
  if (lost >= dispatchesMax)
    return failNode(p, token, { ...limitFailure('dispatchesMax', dispatchesMax, lost + 1), code: 'TASK_LOST' });
  const { attempt, node } = token;
  // TS6: the input is mapped at the first hand-out; every later one repeats it.
  if (token.input !== undefined) record(p, { type: 'task.dispatched', token: token.id, attempt, dispatch });
  else {
    const mapped = applyInputMapping(p, token, nodeOf(p, node).inputMapping);
    if ('failure' in mapped) return failNode(p, token, mapped.failure);
    record(p, { type: 'task.dispatched', token: token.id, attempt, dispatch, input: mapped.value });
  }
  request(p, { type: 'dispatch', token: token.id, node, attempt, dispatch, input: token.input ?? {} });
}

export function acceptResult(p: Planning, result: TaskResult): Reply {
  const token = p.state.tokens.get(result.token);
  // TS3: a result for a token that has ended, or from a hand-out that is not the newest, changes nothing.
  if (!token)
    return { applied: false, reason: result.token <= p.state.lastToken ? 'token has ended' : 'unknown token' };
  if (token.status !== 'dispatched' || token.dispatch !== result.dispatch)
    return { applied: false, reason: 'superseded hand-out' };
  const { outcome } = result;
  if (outcome.type === 'completed') {
    finishNode(p, token, outcome.output, [{ type: 'task.completed', token: token.id, output: outcome.output }]);
    return { applied: true };
  }
  const policy = nodeOf(p, token.node).retry ?? outcome.retry;
  if (!retryLater(p, token, policy, outcome)) failNode(p, token, outcome.failure);
  return { applied: true };
}

/** TS5: what a lost host had is handed out again: the same attempt, the next dispatch. */
export function recoverTasks(p: Planning): Reply {
  // What was answered while the run was paused is not lost: the answer is kept.
  const answered = new Set(p.state.held.map(({ token }) => token));
  const isLost = ({ id, status }: Token): boolean => status === 'dispatched' && !answered.has(id);
  const tokens = [...p.state.tokens.values()].filter(isLost).map(({ id }) => id);
  if (tokens.length === 0) return { applied: false, reason: 'nothing was under way' };
  record(p, { type: 'tasks.lost', tokens });
  return { applied: true };
}
