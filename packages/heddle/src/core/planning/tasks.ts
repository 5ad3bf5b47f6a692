// Tasks: handing out, results, lost ones. Rules TS….

import type { Json } from '../../base/json.ts';
import { limitOrigin } from '../../definition/limits.ts';
import type { ActionsAvailable, HandOut, Recover, Reply, TaskLost, TaskResult, Unavailable } from '../commands.ts';
import type { Event } from '../events.ts';
import { isHeldUp } from '../run-class.ts';
import type { Token } from '../state.ts';
import { mayTakeMore, spendSteps, stepsPerToken } from './allowance.ts';
import { retryLater } from './attempts.ts';
import { readControls, readHandles } from './control-keys.ts';
import { inputFor } from './edits.ts';
import { holdCommand } from './lifecycle.ts';
import { failNode, finishNode } from './nodes.ts';
import { hasSteps, isHolding, nodeOf, type Planning, record, request, runOf } from './planning.ts';
import { isAnswered, limitFailure, lostTasks } from './tokens.ts';

/**
 * TS1: ready tokens are handed out first in, first out, as many as the window holds. The window is filled when half of
 * it is free, so that a fan-out of any size costs each command no more than it hands out.
 */
export function handOutTasks(p: Planning): void {
  const { state, graph } = p;
  const { dispatchWindow } = graph.limits;
  // LC6: a paused run hands out nothing.
  if (state.paused || state.dispatched * 2 > dispatchWindow) return;
  // TS7: where tasks go one at a time, a wait, a retry or a node without its credits holds those behind it.
  const { oneAtATime } = graph.policy;
  if (oneAtATime && isHeldUp(state)) return;
  const most = oneAtATime ? 1 : dispatchWindow;
  while (state.dispatched < most && state.outcome === null && p.fatal === null) {
    const id = state.ready.first();
    if (id === null) return;
    p.isCutShort = !mayTakeMore(p);
    if (p.isCutShort) return;
    const token = state.tokens.get(id) as Token; // what is ready lives
    // TS14: new inputs wait while those of live tasks fill the window; with none running one is always handed out.
    const isFull = state.dispatched > 0 && state.inputBytes >= graph.limits.dispatchWindowBytes;
    if (isFull && token.input === undefined) return;
    handOut(p, token);
    if (hasSteps(p)) return; // an input mapping failed: look at what follows first
  }
}

function handOut(p: Planning, token: Token): void {
  spendSteps(p, stepsPerToken);
  const dispatch = token.dispatch + 1;
  const { dispatchesMax } = p.graph.limits;
  // TS2: a task that was lost too often is given up.
  const lost = dispatch - token.attempt; // every earlier attempt was answered, and once
  if (lost >= dispatchesMax)
    return failNode(p, token, { ...limitFailure(p, 'dispatchesMax', dispatchesMax, lost + 1), code: 'TASK_LOST' });
  const { attempt, node } = token;
  // TS6: the input is mapped at the first hand-out; every later one repeats it.
  if (token.input !== undefined) record(p, { type: 'task.dispatched', token: token.id, attempt, dispatch });
  else {
    const { tasksMax } = p.graph.policy;
    // TS8: a dialect may allow fewer nodes in a run than the engine does.
    if (tasksMax !== null && p.state.tasksStarted >= tasksMax) return exceedTasks(p, node, tasksMax);
    const mapped = inputFor(p, token);
    if ('failure' in mapped) return failNode(p, token, mapped.failure);
    const cost = token.paid ?? wholeRunCost(p, node);
    record(p, {
      type: 'task.dispatched',
      token: token.id,
      attempt,
      dispatch,
      input: mapped.value,
      ...(cost > 0 ? { cost } : {}),
    });
  }
  requestDispatch(p, token);
}

/** As the token is now: with its newest numbers, and with the steps that are finished. */
function requestDispatch(p: Planning, { id, node, attempt, dispatch, input = {}, steps }: Token): void {
  const remembered = steps && { steps: [...steps.finished.values()] };
  request(p, { type: 'dispatch', token: id, node, attempt, dispatch, input, ...remembered });
}

/** Of a node whose credits were reserved with those of the whole run. */
function wholeRunCost(p: Planning, node: string): number {
  return p.graph.policy.charge === 'run' && runOf(p).organization !== undefined ? nodeOf(p, node).cost : 0;
}

function exceedTasks(p: Planning, node: string, tasksMax: number): void {
  const { id, limits } = p.graph;
  const isOwn = tasksMax < limits.handleNodesMax;
  const by = isOwn ? `maxNodes of workflow ${id}` : 'the limit handleNodesMax';
  const next = isOwn ? '' : `; ${limitOrigin('handleNodesMax', p.graph)}`;
  const message = `Expected at most ${tasksMax} nodes to run by ${by}, but node ${node} would be one more${next}`;
  p.fatal = { code: 'LIMIT_EXCEEDED', message, ...(isOwn ? {} : { limit: 'handleNodesMax' }) };
}

export function acceptResult(p: Planning, result: TaskResult & { readonly at: number }): Reply {
  const token = findHandOut(p, result);
  if ('reason' in token) return token;
  if (isHolding(p)) return holdCommand(p, result);
  const { outcome } = result;
  if (outcome.type === 'unavailable') {
    putOff(p, token, outcome);
    return { applied: true };
  }
  if (outcome.type === 'completed') {
    finishTask(p, token, outcome.output);
    return { applied: true };
  }
  const policy = nodeOf(p, token.node).retry ?? outcome.retry;
  if (!retryLater(p, token, policy, outcome)) failNode(p, token, outcome.failure);
  return { applied: true };
}

// TS11: a task whose action nobody has waits until somebody has it, and has lost neither an attempt nor a hand-out; where
// an unknown action is an error of the drawing, its node fails.
function putOff(p: Planning, token: Token, { action, failure }: Unavailable): void {
  if (p.graph.policy.unknownAction === 'fail') return failNode(p, token, failure);
  record(p, { type: 'token.waiting', token: token.id, for: 'action', action });
}

/** TS12: when somebody has an action, the tasks that wait for it are handed out as they would have been. */
export function offerTasks(p: Planning, { names }: ActionsAvailable): Reply {
  const known = new Set(names);
  const waiting = p.state.waitingForActions === 0 ? [] : [...p.state.tokens.values()].filter(isPutOff);
  const tokens = waiting.flatMap(({ id, node }) => (known.has(actionOf(p, node)) ? [id] : []));
  if (tokens.length === 0) return { applied: false, reason: 'no task waits for that' };
  record(p, { type: 'tasks.offered', tokens });
  return { applied: true };
}

const isPutOff = ({ status }: Token): boolean => status === 'waiting_for_action';

function actionOf(p: Planning, node: string): string {
  const { work } = nodeOf(p, node);
  return work.type === 'action' ? work.name : '';
}

type Unwanted = Reply & { readonly reason: string };

/** The token that waits for the answer to a hand-out, or why there is none. */
export function findHandOut({ state }: Planning, { token: id, dispatch }: HandOut): Token | Unwanted {
  const token = state.tokens.get(id);
  // TS3: what comes for a token that has ended, or from a hand-out that is not the newest, changes nothing.
  if (!token) return { applied: false, reason: id <= state.lastToken ? 'token has ended' : 'unknown token' };
  if (token.status !== 'dispatched' || token.dispatch !== dispatch)
    return { applied: false, reason: 'superseded hand-out' };
  return token;
}

function finishTask(p: Planning, token: Token, output: Json): void {
  if (p.graph.policy.namesHandles) {
    const { result, ignored } = readHandles(output);
    if (ignored) record(p, { type: 'control.ignored', token: token.id, node: token.node, keys: ['_branch'] });
    return finishNode(p, token, result, [{ type: 'task.completed', token: token.id, output }]);
  }
  if (!p.graph.policy.controlKeys)
    return finishNode(p, token, output, [{ type: 'task.completed', token: token.id, output }]);
  const controlled = readControls(token, output, { at: p.at, timeoutMsMax: p.graph.limits.timeoutMsMax });
  if ('failure' in controlled) return failNode(p, token, controlled.failure, { output });
  const { result, until, label, ignored } = controlled;
  const handle = result.branch === 'main' ? {} : { handle: result.branch };
  const completed: Event = { type: 'task.completed', token: token.id, output: result.context, ...handle };
  // HN7: control keys that cannot be read are reported.
  if (ignored.length > 0) record(p, { type: 'control.ignored', token: token.id, node: token.node, keys: ignored });
  if (until <= p.at) return finishNode(p, token, result, [completed]);
  // HN6: a node that waits holds its result, and continues with it when the wait is over.
  record(p, completed);
  record(p, {
    type: 'token.waiting',
    token: token.id,
    for: 'timer',
    until,
    result,
    ...(label === undefined ? {} : { label }),
  });
}

/** TS5: what a lost host had is handed out again: the same attempt, the next dispatch. What others hold is not lost. */
export function recoverTasks(p: Planning, { held = [], unclaimed = [], offered = [] }: Recover): Reply {
  const tokens = lostTasks(p.state, [...held, ...unclaimed]);
  for (const one of unclaimed) offerAgain(p, one);
  if (offered.length > 0) record(p, { type: 'tasks.offered', tokens: offered });
  if (tokens.length > 0) record(p, { type: 'tasks.lost', tokens });
  if (tokens.length + offered.length === 0) return { applied: false, reason: 'nothing was under way' };
  return { applied: true };
}

/** TS10: what nobody ever had was not lost: it is offered again as it was, and costs nothing. */
function offerAgain(p: Planning, unclaimed: HandOut): void {
  const token = findHandOut(p, unclaimed);
  if ('reason' in token || isAnswered(p.state, token.id)) return;
  requestDispatch(p, token);
}

/** TS9: a single task that whoever had it will not answer is handed out again in the same way, unless it was answered. */
export function loseTask(p: Planning, lost: TaskLost): Reply {
  const token = findHandOut(p, lost);
  if ('reason' in token) return token;
  if (isAnswered(p.state, lost.token)) return { applied: false, reason: 'answered while paused' };
  record(p, { type: 'tasks.lost', tokens: [lost.token] });
  return { applied: true };
}
