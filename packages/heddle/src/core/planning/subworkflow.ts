// Sub-workflows: a node whose work is a run of its own. Rules SW….

import { type Failure, withoutThrown } from '../../base/failure.ts';
import { shortHash } from '../../base/hash.ts';
import { asJson, type Json, type JsonObject } from '../../base/json.ts';
import { inShard, shardOf } from '../../base/shard.ts';
import type { NodeWork } from '../../definition/graph.ts';
import type { ChildEnded } from '../commands.ts';
import type { Event } from '../events.ts';
import type { Token } from '../state.ts';
import { retryLater } from './attempts.ts';
import { inputFor } from './edits.ts';
import { nodeOf, type Planning, record, request, runOf } from './planning.ts';
import { limitFailure } from './tokens.ts';

type WorkflowWork = Extract<NodeWork, { type: 'workflow' }>;

/** Starts the sub-run of a token, or fails the node. */
export function dispatchChild(p: Planning, token: Token, work: WorkflowWork, fail: (failure: Failure) => void): void {
  const run = runOf(p);
  const mapped = token.input === undefined ? inputFor(p, token) : { value: token.input };
  if ('failure' in mapped) return fail(mapped.failure);
  const refusal = refuseChild(p);
  if (refusal) return fail(refusal);
  const timeoutMs = timeoutOf(p, token, work);
  const { continues } = token;
  const childRunId = makeChildId(run.runId, token.id, token.attempt);
  // SW8: a child gets its mapped input and nothing else; the token waits and holds no place among the tasks.
  record(p, {
    type: 'subworkflow.dispatched',
    token: token.id,
    attempt: token.attempt,
    childRunId,
    workflow: work.id,
    version: work.version,
    input: mapped.value,
    ...(timeoutMs === null ? {} : { deadline: p.at + timeoutMs }),
    ...(continues === null ? {} : { continues }),
  });
  // SW3: a child gets what is left of the budgets.
  const child = {
    workflow: work.id,
    version: work.version,
    input: mapped.value,
    parent: { runId: run.runId, token: token.id },
    rootRunId: run.rootRunId,
    depth: run.depth + 1,
    nodeBudget: run.nodeBudget - p.state.lastToken - p.state.childNodesUsed,
    descendantBudget: run.descendantBudget - p.state.descendantsUsed,
    trace: run.trace, // TC9: who asks for a trace gets those of the runs below, each on its own.
    ...(run.organization === undefined ? {} : { organization: run.organization }),
    ...(run.trigger === undefined ? {} : { trigger: run.trigger }),
    // SW10: artifacts of a parent are its child's only if the node says so.
    ...(work.inheritArtifacts ? { artifactRuns: [run.runId, ...(run.artifactRuns ?? [])] } : {}),
    ...(continues === null ? {} : { continues: { runId: continues, keepKeys: run.keyRunId !== run.runId } }),
  };
  request(p, { type: 'send', to: childRunId, message: { type: 'start', child } });
}

const timeoutOf = (p: Planning, token: Token, work: WorkflowWork): number | null =>
  work.timeoutMs ?? nodeOf(p, token.node).timeoutMs;

/** SW1: the id follows from parent, token and attempt, so that starting twice is starting once. It sorts by its parent, in its shard. */
export function makeChildId(runId: string, token: number, attempt: number): string {
  return inShard(runId.slice(0, 10) + shortHash(`${runId}/${token}/${attempt}`).slice(0, 16), shardOf(runId));
}

// SW2: sub-workflows nest, and multiply, up to the limits.
function refuseChild(p: Planning): Failure | null {
  const { depth, descendantBudget } = runOf(p);
  const { nestingMax } = p.graph.limits;
  if (depth + 1 > nestingMax) return limitFailure(p, 'nestingMax', nestingMax, depth + 1);
  if (p.state.descendantsUsed + 1 > descendantBudget)
    return limitFailure(p, 'descendantsMax', descendantBudget, p.state.descendantsUsed + 1);
  return null;
}

/** What becomes of a node whose sub-run has ended. */
export type ChildVerdict =
  | { readonly type: 'finish'; readonly output: Json; readonly facts: readonly Event[] }
  | { readonly type: 'fail'; readonly failure: Failure }
  | { readonly type: 'retried' };

export function judgeChild(p: Planning, token: Token, ended: ChildEnded): ChildVerdict {
  record(p, {
    type: 'subworkflow.completed',
    token: token.id,
    childRunId: ended.childRunId,
    status: ended.status,
    ...(ended.output === undefined ? {} : { output: ended.output }),
    ...(ended.error === undefined ? {} : { error: withoutThrown(ended.error) }),
    nodesUsed: ended.nodesUsed,
    descendantsUsed: ended.descendantsUsed,
  });
  // SW7: a child's output is the node's output, its failure the node's failure with the child's own code.
  if (ended.status === 'completed') return { type: 'finish', output: ended.output ?? {}, facts: [] };
  return failedChild(p, token, ended.status, describeFailure(ended));
}

// FL11: a failure that comes through several sub-runs is reported as the innermost, with the runs that it came through.
function describeFailure({ childRunId, status, error }: ChildEnded): Failure {
  const { thrown, ...cause }: Failure = error ?? { code: 'SUBWORKFLOW_FAILED', message: `it ended ${status}` };
  const runs = [childRunId, ...(cause.runs ?? [])];
  const innermost = (cause.runs === undefined ? cause : (cause.details as JsonObject)['error']) as unknown as Failure; // made here
  const where = runs.length === 1 ? '' : ` (in run ${runs.at(-1)}, ${runs.length} levels below)`;
  const how = status === 'failed' ? 'failed' : `was ${status}`;
  return {
    code: cause.code,
    message: `Expected sub-workflow run ${childRunId} to complete, but it ${how}: ${innermost.message}${where}`,
    runs,
    details: { childRunId, error: asJson(innermost) },
    ...(thrown === undefined ? {} : { thrown }),
  };
}

// SW4: a child that takes too long is cancelled, and its node has failed.
export function timeOutChild(p: Planning, token: Token): ChildVerdict {
  const childRunId = token.childRunId as string; // it waits for one
  const timeoutMs = (token.dueAt as number) - token.since; // a timer has fired
  record(p, { type: 'subworkflow.timed_out', token: token.id, childRunId, timeoutMs, elapsedMs: p.at - token.since });
  request(p, { type: 'send', to: childRunId, message: { type: 'cancel', reason: `timed out after ${timeoutMs} ms` } });
  return failedChild(p, token, 'timed_out', {
    code: 'SUBWORKFLOW_TIMED_OUT',
    message: `Expected sub-workflow run ${childRunId} to end within ${timeoutMs} ms, but it did not`,
    details: { childRunId, timeoutMs },
  });
}

/** SW5: retries come first, each with a new child; then `catch` turns the error into the node's output. */
function failedChild(p: Planning, token: Token, status: string, failure: Failure): ChildVerdict {
  const node = nodeOf(p, token.node);
  const failed = { failure, retryable: true, retryAfterMs: null };
  if (retryLater(p, token, node.retry, failed)) return { type: 'retried' };
  if (node.work.type !== 'workflow' || node.work.onFailure !== 'catch') return { type: 'fail', failure };
  const output = { status, error: asJson(withoutThrown(failure)) };
  return { type: 'finish', output, facts: [{ type: 'task.completed', token: token.id, output }] };
}
