// Simulate: what would happen to a run, found out on a copy of its state. Nothing here is journaled. Rules VW4 and VW7.

import type { Look } from '../actor/inbox.ts';
import { copyJson } from '../base/copy-json.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Json } from '../base/json.ts';
import { copyState } from '../core/apply/apply.ts';
import { plan } from '../core/planning/plan.ts';
import type { RunState } from '../core/state.ts';
import { groupInfo } from '../core/views/groups.ts';
import type { RoutingRequest } from '../operations/inside.ts';
import type { GroupsView, Simulation } from '../operations/run-views.ts';
import type { Host } from './host.ts';

/** VW4: what the run would do if the token's task had this outcome now; the run itself is not touched. */
export function simulateRouting(
  host: Host,
  { runId, tokenId, output = null, error }: RoutingRequest,
): Promise<Simulation> {
  return look(host, runId, (state, graph) => {
    const token = state.tokens.get(tokenId);
    if (!token)
      throw new HeddleError('TOKEN_NOT_FOUND', `Expected token ${tokenId} of run ${runId} to be alive, but it is not`);
    const before = traced(state);
    const copy = before.tokens.get(tokenId);
    const dispatch = Math.max(token.dispatch, 1);
    if (copy) Object.assign(copy, { status: 'dispatched', dispatch });
    before.dispatched += Number(token.status !== 'dispatched');
    before.paused = false;
    const { events, effects, trace } = plan(graph, before, {
      type: 'task.result',
      at: host.clock.now(),
      token: tokenId,
      dispatch,
      outcome:
        error === undefined
          ? { type: 'completed', output }
          : { type: 'failed', failure: error, retryable: false, retryAfterMs: null, retry: null },
    });
    return { events, effects, trace };
  });
}

/** VW7: every open group: who has come, who is missing, when it gives up; and what would happen at `at`. */
export function simulateSynchronization(host: Host, runId: string, at: number | undefined): Promise<GroupsView> {
  return look(host, runId, (state, graph) => {
    const groups = [...state.groups.values()].map(groupInfo);
    if (at === undefined) return { groups, ifTimeWere: null };
    const { events, effects, trace } = plan(graph, traced(state), { type: 'alarm', at });
    return { groups, ifTimeWere: { events, effects, trace } };
  });
}

function look<T>({ inbox }: Host, runId: string, at: Look<T>): Promise<T> {
  return inbox.read(runId, (state, graph) => copyJson(at(state, graph) as Json) as T); // plain data
}

function traced(state: RunState): RunState {
  const copy = copyState(state);
  if (copy.run) copy.run = { ...copy.run, trace: true };
  return copy;
}
