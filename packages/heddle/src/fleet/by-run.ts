// By run: operations that name a run, a prompt or a snapshot, whose ids say which shard they belong to.

import type { Json } from '../base/json.ts';
import { isJsonObject } from '../base/path.ts';
import type { RequestOf } from '../operations/operations.ts';
import type { Routes } from './route.ts';
import type { Shard, Shards } from './shards.ts';

/** What such an operation may be told. */
export interface Named {
  readonly runId?: string;
  readonly correlationId?: string;
  /** Of a prompt: its id comes first. */
  readonly secret?: string;
  readonly snapshot?: Json;
}

/** Whatever names it, by the shard in its id. */
export function shardOfNamed(shards: Shards, { runId, correlationId, secret, snapshot }: Named): Shard {
  if (correlationId !== undefined) return shards.ofId(correlationId);
  if (secret !== undefined) return shards.ofId(secret.slice(0, Math.max(0, secret.lastIndexOf('.'))));
  if (snapshot !== undefined) return shards.ofId(rootOf(snapshot));
  return shards.ofId(runId ?? '');
}

/** Whether it is a snapshot at all, its shard says. */
function rootOf(snapshot: Json): string {
  const runId = isJsonObject(snapshot) ? snapshot['rootRunId'] : undefined;
  return typeof runId === 'string' ? runId : '';
}

export const runRoutes: Routes = {
  /** The key of a retry is one run's in the whole fleet, although the retry is where that run is. */
  async retryRun(shards, request, call) {
    const { runId, ...options } = request;
    const shard = shards.ofId(runId);
    const { idempotencyKey } = options;
    const keeper = idempotencyKey === undefined ? shard : shards.of(shards.placement.ofKey('retry', idempotencyKey));
    if (keeper !== shard) {
      await refuseInVain(shard, request);
      await keeper.peer.reserveRetryKey(runId, options);
    }
    return shard.perform('retryRun', request, call);
  },
};

/** A retry that would be refused uses up no key (SH2). One that was made is answered again, whatever has become of its run. */
async function refuseInVain(shard: Shard, { runId, idempotencyKey = '' }: RequestOf<'retryRun'>): Promise<void> {
  if (await shard.peer.hasKey('retry', idempotencyKey)) return;
  await shard.perform('previewRetry', { runId }); // which is refused as the retry would be (PV1)
}
