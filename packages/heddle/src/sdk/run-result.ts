// Run result: how a run stands or has ended, as its row says.
// Always true: `status` tells the members of the union apart: a completed run has an output, any other that has ended, or
// was set aside, has an error.

import type { RunRow } from '../actor/ports.ts';
import { StoreError } from '../actor/store-error.ts';
import type { Failure } from '../base/failure.ts';
import type { Json } from '../base/json.ts';
import type { RunStatus, TerminalStatus } from '../core/views/status.ts';

export interface CompletedResult<Output = Json> {
  readonly runId: string;
  readonly status: 'completed';
  readonly output: Output;
  /** `RUN_QUARANTINED` if it was set aside afterwards, and undefined otherwise. */
  readonly error: Failure | undefined;
}

/** Of a run that ended in any other way. */
export interface FailedResult {
  readonly runId: string;
  readonly status: Exclude<TerminalStatus, 'completed'>;
  readonly output: undefined;
  /** Of a cancelled run: `CANCELLED`, with the reason that was given as its message. */
  readonly error: Failure;
}

/** Of a run that was set aside before it ended: it stays as it is until it is released. */
export interface QuarantinedResult {
  readonly runId: string;
  readonly status: UnfinishedStatus;
  readonly output: undefined;
  /** `RUN_QUARANTINED`, and why. */
  readonly error: Failure;
}

/** What waiting for a run answers with. */
export type RunResult<Output = Json> = CompletedResult<Output> | FailedResult | QuarantinedResult;

/** A run that has not ended. */
export interface UnfinishedRun {
  readonly runId: string;
  readonly status: UnfinishedStatus;
  readonly output: undefined;
  readonly error: undefined;
}

type UnfinishedStatus = Exclude<RunStatus, TerminalStatus>;

export type RunSummary = (RunResult | UnfinishedRun) & {
  readonly workflow: string;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly endedAt: number | null;
  readonly parentRunId: string | null;
  readonly rootRunId: string;
  readonly tags: Readonly<Record<string, string>>;
  /** When it wakes by itself. */
  readonly nextTimerAt: number | null;
  /** Why it was set aside; null for a healthy run. */
  readonly quarantine: string | null;
};

export function resultOf(row: RunRow): RunResult | UnfinishedRun {
  const { runId, status, quarantine } = row;
  const { output, error } = readResult(row);
  const quarantined = quarantine === null ? undefined : { code: 'RUN_QUARANTINED', message: quarantine };
  // The appliers of how a run ends set its output or its error, never both.
  return { runId, status, output, error: quarantined ?? error } as RunResult | UnfinishedRun;
}

function readResult({ runId, result }: RunRow): { readonly output?: Json; readonly error?: Failure } {
  try {
    return JSON.parse(result ?? '{}') as { output?: Json; error?: Failure };
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
