// By key: operations whose place a key decides: an idempotency key, an organization. An event is brought to its shard by
// whichever is asked (`engine/peers.ts`).

import type { StartAnswer } from '../operations/runs.ts';
import { describeRefusal } from '../work/lease-answers.ts';
import { eachInItsShard } from './each-in-its-shard.ts';
import type { Routes } from './route.ts';
import type { Shard, Shards } from './shards.ts';

export const keyRoutes: Routes = {
  startRun: (shards, request, call) => shardOfStart(shards, request).perform('startRun', request, call),

  startRuns: async (shards, { runs }) => ({
    runs: await eachInItsShard(runs, (run) => shardOfStart(shards, run), {
      ask: async (shard, some) => (await shard.perform('startRuns', { runs: some })).runs,
      // What cannot be reached starts nothing, and is nothing to the others (KY5).
      refuse: (_, absence): StartAnswer => ({ ok: false, ...describeRefusal(absence) }),
    }),
  }),

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
