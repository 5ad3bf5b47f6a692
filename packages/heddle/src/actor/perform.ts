// Perform: what effects ask of the world once they are committed. Messages and notes are in the commit itself.

import { InvariantError } from '../base/assert.ts';
import type { Effect } from '../core/effects.ts';
import type { RunState } from '../core/state.ts';
import type { Executor, Task } from './ports.ts';
import type { RunActor, Staged } from './run-actor.ts';

export type Listen = (runId: string, wait: Omit<Extract<Effect, { type: 'listen' }>, 'type'>) => void;

interface World {
  readonly executor: Executor;
  readonly listen: Listen;
}

/** Null, or why it cannot be done: the run asks for what its workflow does not have, as its rows were damaged. */
export function performAll({ actor, effects }: Staged, { executor, listen }: World): Error | null {
  const { runId } = actor.row;
  try {
    for (const effect of effects) {
      if (effect.type === 'dispatch') executor.dispatch(dispatchTask(actor, effect));
      else if (effect.type === 'abort') executor.abort(runId, effect.token);
      else if (effect.type === 'listen') listen(runId, effect);
    }
    return null;
  } catch (error) {
    return error as Error; // what throws here are errors
  }
}

/** RN6: one key for all attempts and hand-outs of a task: whoever does the work can tell a repetition by it. */
function dispatchTask(actor: RunActor, effect: Extract<Effect, { type: 'dispatch' }>): Task {
  const { graph, state } = actor;
  const node = graph.nodes.get(effect.node);
  if (node?.work.type !== 'action')
    throw new InvariantError(`Expected node ${effect.node} of workflow ${graph.id} to have an action, but it has none`);
  return {
    runId: actor.row.runId,
    tokenId: effect.token,
    nodeId: node.id,
    workflow: graph.id,
    version: graph.version,
    action: node.work.name,
    actionVersion: node.work.version,
    input: effect.input,
    attempt: effect.attempt,
    dispatch: effect.dispatch,
    idempotencyKey: `${state.run?.keyRunId}/${effect.token}`,
    timeoutMs: node.timeoutMs,
    limits: graph.limits,
    trigger: state.run?.trigger ?? null,
    artifactRuns: listArtifactRuns(actor.row.runId, state),
    ...(effect.steps && { steps: effect.steps }),
  };
}

/** Runs whose artifacts the tasks of a run may read: its own first. */
export function listArtifactRuns(runId: string, { run }: RunState): readonly string[] {
  return run?.artifactRuns ? [runId, ...run.artifactRuns] : [runId];
}
