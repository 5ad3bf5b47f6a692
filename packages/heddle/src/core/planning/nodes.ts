// Nodes: what happens when a token enters one, and when its work is done or has failed. Rules ND….

import { type Failure, withoutThrown } from '../../base/failure.ts';
import type { Json } from '../../base/json.ts';
import type { NodeWork, Transition } from '../../definition/graph.ts';
import { refOf } from '../apply/branches.ts';
import type { Event, Given } from '../events.ts';
import type { Token } from '../state.ts';
import { beginBatch } from './batch.ts';
import type { Controlled, NamedHandles } from './control-keys.ts';
import { reserveNode } from './credits.ts';
import { arriveOnEdge } from './edge-join.ts';
import { buildObject, planEdits } from './edits.ts';
import { awaitEvent } from './event-wait.ts';
import { type Asked, beginMapping, noteRouting } from './explain.ts';
import { failuresAfter, fireTransitions } from './fan-out.ts';
import { ask } from './input.ts';
import { evaluate, planWrites } from './mapping.ts';
import { arrivedBy, fail, nodeOf, type Planning, record } from './planning.ts';
import { chooseRoute, type NodeEnd } from './routing.ts';
import { describeValue, type Viewpoint } from './scope.ts';
import { dispatchChild } from './subworkflow.ts';
import { arrive } from './synchronization.ts';

/** ND1: a token that was called off within the command that made it enters nothing. */
export function enterToken(p: Planning, id: number): void {
  const token = p.state.tokens.get(id);
  if (token?.status !== 'ready') return;
  const transition = arrivedBy(p, token);
  if (transition?.join) arrive(p, token, transition.join);
  else if (transition?.overEdges) arriveOnEdge(p, token, transition);
  else beginWork(p, token);
}

export function beginWork(p: Planning, token: Token): void {
  const { work } = nodeOf(p, token.node);
  switch (work.type) {
    // ND2: a node without work completes at once with an empty output.
    case 'pass':
      return finishNode(p, token, {}, []);
    // ND3: a task waits for its turn to be handed out (rule TS1), and before that for its credits.
    case 'action':
      if (Object.hasOwn(p.state.outputs, token.node)) return takeOver(p, token);
      reserveNode(p, token);
      return;
    case 'workflow':
      return dispatchChild(p, token, work, (failure) => failNode(p, token, failure));
    case 'wait':
      return beginWait(p, token, work);
    case 'event':
      return awaitEvent(p, token, work, (failure) => failNode(p, token, failure));
    case 'input':
      return ask(p, token, (failure) => failNode(p, token, failure));
    case 'batch':
      return beginBatch(p, token, work, {
        finish: () => finishNode(p, token, {}, []),
        fail: (failure) => failNode(p, token, failure),
      });
  }
}

// ND6: what a retry has taken over the output of is done.
function takeOver(p: Planning, token: Token): void {
  finishNode(p, token, p.state.outputs[token.node] as Json, []); // there is one, or it would not be taken over
}

// TM1: a wait ends at its time; one that lies in the past ends at once.
function beginWait(p: Planning, token: Token, work: Extract<NodeWork, { type: 'wait' }>): void {
  const until = waitEnd(p, token, work);
  if (typeof until !== 'number') return failNode(p, token, until);
  if (until <= p.at) return finishNode(p, token, {}, []);
  record(p, { type: 'token.waiting', token: token.id, for: 'timer', until });
}

function waitEnd(p: Planning, token: Token, work: Extract<NodeWork, { type: 'wait' }>): number | Failure {
  const evaluated: { value: Json | undefined } | { failure: Failure } =
    typeof work.value === 'number' ? { value: work.value } : evaluate(p, token, work.value);
  if ('failure' in evaluated) return evaluated.failure;
  const { value } = evaluated;
  const number = work.kind === 'until' && typeof value === 'string' ? Date.parse(value) : value;
  const until = typeof number === 'number' ? (work.kind === 'seconds' ? p.at + number * 1000 : number) : Number.NaN;
  if (until <= p.at + p.graph.limits.timeoutMsMax) return Math.ceil(until);
  return {
    code: 'WAIT_INVALID',
    message: `Expected ${work.kind === 'seconds' ? 'a number of seconds' : 'a time'} for the wait at node ${token.node}, but found ${describeValue(value)}`,
    nodeId: token.node,
  };
}

/** A node's work is done: `facts` tell how, the output mapping writes, and the token moves on. */
export function finishNode(p: Planning, token: Token, output: Json, facts: readonly Event[]): void {
  const { edits, outputMapping, resultEdits } = nodeOf(p, token.node);
  const { branch, lastError, failure } = token;
  const from: Viewpoint = { branch, lastError, failure, result: output };
  if (p.decisions) beginMapping(p, 'output', token);
  const planned = edits ? planEdits(p, from, edits) : planWrites(p, from, outputMapping);
  // ND4: an output mapping that fails, or does not fit the state schema, fails the node.
  if ('failure' in planned) return failNode(p, token, planned.failure, givenBy(facts, token));
  if (p.decisions && resultEdits) beginMapping(p, 'result', token);
  const made = resultEdits && buildObject(p, from, resultEdits);
  if (made && 'failure' in made) return failNode(p, token, made.failure, givenBy(facts, token));
  for (const fact of facts) record(p, fact);
  // CX3: outside every group values are written to the run, inside to the branch alone.
  if (planned.writes.length > 0)
    record(p, { type: 'context.updated', branch: refOf(token.branch), writes: planned.writes });
  // ED5: a node may make the run's output; a later one replaces it.
  if (made) record(p, { type: 'workflow.result_set', token: token.id, output: made.value });
  record(p, { type: 'token.completed', token: token.id });
  moveOn(p, token, { type: 'success', result: output });
}

// RD3: what came of a task is in the journal, also where nothing could be made of it.
function givenBy([fact]: readonly Event[], { status }: Token): Partial<Given> {
  if (fact?.type !== 'task.completed' || status !== 'dispatched') return {};
  const { type: _, token: __, ...given } = fact;
  return given;
}

/** FL1: a node that has failed for good sets the last error and tries its failure transitions. */
export function failNode(p: Planning, token: Token, cause: Failure, given: Partial<Given> = {}): void {
  const failure: Failure = { ...cause, nodeId: cause.nodeId ?? token.node, attempts: token.attempt };
  record(p, { type: 'task.failed', token: token.id, error: failure, ...given });
  // FL10: what was thrown stays with the failure of the task and of the run; no path, branch or expression sees it.
  moveOn(p, token, { type: 'failure', failure: withoutThrown(failure), thrown: failure.thrown });
}

/** ND5: routing comes after the output was written, so that conditions see it. */
function moveOn(p: Planning, token: Token, end: NodeEnd): void {
  const asked = p.decisions && new Map<Transition, Asked>();
  const route = chooseRoute(p, token, end, asked);
  if (asked) noteRouting(p, { token, end }, asked, route);
  // FL3: the next success on the path clears the last error.
  const failures = failuresAfter(end.type === 'failure' ? end.failure : null, token);
  const failure =
    route.type === 'fire'
      ? fireTransitions(p, token, route.transitions, failures)
      : route.type === 'fail'
        ? route.failure
        : null;
  if (route.type === 'end' && end.type === 'success') warnOfUnmatched(p, token, end.result);
  // DA1: where failures are recorded, what nobody handled only ends its path, and what depends on it is skipped.
  const isRecorded = p.graph.policy.unhandledFailure === 'record' && end.type === 'failure';
  if (failure && !isRecorded) fail(p, token.branch, withThrown(failure, end));
  else p.steps.push({ type: 'leave', branch: token.branch });
}

/** A node's own failure, if that is what fails its path, is reported with what was thrown. */
function withThrown(failure: Failure, end: NodeEnd): Failure {
  const isOwn = end.type === 'failure' && end.failure === failure && end.thrown !== undefined;
  return isOwn ? { ...failure, thrown: end.thrown } : failure;
}

/** HN5: a handle that no connection leaves ends the path, and is reported. */
function warnOfUnmatched(p: Planning, { id, node }: Token, result: Json): void {
  const { controlKeys, namesHandles } = p.graph.policy;
  if (!(controlKeys || namesHandles) || nodeOf(p, node).work.type !== 'action') return;
  if (namesHandles) {
    const { handles } = result as unknown as NamedHandles['result']; // what `readHandles` made
    for (const handle of handles ?? []) record(p, { type: 'handle.unmatched', token: id, node, handle });
    return;
  }
  const { branch } = result as unknown as Controlled['result']; // what `readControls` made
  if (branch !== 'main') record(p, { type: 'handle.unmatched', token: id, node, handle: branch });
}
