// What must be true of a run as a whole: how it starts, pauses, goes on and ends: I2, I6 to I8, I22, I26, I27, I37, I38,
// I40, I43.

import type { Failure } from '../../packages/heddle/src/base/failure.ts';
import type { Json } from '../../packages/heddle/src/base/json.ts';
import type { EventOf, EventType } from '../../packages/heddle/src/core/events.ts';
import { checkUnreachable } from './check-branches.ts';
import { checkFailure, checkOutput } from './check-values.ts';
import type { TerminalEvent } from './facts.ts';
import type { RunFacts } from './run-facts.ts';

export function startRun(facts: RunFacts, event: EventOf<'workflow.started'>): void {
  if (facts.start !== null) facts.broken('I37', 'Expected a run to start once, but it started again');
  facts.start = event;
  const { definition, policy, countsNodes } = facts.drawing;
  const isPinned = event.runId === facts.runId && event.workflow === definition.id && event.countsNodes === countsNodes;
  const isOfPolicy =
    (event.keepsOutputs ?? false) === policy.keepsOutputs && (event.oneAtATime ?? false) === policy.oneAtATime;
  if (!isPinned || !isOfPolicy) facts.broken('I6', `Expected a run of ${definition.id}, but it started as another`);
  const deadline = definition.timeoutMs === undefined ? null : event.at + definition.timeoutMs;
  // A run that goes on from a snapshot keeps the deadline that it had.
  if (event.deadline !== deadline && !(event.deadline !== null && deadline !== null && event.deadline < deadline))
    facts.broken('I27', `Expected the run to end until ${deadline}, but its deadline is ${event.deadline}`);
  if ((event.parent === null) !== (event.rootRunId === facts.runId) || (event.parent === null) !== (event.depth === 0))
    facts.broken('I5', 'Expected a run to have a parent or to be a root, but it is neither or both');
  const [problem] = facts.drawing.schema('inputSchema')?.(event.input) ?? [];
  if (problem) facts.broken('I25', `Expected the input to fit its schema, but: ${problem.message}`);
}

// ------------------------------------------------------------------------------------------------------------- pauses

export function pauseRun(facts: RunFacts): void {
  if (facts.isPaused) facts.broken('I40', 'Expected a run that goes on to be paused, but it was paused already');
  facts.isPaused = true;
  facts.pauses++;
}

export function unpauseRun(facts: RunFacts, { keepsHeld }: EventOf<'workflow.unpaused'>): void {
  if (!facts.isPaused) facts.broken('I40', 'Expected a run that is paused to go on, but it was not paused');
  facts.isPaused = false;
  facts.resumes++;
  facts.resumedAt = facts.at;
  facts.touched.hasResumed = true;
  if (keepsHeld) return;
  facts.touched.held = facts.held;
  facts.held = [];
}

/** I43: what was kept has its turn in the order in which it came. */
export function takeHeld(facts: RunFacts): void {
  const command = facts.held.shift();
  if (command === undefined || facts.isPaused)
    return facts.broken('I43', 'Expected a run that goes on to take what it has kept, but it has kept nothing');
  facts.touched.held = [...facts.touched.held, command];
}

/** I43: what comes while the run is paused is kept; of the answers to one prompt, one. */
export function holdCommand(facts: RunFacts, { command }: EventOf<'workflow.held'>): void {
  if (!facts.isPaused && facts.held.length === 0)
    facts.broken('I40', 'Expected only a paused run to keep what comes, but this one is not');
  const { type, token } = command;
  if (type === 'reply') {
    const correlationId = command['correlationId'] as string; // of an answer
    const prompt = facts.prompts.get(correlationId);
    const isSecond = facts.held.some((held) => held['type'] === 'reply' && held['token'] === token);
    if (isSecond || prompt?.standing !== 'active')
      facts.broken('I43', `Expected one answer to prompt ${correlationId}, but another was kept`);
    prompt.answer = command['payload'];
  }
  facts.held.push(command);
}

/** I22: while paused nothing is handed out and no token moves but to its end. */
export function checkPaused(facts: RunFacts, type: EventType): void {
  if (facts.isPaused && !whilePaused.has(type))
    facts.broken('I22', `Expected a paused run to stand still, but found ${type}`);
}

const whilePaused: ReadonlySet<EventType> = new Set<EventType>([
  'workflow.held',
  'workflow.paused',
  'workflow.unpaused',
  'workflow.cancelled',
  'workflow.timed_out',
  'tokens.cancelled',
  'tasks.lost',
  'step.completed',
  'input.requested',
  'input_queue.joined',
  'input_queue.left',
  'subworkflow.suspended',
  'subworkflow.resumed',
]);

export function suspendRun(facts: RunFacts, { type }: EventOf<'workflow.suspended' | 'workflow.resumed'>): void {
  const isNow = type === 'workflow.suspended';
  if (facts.isSuspended === isNow) facts.broken('I40', `Expected a change of class, but ${type} changes nothing`);
  facts.isSuspended = isNow;
}

// ---------------------------------------------------------------------------------------------------------------- end

/** I7: no token outlives its run. */
export function endRun(facts: RunFacts, event: TerminalEvent): void {
  if (facts.live > 0) facts.broken('I7', `Expected no token to outlive the run, but ${facts.live} do`);
  if (event.at !== facts.at) facts.broken('I26', `Expected the run to end at ${facts.at}, but it ended at ${event.at}`);
  facts.end = event;
}

export function completeRun(facts: RunFacts, event: EventOf<'workflow.completed'>): void {
  endRun(facts, event);
  if (facts.touched.before === 'tokens.cancelled' || facts.isPaused || facts.credits.isAwaited)
    facts.broken('I2', 'Expected a run to complete when its last token has ended, but it did before');
  if (facts.errors.size > 0) facts.broken('I38', 'Expected a run whose nodes have failed to fail, but it completed');
  checkOutput(facts, event.output);
}

export function failRun(facts: RunFacts, event: EventOf<'workflow.failed'>): void {
  endRun(facts, event);
  checkFailure(facts, event.error);
  checkUnreachable(facts, event.error);
  checkAbandoned(facts, event.error);
  // A sub-run may have failed by that, too.
  if (event.error.code !== 'NODES_FAILED' || !facts.drawing.policy.keepsOutputs) return;
  const failed = Object.keys((event.error.details ?? {}) as Readonly<Record<string, Json>>);
  if (failed.length !== facts.errors.size || !failed.every((node) => facts.errors.has(node)))
    facts.broken('I38', `Expected the nodes that failed to be named, but found ${failed.join()}`);
}

/** I14: what a join left alone can fail for itself alone. */
function checkAbandoned(facts: RunFacts, { code, nodeId }: Failure): void {
  const { failed } = facts.touched;
  if (failed?.error.code !== code || failed.error.nodeId !== nodeId) return;
  for (let b = failed.token.branch; b.group !== null; b = b.group.parent)
    if (b.isDetached)
      facts.broken('I14', 'Expected a failure in what was left alone to end that alone, but the run has failed');
}

export function timeOutRun(facts: RunFacts, event: EventOf<'workflow.timed_out'>): void {
  endRun(facts, event);
  facts.reachDue(facts.start?.deadline ?? null, 'the run');
}

// ------------------------------------------------------------------------------------------------------------- status

/** Whether tasks are handed out or wait to be. Where they go one at a time, a wait holds those that are ready. */
export function hasWork(facts: RunFacts): boolean {
  if (facts.end !== null) return false;
  if (facts.count('dispatched') > 0 || hasBranchesLeft(facts) || (!facts.isPaused && facts.held.length > 0))
    return true;
  if (facts.drawing.policy.oneAtATime && facts.timed + facts.count('credits') > 0) return false;
  return facts.count('ready') > 0;
}

/** Branches that begin by themselves in one of the next commands. */
export function hasBranchesLeft({ groups }: RunFacts): boolean {
  for (const { hasFired, isClosed, spawns } of groups.values()) {
    if (hasFired || isClosed) continue;
    for (const { spawned, count, maxParallel, busy } of spawns)
      if (spawned < count && (maxParallel === null || busy < maxParallel)) return true;
  }
  return false;
}

/** Only people or outside events can wake it. */
export function isSuspended(facts: RunFacts): boolean {
  const children = facts.count('subworkflow');
  const goesOn =
    facts.timed > 0 || children > facts.childrenSuspended || facts.count('credits') > 0 || facts.credits.isAwaited;
  const waits = facts.count('asked') + facts.count('queued') + facts.count('event') + facts.childrenSuspended;
  return !goesOn && waits > 0 && !hasWork(facts);
}

/** I40: the status that the facts add up to. */
export function statusOf(facts: RunFacts): string {
  if (facts.end !== null) return facts.end.type.slice('workflow.'.length);
  if (facts.isPaused) return 'paused';
  if (facts.credits.isAwaited) return 'submitted';
  if (hasWork(facts)) return 'running';
  return isSuspended(facts) ? 'suspended' : 'waiting';
}

/** I27: when the run wants its alarm. While paused only its own deadline counts. */
export function nextTimerAt(facts: RunFacts): number | null {
  if (facts.end !== null) return null;
  const deadline = facts.start?.deadline ?? null;
  const { earliest } = facts.deadlines;
  // What was held has its turn before timers have theirs.
  if (facts.isPaused || facts.held.length > 0 || earliest === null) return deadline;
  return deadline === null ? earliest : Math.min(deadline, earliest);
}
