// Introspection: read-only looks at a run and at what would happen to it. Nothing here is journaled. Rule VW4.

import type { Look } from '../actor/inbox.ts';
import { copyJson } from '../base/copy-json.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Json } from '../base/json.ts';
import { copyState, plan } from '../core/planning/plan.ts';
import type { RunState } from '../core/state.ts';
import type { GroupsView, Simulation, TokenInfo } from '../operations/run-views.ts';
import { checkOptions } from './check-options.ts';
import { groupInfo } from './group-info.ts';
import type { Host } from './host.ts';
import { Run } from './run.ts';

export class Introspection {
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  introspectTokens(runId: string): Promise<readonly TokenInfo[]> {
    return new Run(this.#host, runId).tokens();
  }

  /** VW4: what the run would do if the token's task had this outcome now; the run itself is not touched. */
  async simulateRouting(
    runId: string,
    tokenId: number,
    outcome: { readonly output: Json } | { readonly error: { readonly code: string; readonly message: string } },
  ): Promise<Simulation> {
    checkOptions('simulateRouting', { tokenId }, { tokenId: 'whole' });
    checkOptions('an outcome', outcome, { output: 'other', error: 'other' });
    return this.#read(runId, (state, graph) => {
      const token = state.tokens.get(tokenId);
      if (!token)
        throw new HeddleError(
          'TOKEN_NOT_FOUND',
          `Expected token ${tokenId} of run ${runId} to be alive, but it is not`,
        );
      const before = traced(state);
      const copy = before.tokens.get(tokenId);
      const dispatch = Math.max(token.dispatch, 1);
      if (copy) Object.assign(copy, { status: 'dispatched', dispatch });
      before.dispatched += Number(token.status !== 'dispatched');
      before.paused = false;
      const { events, effects, trace } = plan(graph, before, {
        type: 'task.result',
        at: this.#host.clock.now(),
        token: tokenId,
        dispatch,
        outcome:
          'error' in outcome
            ? { type: 'failed', failure: outcome.error, retryable: false, retryAfterMs: null, retry: null }
            : { type: 'completed', output: outcome.output },
      });
      return { events, effects, trace };
    });
  }

  /** VW7: every open group: who has come, who is missing, when it gives up; and what would happen at `at`. */
  async simulateSynchronization(runId: string, at?: number): Promise<GroupsView> {
    checkOptions('simulateSynchronization', { at }, { at: 'whole' });
    return this.#read(runId, (state, graph) => {
      const groups = [...state.groups.values()].map(groupInfo);
      if (at === undefined) return { groups, ifTimeWere: null };
      const { events, effects, trace } = plan(graph, traced(state), { type: 'alarm', at });
      return { groups, ifTimeWere: { events, effects, trace } };
    });
  }

  #read<T>(runId: string, look: Look<T>): Promise<T> {
    return this.#host.inbox.read(runId, (state, graph) => copyJson(look(state, graph) as Json) as T); // plain data
  }
}

function traced(state: RunState): RunState {
  const copy = copyState(state);
  if (copy.run) copy.run = { ...copy.run, trace: true };
  return copy;
}
