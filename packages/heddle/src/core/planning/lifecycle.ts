// Lifecycle: how a run starts, pauses, is suspended, resumes and ends. Rules LC… and SP….
//
// Always true: the terminal event is the last one, and no token lives after it.

import { assert } from '../../base/assert.ts';
import { copyJson } from '../../base/copy-json.ts';
import type { Failure } from '../../base/failure.ts';
import { asJson, type Json } from '../../base/json.ts';
import type { Graph } from '../../definition/graph.ts';
import type { Meter } from '../../expression/expression.ts';
import type { ChildChanged, Command, Reply } from '../commands.ts';
import type { EventOf, RunStart } from '../events.ts';
import { heldCommands } from '../held-commands.ts';
import { isSuspended } from '../run-class.ts';
import { checkWithin, stepsExceeded } from './allowance.ts';
import { chargeNode, chargeRun, reserveRun, settleCredits } from './credits.ts';
import { readSource } from './edits.ts';
import { listenForEvent } from './event-wait.ts';
import { beginMapping, describeSource, noteValue } from './explain.ts';
import { notePrompt, readStanding } from './input.ts';
import { applyInputMapping } from './mapping.ts';
import { dropSteps, type Planning, record, request, runOf } from './planning.ts';
import { cancelTokens, createTokens, lostTasks } from './tokens.ts';

/** LC1: input that does not fit the schema starts nothing. */
export function refuseInput(graph: Graph, input: Json, meter: Meter): Failure | null {
  const problems = graph.inputSchema?.(input, meter) ?? [];
  // LC15: neither does one whose check takes more steps than a command may.
  if (meter.stepsLeft < 0) return stepsExceeded(graph, `the check of the input by the schema of workflow ${graph.id}`);
  const [first] = problems;
  if (!first) return null;
  return {
    code: 'INPUT_INVALID',
    message: `Expected the input to fit the schema of workflow ${graph.id}, but it does not: ${first.message}`,
    details: problems.map(({ pointer, message }) => ({ pointer, message })),
  };
}

type FromGraph =
  | 'workflow'
  | 'version'
  | 'hash'
  | 'deadline'
  | 'countsNodes'
  | 'keepsOutputs'
  | 'oneAtATime'
  | 'reserve';

/** What a run itself brings to its start. */
export type OwnStart = Omit<RunStart, FromGraph>;

/**
 * What every run gets from its workflow, whoever starts it: a caller, a parent, a retry. `done`: outputs by node that the
 * run takes over; it does not pay for them again.
 */
export function runStart(graph: Graph, at: number, own: OwnStart, done: Readonly<Record<string, Json>> = {}): RunStart {
  const { policy } = graph;
  const paysAtOnce = own.organization !== undefined && policy.charge !== 'node';
  return {
    ...own,
    nodeBudget: own.nodeBudget + (policy.hiddenNode === null ? 0 : 1), // nobody asked for that visit
    workflow: graph.id,
    version: graph.version,
    hash: graph.hash,
    deadline: graph.timeoutMs === null ? null : (own.startAt ?? at) + graph.timeoutMs,
    countsNodes: graph.edges !== null,
    ...(policy.keepsOutputs ? { keepsOutputs: true } : {}),
    ...(policy.oneAtATime ? { oneAtATime: true } : {}),
    ...(paysAtOnce ? { reserve: sumCosts(graph, done) } : {}),
  };
}

/** What all its nodes cost together, each once. */
function sumCosts({ nodes }: Graph, done: Readonly<Record<string, Json>>): number {
  let cost = 0;
  for (const node of nodes.values()) if (!Object.hasOwn(done, node.id)) cost += node.cost;
  return cost;
}

export function startRun(p: Planning, command: Extract<Command, { type: 'start' }>): Reply {
  // LC2: starting twice is starting once.
  if (p.state.run) return { applied: false, reason: 'already started' };
  record(p, { type: 'workflow.started', at: p.at, ...command.start });
  if (command.isWhole && command.restore !== undefined) goOn(p, command.restore);
  else {
    // LC9: a retry continues from the tokens and the state that its run had just before it failed.
    if (command.restore !== undefined) record(p, { type: 'workflow.restored', state: command.restore });
    // LC14: a run with a later time begins then: it is there, waits, and can be called off.
    if ((command.start.startAt ?? p.at) <= p.at) payAndBegin(p);
  }
  return { applied: true };
}

/** What a run pays as a whole is asked for first. */
export function payAndBegin(p: Planning): void {
  if (!reserveRun(p)) beginRun(p);
}

/** LC3: a run begins with one token at each of its initial nodes, unless it has taken over those of another. */
export function beginRun(p: Planning): void {
  if (p.state.tokens.size === 0) {
    for (const { id } of p.graph.initialNodes) createTokens(p, { node: id, branch: [0, 0] });
    return;
  }
  for (const token of p.state.tokens.values())
    if (token.status === 'ready') p.steps.push({ type: 'begin', token: token.id });
}

// LC13: a run that is restored from a snapshot continues exactly where it stopped: what it waits for is noted again, and
// what was running is handed out again.
function goOn(p: Planning, state: Json): void {
  record(p, { type: 'workflow.restored', state, isWhole: true });
  if (p.state.credits.awaited) chargeRun(p);
  for (const token of p.state.tokens.values()) {
    if (token.status === 'waiting_for_input') notePrompt(p, token, readStanding(p, token));
    if (token.status === 'waiting_for_event') listenForEvent(p, token);
    if (token.status === 'waiting_for_credits') chargeNode(p, token);
  }
  const lost = lostTasks(p.state);
  if (lost.length > 0) record(p, { type: 'tasks.lost', tokens: lost });
  const putOff = [...p.state.tokens.values()].filter(({ status }) => status === 'waiting_for_action');
  if (putOff.length > 0) record(p, { type: 'tasks.offered', tokens: putOff.map(({ id }) => id) });
}

/** LC4: a run is complete when its last token has ended; its output is mapped, and checked, then. */
export function completeRun(p: Planning): void {
  const failure = recordedFailure(p);
  if (failure) return failRun(p, failure);
  const mapped = evaluateOutput(p);
  if ('failure' in mapped) return failRun(p, mapped.failure);
  const { outputSchema } = p.graph;
  const problems = outputSchema ? checkWithin(p, outputSchema, mapped.value) : [];
  if (p.fatal) return failRun(p, p.fatal);
  const [first] = problems;
  if (first) {
    return failRun(p, {
      code: 'OUTPUT_INVALID',
      message: `Expected the output to fit the schema of workflow ${p.graph.id}, but it does not: ${first.message}`,
      details: problems.map(({ pointer, message }) => ({ pointer, message })),
    });
  }
  endRun(p, { type: 'workflow.completed', at: p.at, output: mapped.value });
}

function evaluateOutput(p: Planning): { value: Json } | { failure: Failure } {
  const { output, outputMapping } = p.graph;
  const from = { branch: p.state.root };
  if (p.state.result !== undefined) return { value: p.state.result };
  if (p.decisions) beginMapping(p, 'run_output');
  if (outputMapping) return applyInputMapping(p, from, outputMapping);
  if (!output) return { value: p.state.root.context?.output ?? {} };
  const found = readSource(p, from, output);
  if (p.decisions) noteValue(p, 'output', describeSource(output), found);
  return 'failure' in found ? found : { value: copyJson(found.value ?? {}) };
}

/** DA2: a run in which nodes have failed has failed, when nothing is left to do. */
function recordedFailure({ state }: Planning): Failure | null {
  const nodes = Object.keys(state.errors);
  if (nodes.length === 0) return null;
  const first = nodes[0] as string; // there is one
  const others = nodes.length > 1 ? ` (and ${nodes.length - 1} more)` : '';
  return {
    code: 'NODES_FAILED',
    message: `Expected all nodes to succeed, but node ${first} failed: ${state.errors[first]}${others}`,
    nodeId: first,
    details: { ...state.errors },
  };
}

export function failRun(p: Planning, error: Failure): void {
  endRun(p, { type: 'workflow.failed', at: p.at, error });
}

type TerminalEvent = EventOf<
  'workflow.completed' | 'workflow.failed' | 'workflow.cancelled' | 'workflow.timed_out' | 'workflow.exhausted'
>;

/** LC7: a run that ends calls off its tokens, tells its sub-runs, and tells its parent. */
export function endRun(p: Planning, event: TerminalEvent): void {
  // SP3: a suspended run that ends by what it waited for was resumed before; one that is cancelled or times out was not.
  const isWoken = event.type !== 'workflow.cancelled' && event.type !== 'workflow.timed_out';
  if (p.state.suspended && isWoken) record(p, { type: 'workflow.resumed', at: p.at });
  settleCredits(p);
  const reason = event.type === 'workflow.cancelled' ? event.reason : 'the run has ended';
  cancelTokens(p, [...p.state.tokens.values()], reason, true);
  record(p, event);
  dropSteps(p);
  const { parent, runId } = runOf(p);
  const { outcome, output, error, lastToken, childNodesUsed, descendantsUsed } = p.state;
  if (!parent) return;
  request(p, {
    type: 'send',
    to: parent.runId,
    message: {
      type: 'child.ended',
      token: parent.token,
      childRunId: runId,
      status: outcome ?? '',
      ...(outcome === 'completed' && output !== undefined ? { output } : {}),
      ...(error ? { error } : {}),
      nodesUsed: lastToken + childNodesUsed,
      descendantsUsed,
    },
  });
}

// LC12: cancelling ends the run as cancelled, with its reason.
export function cancelRun(p: Planning, reason: string): Reply {
  endRun(p, { type: 'workflow.cancelled', at: p.at, reason });
  return { applied: true };
}

// LC8: pausing and resuming reach the sub-runs too.
export function pauseRun(p: Planning): Reply {
  if (p.state.paused) return { applied: false, reason: 'already paused' };
  record(p, { type: 'workflow.paused', at: p.at });
  tellChildren(p, 'pause');
  return { applied: true };
}

export function resumeRun(p: Planning): void {
  const keepsHeld = p.state.held.length > 0;
  record(p, { type: 'workflow.unpaused', at: p.at, ...(keepsHeld ? { keepsHeld } : {}) });
  tellChildren(p, 'resume');
}

/** The first of the commands that came while the run was paused; it is no longer held. */
export function takeHeld(p: Planning): Command {
  const [first] = heldCommands(p.state.held);
  assert(first, 'Expected a command that is held, but there is none');
  record(p, { type: 'held.taken' });
  return first;
}

// LC11: what comes while the run is paused is kept, and has its turn when it resumes.
export function holdCommand(p: Planning, command: Command): Reply {
  record(p, { type: 'workflow.held', command: copyJson(asJson(command)) });
  return { applied: true, reason: 'held while paused' };
}

function tellChildren(p: Planning, type: 'pause' | 'resume'): void {
  if (p.state.waitingForChildren === 0) return;
  for (const { childRunId } of p.state.tokens.values()) {
    if (childRunId !== null) request(p, { type: 'send', to: childRunId, message: { type } });
  }
}

/** SP1: a change of class is journaled, and a child tells its parent. */
export function tellSuspension(p: Planning): void {
  const { state } = p;
  if (state.outcome !== null || state.paused || !state.run) return;
  const suspended = isSuspended(state);
  if (suspended === state.suspended) return;
  record(p, { type: suspended ? 'workflow.suspended' : 'workflow.resumed', at: p.at });
  const { parent, runId } = runOf(p);
  if (!parent) return;
  const type = suspended ? 'child.suspended' : 'child.resumed';
  request(p, { type: 'send', to: parent.runId, message: { type, token: parent.token, childRunId: runId } });
}

/** SP2: a parent whose sub-runs are all suspended, and that has nothing else to do, is suspended too. */
export function acceptChildChange(p: Planning, { type, token: id, childRunId }: ChildChanged): Reply {
  const token = p.state.tokens.get(id);
  const suspended = type === 'child.suspended';
  if (token?.childRunId !== childRunId || token.childSuspended === suspended)
    return { applied: false, reason: 'token does not wait for that run' };
  record(p, { type: suspended ? 'subworkflow.suspended' : 'subworkflow.resumed', token: id, childRunId });
  return { applied: true };
}
