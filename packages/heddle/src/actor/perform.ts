// Perform: an effect to hand out a task, as the executor wants it.

import { assert } from '../base/assert.ts';
import type { Effect } from '../core/effects.ts';
import type { Task } from './ports.ts';
import type { RunActor } from './run-actor.ts';

/** RN6: one key for all attempts and hand-outs of a task: whoever does the work can tell a repetition by it. */
export function dispatchTask(actor: RunActor, effect: Extract<Effect, { type: 'dispatch' }>): Task {
  const { graph, state } = actor;
  const node = graph.nodes.get(effect.node);
  assert(
    node?.work.type === 'action',
    `Expected node ${effect.node} of workflow ${graph.id} to have an action, but it has none`,
  );
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
  };
}
