// By key: operations whose place a key decides: an idempotency key, an organization. An event is brought to its shard by
// whichever is asked (`engine/peers.ts`).

import { groupBy } from '../base/group-by.ts';
import type { StartAnswer } from '../operations/runs.ts';
import type { Routes } from './route.ts';
import type { Shard, Shards } from './shards.ts';

export const keyRoutes: Routes = {
  startRun: (shards, request, call) => shardOfStart(shards, request).perform('startRun', request, call),

  /** Each has its own answer, in their order. */
  async startRuns(shards, { runs }) {
    const answers: StartAnswer[] = [];
    const placed = groupBy(runs.entries(), ([, run]) => shardOfStart(shards, run));
    await Promise.all(
      [...placed].map(async ([shard, some]) => {
        const started = await shard.perform('startRuns', { runs: some.map(([, run]) => run) });
        for (const [at, [index]] of some.entries()) answers[index] = started.runs[at] as StartAnswer; // one for each
      }),
    );
    return { runs: answers };
  },

  publishEvent: (shards, request, call) => shards.home.perform('publishEvent', request, call),
  getBalance: (shards, request) => shardOfAccount(shards, request).perform('getBalance', request),
  deposit: (shards, request) => shardOfAccount(shards, request).perform('deposit', request),
  listReservations: (shards, request) => shardOfAccount(shards, request).perform('listReservations', request),
};

/** One without a key may be anywhere. */
function shardOfStart(shards: Shards, { idempotencyKey }: { readonly idempotencyKey?: string }): Shard {
  if (idempotencyKey === undefined) return shards.anyOne();
  return shards.of(shards.placement.ofKey('start', idempotencyKey));
}

const shardOfAccount = (shards: Shards, { organization }: { readonly organization: string }): Shard =>
  shards.of(shards.placement.ofOrganization(organization));
