// Timers: what is due fires, in order of its time. Rules TM….

import type { Reply } from '../commands.ts';
import { holdsCommands, isDelayed } from '../run-class.ts';
import type { RunState, Token } from '../state.ts';
import type { Timer } from '../timer-heap.ts';
import { timeOutEvent } from './event-arrival.ts';
import { expirePrompt } from './input-end.ts';
import { endRun, payAndBegin } from './lifecycle.ts';
import { beginWork, failNode, finishNode } from './nodes.ts';
import { nodeOf, type Planning, record, runOf } from './planning.ts';
import { timeOutChild } from './subworkflow.ts';
import { timeOutJoin } from './synchronization.ts';

/** Whether an entry of the heap still says what the run says. A paused run keeps to its own deadline alone. */
function isSet(state: RunState, timer: Timer): boolean {
  switch (timer.type) {
    case 'run':
      return state.run?.deadline === timer.at;
    case 'start':
      return isDelayed(state) && state.run?.startAt === timer.at;
    case 'token':
      return state.tokens.get(timer.token)?.dueAt === timer.at;
    case 'join':
      return state.groups.get(timer.group)?.deadline === timer.at;
  }
}

/** When the run wants its next alarm; null if nothing will wake it by itself. */
export function nextTimerAt(state: RunState): number | null {
  if (state.outcome !== null) return null;
  // TM2: while paused only the run's own deadline counts; the others are due when it resumes, after what came before.
  if (holdsCommands(state)) return state.run?.deadline ?? null;
  if (state.timers.size > 1024 && state.timers.size > 4 * (state.tokens.size + state.groups.size)) {
    state.timers.compact((timer) => isSet(state, timer));
  }
  return state.timers.peek((timer) => isSet(state, timer))?.at ?? null;
}

/** The next timer that is due at `at`, taken from the heap; null if none is. */
export function takeDueTimer(state: RunState, at: number): Timer | null {
  const next = nextTimerAt(state);
  if (next === null || next > at) return null;
  if (holdsCommands(state)) return { type: 'run', at: next };
  const timer = state.timers.peek((t) => isSet(state, t));
  state.timers.pop();
  return timer;
}

/** TM3: a timer fires at or after its time, once. */
export function fireTimer(p: Planning, timer: Timer): void {
  switch (timer.type) {
    case 'run':
      return timeOutRun(p);
    case 'start':
      return payAndBegin(p);
    case 'join': {
      const group = p.state.groups.get(timer.group);
      return group && timeOutJoin(p, group);
    }
    case 'token':
      return fireTokenTimer(p, p.state.tokens.get(timer.token) as Token); // timers go with their tokens
  }
}

// LC5: a run that takes longer than it may is timed out, and ends like one that failed.
function timeOutRun(p: Planning): void {
  const { deadline, startAt = p.state.startedAt } = runOf(p);
  const timeoutMs = (deadline ?? 0) - startAt;
  const message = `Expected the run to end within ${timeoutMs} ms, but it did not`;
  endRun(p, { type: 'workflow.timed_out', at: p.at, error: { code: 'RUN_TIMED_OUT', message } });
}

function fireTokenTimer(p: Planning, token: Token): void {
  if (token.status === 'waiting_for_subworkflow') {
    const verdict = timeOutChild(p, token);
    if (verdict.type === 'finish') finishNode(p, token, verdict.output, verdict.facts);
    if (verdict.type === 'fail') failNode(p, token, verdict.failure);
    return;
  }
  if (token.status === 'waiting_for_input') return expirePrompt(p, token);
  if (token.status === 'waiting_for_event') return timeOutEvent(p, token);
  const wasWaiting = token.status === 'waiting_for_timer';
  record(p, { type: 'timer.fired', token: token.id });
  if (wasWaiting) finishNode(p, token, token.result ?? {}, []);
  else if (nodeOf(p, token.node).work.type === 'workflow') beginWork(p, token);
}

export const nothingDue: Reply = { applied: false, reason: 'nothing was due' };
