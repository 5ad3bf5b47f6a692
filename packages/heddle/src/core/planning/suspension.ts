// Suspension: a run that only people or outside events can wake says so, to the journal and to its parent. Rules SP….

import type { ChildChanged, Reply } from '../commands.ts';
import { isSuspended } from '../run-class.ts';
import { type Planning, record, request, runOf } from './planning.ts';

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
