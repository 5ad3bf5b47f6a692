// Run result: how a run stands or has ended, as its row says.
// Always true: `status` tells the members of the union apart: a completed run has an output, any other that has ended, or
// was set aside, has an error.

import type { RunRow } from '../actor/ports.ts';
import { StoreError } from '../actor/store-error.ts';
import type { Failure } from '../base/failure.ts';
import type { Json } from '../base/json.ts';
import type { RunResult, RunSummary, UnfinishedRun } from '../operations/run-results.ts';

export function resultOf(row: RunRow): RunResult | UnfinishedRun {
  const { runId, status, quarantine } = row;
  const { output, error } = readResult(row);
  const quarantined = quarantine === null ? undefined : { code: 'RUN_QUARANTINED', message: quarantine };
  // The appliers of how a run ends set its output or its error, never both.
  return { runId, status, output, error: quarantined ?? error } as RunResult | UnfinishedRun;
}

function readResult({ runId, result }: RunRow): { readonly output?: Json; readonly error?: Failure } {
  try {
    return JSON.parse(result ?? '{}') as { output?: Json; error?: Failure }; // as its run's row was written
  } catch (cause) {
    throw new StoreError('STORE_DAMAGED', `Expected the result of run ${runId} to be JSON, but it is damaged`, {
      cause,
    });
  }
}

export function summaryOf(row: RunRow): RunSummary {
  const { workflow, version, createdAt, updatedAt, endedAt, parentRunId, rootRunId, tags, nextTimerAt, quarantine } =
    row;
  const lineage = { workflow, version, parentRunId, rootRunId, tags };
  return { ...resultOf(row), ...lineage, createdAt, updatedAt, endedAt, nextTimerAt, quarantine };
}
