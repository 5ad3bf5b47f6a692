// Plan: the one door into the core. A command becomes events and effects; nothing else happens here.
//
// Always true:
//   P1. Same graph, state and command give the same plan.
//   P2. Every event is applied before the next rule looks at the state.
//   P3. A plan ends: each step belongs to a token or a group, and limits bound how many of them there can be.

import { InvariantError } from '../../base/assert.ts';
import type { Graph } from '../../definition/graph.ts';
import { copyState } from '../apply/apply.ts';
import type { EncodedState } from '../apply/encoded-state.ts';
import type { Command, Reply } from '../commands.ts';
import type { Decision } from '../decisions.ts';
import type { Effect } from '../effects.ts';
import type { Event } from '../events.ts';
import { heldCommands } from '../held-commands.ts';
import { hasSpawnable, hasWork, isCatchingUp, isDelayed } from '../run-class.ts';
import type { RunState } from '../state.ts';
import type { TraceEvent } from '../trace.ts';
import { mayTakeMore, spendSteps, stepsPerToken } from './allowance.ts';
import { finishBatch } from './batch-end.ts';
import { failPath, leaveBranch, settleBranch } from './branch-end.ts';
import { acceptChildEnd } from './child-end.ts';
import { acceptCredits } from './credit-answer.ts';
import { acceptEvent } from './event-arrival.ts';
import { beginBranches } from './fan-out.ts';
import { acceptPromptMessage, acceptReply } from './input-end.ts';
import {
  acceptChildChange,
  cancelRun,
  completeRun,
  failRun,
  pauseRun,
  resumeRun,
  startRun,
  takeHeld,
  tellSuspension,
} from './lifecycle.ts';
import { beginWork, enterToken, failNode } from './nodes.ts';
import { dropSteps, hasSteps, type Planning, queueUnsettled, type Step, type UnhandledFailure } from './planning.ts';
import { checkGroup } from './synchronization.ts';
import { acceptStep } from './task-steps.ts';
import { acceptResult, handOutTasks, loseTask, offerTasks, recoverTasks } from './tasks.ts';
import { fireTimer, nothingDue, takeDueTimer } from './timers.ts';

export interface Plan {
  readonly events: readonly Event[];
  readonly effects: readonly Effect[];
  readonly trace: readonly TraceEvent[];
  readonly reply: Reply;
  /** The run must send itself a `continue`. */
  readonly isUnfinished: boolean;
  /** Steps that it took. */
  readonly cost: number;
}

/** PL1: a plan follows from graph, state and command alone. The public door: works on a copy. */
export function plan(graph: Graph, before: RunState, command: Command): Plan & { readonly state: RunState } {
  const state = copyState(before);
  return { ...planInPlace(graph, state, command), state };
}

/** The hot path: changes `state`, which its owner throws away if the commit fails. `decisions` is filled if it is given. */
export function planInPlace(
  graph: Graph,
  state: RunState,
  command: Command,
  decisions: Decision[] | null = null,
): Plan {
  // TM4: time never goes back within a run.
  const before = state.at;
  state.at = Math.max(before, command.at);
  const { limits } = graph;
  const traces = command.type === 'start' ? command.start.trace : state.run?.trace;
  const p: Planning = {
    graph,
    state,
    at: state.at,
    events: [],
    effects: [],
    steps: [],
    failures: [],
    allowance: { stepsLeft: limits.commandCostMax, bytesLeft: limits.commandBytesMax },
    branchesLeft: limits.spawnWindow,
    takesHeld: false,
    isCutShort: false,
    trace: traces ? [] : null,
    decisions,
    fatal: null,
    failing: null,
    unsettled: null,
  };
  const reply = answer(p, command);
  if (reply.applied) settle(p);
  tellSuspension(p);
  if (p.events.length === 0) state.at = before; // the journal would not show it
  const { events, effects, trace, allowance, isCutShort } = p;
  const cost = limits.commandCostMax - allowance.stepsLeft;
  const isLeft = isCutShort || hasSpawnable(state) || isCatchingUp(state);
  const isUnfinished = isLeft && state.outcome === null && !state.paused;
  return { events, effects, trace: trace ?? untraced, reply, isUnfinished, cost };
}

const untraced: readonly TraceEvent[] = [];

/** What each command leads to. */
function answer(p: Planning, command: Command): Reply {
  if (command.type === 'start') return start(p, command);
  if (!p.state.run)
    throw new InvariantError(`Expected a run that has started, but ${command.type} came before its start`);
  // LC10: terminal is final.
  if (p.state.outcome !== null) return { applied: false, reason: `run has ended: ${p.state.outcome}` };
  switch (command.type) {
    case 'task.result':
      return acceptResult(p, command);
    case 'task.step':
      return acceptStep(p, command);
    case 'task.lost':
      return loseTask(p, command);
    case 'child.ended':
      return acceptChildEnd(p, command);
    case 'child.suspended':
    case 'child.resumed':
      return acceptChildChange(p, command);
    case 'input.enqueue':
    case 'input.release':
    case 'input.grant':
      return acceptPromptMessage(p, command);
    case 'reply':
      return acceptReply(p, command);
    case 'event':
      return acceptEvent(p, command);
    case 'credits.answer':
      return acceptCredits(p, command);
    case 'continue':
      if (isCatchingUp(p.state)) return catchUp(p);
      return isWaitingToGoOn(p.state) ? { applied: true } : { applied: false, reason: 'nothing was left to do' };
    case 'alarm':
      return fireDueTimers(p);
    case 'cancel':
      return cancelRun(p, command.reason);
    case 'pause':
      return pauseRun(p);
    case 'resume':
      return resume(p);
    case 'recover':
      return recoverTasks(p, command);
    case 'actions.available':
      return offerTasks(p, command);
  }
}

/** A retry begins with the results that its run had got while it was paused. */
function start(p: Planning, command: Extract<Command, { type: 'start' }>): Reply {
  const reply = startRun(p, command);
  if (!reply.applied || command.restore === undefined || command.isWhole) return reply;
  const { held } = command.restore as unknown as EncodedState; // made by `encodeState` (engine/retry-run.ts)
  for (const result of heldCommands(held)) {
    workOff(p);
    answer(p, result);
  }
  return reply;
}

/** TM5: due timers fire one after another, each with all that follows from it, a bounded number per command. */
function fireDueTimers(p: Planning): Reply {
  let fired = 0;
  while (fired < p.graph.limits.timersPerAlarmMax && p.state.outcome === null && (fired === 0 || mayTakeMore(p))) {
    const timer = takeDueTimer(p.state, p.at);
    if (!timer) break;
    fireTimer(p, timer);
    workOff(p);
    fired++;
  }
  return fired > 0 ? { applied: true } : nothingDue;
}

function resume(p: Planning): Reply {
  if (!p.state.paused) return { applied: false, reason: 'not paused' };
  resumeRun(p);
  return catchUp(p);
}

/**
 * LC16: what came while the run was paused has its turn in the order in which it came, as much as a command may take on
 * (PL7). The rest follows in the next; until then timers wait, and what comes waits behind it.
 */
function catchUp(p: Planning): Reply {
  p.takesHeld = true;
  for (let taken = 0; isCatchingUp(p.state) && p.state.outcome === null && (taken === 0 || mayTakeMore(p)); taken++) {
    answer(p, takeHeld(p));
    workOff(p);
  }
  p.takesHeld = false;
  return { applied: true };
}

/** Works until nothing is left to look at, then hands out what is ready and completes a run in which nothing lives. */
function settle(p: Planning): void {
  while (p.state.outcome === null) {
    workOff(p);
    if (p.state.outcome !== null) return;
    handOutTasks(p);
    if (p.fatal || hasSteps(p)) continue;
    if (!hasSpawnable(p.state) || !beginBranches(p)) break;
  }
  if (isOver(p.state)) completeRun(p);
}

const isOver = (state: RunState): boolean =>
  state.outcome === null &&
  state.tokens.size === 0 &&
  !hasSpawnable(state) &&
  !state.paused &&
  !state.credits.awaited &&
  !isDelayed(state);

const isWaitingToGoOn = (state: RunState): boolean => !state.paused && hasWork(state);

function workOff(p: Planning): void {
  for (let i = 0; p.state.outcome === null; i++) {
    if (p.failures.length > 0) failPaths(p);
    // PL3: what stops a plan half-way fails the run after what was already decided.
    if (p.fatal) {
      failRun(p, p.fatal);
      return;
    }
    if (i === p.steps.length && p.unsettled) queueUnsettled(p, p.unsettled);
    const step = p.steps[i];
    if (!step || p.state.outcome !== null) break;
    take(p, step);
  }
  dropSteps(p);
}

function failPaths(p: Planning): void {
  while (p.failures.length > 0 && p.fatal === null && p.state.outcome === null) {
    const { branch, failure } = p.failures.shift() as UnhandledFailure; // It is not empty.
    failPath(p, branch, failure);
  }
}

/** The engine's behaviour on one page: what each step leads to. */
function take(p: Planning, step: Step): void {
  switch (step.type) {
    case 'enter':
      for (let id = step.token; id < step.token + step.count && p.fatal === null && p.state.outcome === null; id++) {
        spendSteps(p, stepsPerToken);
        enterToken(p, id);
        if (p.failures.length > 0) failPaths(p);
      }
      return;
    case 'fail': {
      const token = p.state.tokens.get(step.token);
      return token && failNode(p, token, step.failure);
    }
    case 'begin': {
      const token = p.state.tokens.get(step.token);
      return token && beginWork(p, token);
    }
    case 'leave':
      return leaveBranch(p, step.branch);
    case 'settle':
      return settleBranch(p, step.branch);
    case 'check':
      return checkGroup(p, step.group);
    case 'merge-slices':
      return finishBatch(p, step.group);
  }
}
