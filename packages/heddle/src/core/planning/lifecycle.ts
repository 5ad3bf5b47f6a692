// Lifecycle: how a run starts, pauses, goes on and ends. Rules LC….
//
// Always true: the terminal event is the last one, and no token lives after it.

import { copyJson } from '../../base/copy-json.ts';
import type { Failure } from '../../base/failure.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type { Graph } from '../../definition/graph.ts';
import type { Command, Reply } from '../commands.ts';
import type { EventOf } from '../events.ts';
import { applyInputMapping } from './mapping.ts';
import { nodeOf, type Planning, record, request, runOf } from './planning.ts';
import { cancelTokens, createTokens } from './tokens.ts';

/** LC1: input that does not fit the schema starts nothing. */
export function refuseInput(graph: Graph, input: Json): Failure | null {
  const problems = graph.inputSchema?.(input) ?? [];
  const [first] = problems;
  if (!first) return null;
  return {
    code: 'INPUT_INVALID',
    message: `Expected the input to fit the schema of workflow ${graph.id}, but it does not: ${first.message}`,
    details: problems.map(({ pointer, message }) => ({ pointer, message })),
  };
}

export function startRun(p: Planning, command: Extract<Command, { type: 'start' }>): Reply {
  // LC2: starting twice is starting once.
  if (p.state.run) return { applied: false, reason: 'already started' };
  record(p, { type: 'workflow.started', at: p.at, ...command.start });
  if (command.restore === undefined) {
    // LC3: a run begins with one token at its initial node.
    createTokens(p, { node: p.graph.initialNode.id, branch: [0, 0] });
    return { applied: true };
  }
  restoreRun(p, command.restore);
  return { applied: true };
}

// LC9: a retry goes on from the tokens and the state that its run had just before it failed.
function restoreRun(p: Planning, state: Json): void {
  record(p, { type: 'workflow.restored', state });
  for (const token of p.state.tokens.values()) {
    if (token.status === 'ready' && nodeOf(p, token.node).work.type !== 'action')
      p.steps.push({ type: 'begin', token: token.id });
  }
}

/** LC4: a run is complete when its last token has ended; its output is mapped, and checked, then. */
export function completeRun(p: Planning): void {
  const mapped = p.graph.outputMapping
    ? applyInputMapping(p, { branch: p.state.root }, p.graph.outputMapping)
    : { value: p.state.root.context?.output ?? {} };
  if ('failure' in mapped) return failRun(p, mapped.failure);
  const problems = p.graph.outputSchema?.(mapped.value) ?? [];
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

export function failRun(p: Planning, error: Failure): void {
  endRun(p, { type: 'workflow.failed', at: p.at, error });
}

type TerminalEvent = EventOf<'workflow.completed' | 'workflow.failed' | 'workflow.cancelled' | 'workflow.timed_out'>;

/** LC7: a run that ends calls off its tokens, tells its sub-runs, and tells its parent. */
export function endRun(p: Planning, event: TerminalEvent): void {
  cancelTokens(
    p,
    [...p.state.tokens.values()],
    event.type === 'workflow.cancelled' ? event.reason : 'the run has ended',
  );
  record(p, event);
  p.steps.length = 0;
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

// LC8: pausing and going on reach the sub-runs too.
export function pauseRun(p: Planning): Reply {
  if (p.state.paused) return { applied: false, reason: 'already paused' };
  record(p, { type: 'workflow.paused', at: p.at });
  tellChildren(p, 'pause');
  return { applied: true };
}

/** Answers with the commands that came meanwhile, in their order. */
export function resumeRun(p: Planning): readonly Command[] {
  const held = p.state.held as unknown as readonly Command[]; // made by `holdCommand`
  record(p, { type: 'workflow.unpaused', at: p.at });
  tellChildren(p, 'resume');
  return held;
}

// LC11: what comes while the run is paused is kept, and has its turn when it goes on.
export function holdCommand(p: Planning, command: Command): Reply {
  record(p, { type: 'workflow.held', command: copyJson(command as unknown as JsonObject) });
  return { applied: true, reason: 'held while paused' };
}

function tellChildren(p: Planning, type: 'pause' | 'resume'): void {
  if (p.state.waitingForChildren === 0) return;
  for (const { childRunId } of p.state.tokens.values()) {
    if (childRunId !== null) request(p, { type: 'send', to: childRunId, message: { type } });
  }
}
