// Retry of a failed run: a new run that goes on from just before the failure. Rules RX….

import { prepareContinuation } from '../actor/continuation.ts';
import type { KeyRow, RecordWrite, RunRow } from '../actor/ports.ts';
import { sideCommit } from '../actor/side-writer.ts';
import { shortHash } from '../base/hash.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { stableStringify } from '../base/stable-json.ts';
import { runStart } from '../core/planning/lifecycle.ts';
import type { RetryOptions } from '../operations/runs.ts';
import type { Host, StartHost } from './host.ts';
import { mustReadRun, runNotFound } from './must-read.ts';

/** HT9: whoever retries many runs at once retries each of them once, however often, and from wherever, it is asked for. */
export const bulkRetryKey = (runId: string): string => `bulk:${runId}`;

/** Answers with the id of the new run. */
export async function retryRun(host: Host, runId: string, options: RetryOptions): Promise<string> {
  const { idempotencyKey, keepKeys = false } = options;
  if (idempotencyKey === undefined) return retryNew(host, runId, { keepKeys, key: null });
  return host.turns.take(`retry/${idempotencyKey}`, async () => {
    // RX6: the same key with the same run gives the same retry; with another it is refused.
    const fingerprint = fingerprintOf(runId, keepKeys);
    const known = await host.store.findKey('retry', idempotencyKey);
    if (known?.fingerprint === fingerprint) return known.runId;
    if (known) throw keyReused(idempotencyKey, { runId: known.runId });
    // In a fleet it may stand for the retry of a run in another shard.
    const reserved = await host.store.readRecord(retryKeyKind, idempotencyKey);
    if (reserved && reserved.value !== reservationOf(idempotencyKey, fingerprint).value)
      throw keyReused(idempotencyKey, {});
    return retryNew(host, runId, { keepKeys, key: { scope: 'retry', key: idempotencyKey, fingerprint } });
  });
}

const fingerprintOf = (runId: string, keepKeys: boolean): string => shortHash(stableStringify({ runId, keepKeys }));

export const retryKeyKind = 'retry-key';

/** The record by which a shard knows that a key stands for a retry in another. */
export const reservationOf = (key: string, fingerprint: string): RecordWrite => ({
  kind: retryKeyKind,
  key,
  value: JSON.stringify({ fingerprint }),
  dueAt: null,
});

/** For a retry in another shard than its key belongs to: refuses a key that stands for another one. */
export function reserveRetryKey(host: Host, runId: string, { idempotencyKey = '', keepKeys = false }: RetryOptions) {
  const { store, turns } = host;
  return turns.take(`retry/${idempotencyKey}`, async () => {
    const fingerprint = fingerprintOf(runId, keepKeys);
    const known = await store.readRecord(retryKeyKind, idempotencyKey);
    const other = await store.findKey('retry', idempotencyKey);
    if (other) throw keyReused(idempotencyKey, { runId: other.runId });
    const record = reservationOf(idempotencyKey, fingerprint);
    if (!known) await store.commit(sideCommit({ records: [record] }));
    else if (known.value !== record.value) throw keyReused(idempotencyKey, {});
  });
}

function keyReused(key: string, details: { readonly runId?: string }): HeddleError {
  const message = `Expected the retry that idempotency key ${key} was first used with, but run or options differ`;
  return new HeddleError('IDEMPOTENCY_KEY_REUSED', message, { details });
}

// RX1: a run that failed, timed out or was exhausted can be retried.
export const retriableStatuses = ['failed', 'timed_out', 'exhausted'] as const;
export const canBeRetried = (status: string): boolean => retriableStatuses.some((one) => one === status);

export function refuseRetry({ runId, status }: Pick<RunRow, 'runId' | 'status'>): void {
  if (canBeRetried(status)) return;
  throw new HeddleError('RUN_NOT_FAILED', `Expected run ${runId} to have failed, but it is ${status}`);
}

interface Retry {
  readonly keepKeys: boolean;
  readonly key: Pick<KeyRow, 'scope' | 'key' | 'fingerprint'> | null;
}

export async function retryNew(host: StartHost, runId: string, { keepKeys, key }: Retry): Promise<string> {
  const stored = await mustReadRun(host.store, runId);
  refuseRetry(stored);
  const graph = await host.definitions.mustFind(stored.workflow, stored.version);
  const at = host.clock.now();
  const continued = await prepareContinuation(host.store, graph, stored, at);
  if (!continued) throw runNotFound(runId); // It was deleted while it was read.
  const { startAt: _, ...before } = continued.start; // A retry begins at once.
  const newRunId = host.newRunId();
  // RX4: a retry is a run of its own, with its own budgets and deadline, that names the run it retries.
  const own = {
    ...before,
    runId: newRunId,
    rootRunId: newRunId,
    parent: null,
    depth: 0,
    nodeBudget: graph.limits.nodesPerRunMax + continued.lastToken,
    descendantBudget: graph.limits.descendantsMax,
    // RX2: new keys, unless the old ones are kept.
    keyRunId: keepKeys ? before.keyRunId : newRunId,
    retryOf: runId,
    eventsFrom: continued.eventsFrom,
    // What is in its state may refer to what the failed run put.
    artifactRuns: [runId, ...(before.artifactRuns ?? [])],
  };
  const start = runStart(graph, at, own, continued.outputs);
  const restore = continued.restore === undefined ? {} : { restore: continued.restore };
  const keyed = key ? { ...key, runId: newRunId, at } : undefined;
  await host.inbox.command(newRunId, { type: 'start', at, start, ...restore }, keyed);
  return newRunId;
}
