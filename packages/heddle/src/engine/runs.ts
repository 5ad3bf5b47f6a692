// Runs: start, find, wait for and control them: the operations of `operations/runs.ts`.

import { untilFirst } from '../actor/first-signal.ts';
import type { RunRow } from '../actor/ports.ts';
import { closedError, quarantinedError } from '../actor/refusals.ts';
import { given } from '../base/given.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { isTerminal } from '../core/views/status.ts';
import type { AwaitedRun, RunSummary } from '../operations/run-results.ts';
import type { BulkAnswer, BulkRequest, StartAnswer, StartItem } from '../operations/runs.ts';
import type { Parts } from './assemble.ts';
import { deleteRun } from './delete-run.ts';
import type { Host } from './host.ts';
import { mustReadRun } from './must-read.ts';
import type { Call, Performers } from './performer.ts';
import { releaseRun } from './release-run.ts';
import { bulkRetryKey, refuseRetry, retryRun } from './retry-run.ts';
import { countRuns, pageRuns } from './run-lists.ts';
import { resultOf, summaryOf } from './run-result.ts';
import type { Starter } from './starter.ts';
import { withListedSummaries, withSummary } from './summaries.ts';
import { withActivity } from './waits.ts';

export const runPerformers: Performers<
  | 'startRun'
  | 'startRuns'
  | 'listRuns'
  | 'countRuns'
  | 'getRun'
  | 'waitForRun'
  | 'cancelRun'
  | 'pauseRun'
  | 'resumeRun'
  | 'retryRun'
  | 'releaseRun'
  | 'deleteRun'
  | 'cancelRuns'
  | 'retryRuns'
> = {
  async startRun({ host, starter, elsewhere }, request, call) {
    const { waitMs = 0 } = request;
    const runId = await starter.start(request);
    if (waitMs === 0) return { runId };
    const result = elsewhere(runId)?.waitForRun(runId, waitMs, call) ?? resultWithin(host, runId, waitMs, call);
    return { runId, result: await result };
  },

  async startRuns({ starter }, { runs }) {
    return { runs: await Promise.all(runs.map((run) => startOne(starter, run))) };
  },

  async listRuns(parts, { activity, ...query }) {
    const { items, next } = await pageRuns(parts.host.store, query);
    return { items: activity ? await describeRuns(parts, items) : items, next };
  },

  countRuns({ host }, query) {
    return countRuns(host.store, query);
  },

  async getRun({ host }, { runId }) {
    return withSummary(host, summaryOf(await mustReadRun(host.store, runId)));
  },

  waitForRun({ host }, { runId, waitMs = 0 }, call) {
    return resultWithin(host, runId, waitMs, call);
  },

  cancelRun({ host }, { runId, reason }) {
    return cancel(host, runId, reason);
  },

  pauseRun({ host }, { runId }) {
    return host.inbox.command(runId, { type: 'pause', at: host.clock.now() });
  },

  resumeRun({ host }, { runId }) {
    return host.inbox.command(runId, { type: 'resume', at: host.clock.now() });
  },

  async retryRun({ host }, { runId, ...options }) {
    return { runId: await retryRun(host, runId, options) };
  },

  async releaseRun({ host, mail }, { runId }) {
    const reply = await releaseRun(host, runId);
    mail?.deliverAgain(runId);
    return reply;
  },

  async deleteRun({ host }, { runId }) {
    await deleteRun(host, runId);
    return undefined;
  },

  // PV3: what would be done to each of many is told in the form of what is done to them.
  cancelRuns({ host }, { reason, preview = false, ...bulk }) {
    return forEachRun(host, bulk, async (run) => (preview ? wouldCancel(run) : cancel(host, run.runId, reason)));
  },

  retryRuns({ host }, { preview = false, ...bulk }) {
    return forEachRun(host, bulk, async (run) => {
      if (preview) return wouldRetry(host, run);
      const { runId } = run;
      const retriedAs = await retryRun(host, runId, { idempotencyKey: bulkRetryKey(runId) });
      return { applied: true, retriedAs };
    });
  },
};

/** With what each is doing, and what its author has to say of it. */
export async function describeRuns(parts: Parts, runs: readonly RunSummary[]): Promise<readonly RunSummary[]> {
  return withListedSummaries(parts.host, await withActivity(parts, runs));
}

/** KY5: what is wrong with one of several starts is told in its own answer. */
async function startOne(starter: Starter, start: StartItem): Promise<StartAnswer> {
  try {
    return { ok: true, runId: await starter.start(start) };
  } catch (error) {
    if (!(error instanceof HeddleError)) throw error;
    return { ok: false, code: error.code, message: error.message };
  }
}

const cancel = ({ inbox, clock }: Host, runId: string, reason = 'cancelled') =>
  inbox.command(runId, { type: 'cancel', reason, at: clock.now() });

function wouldCancel({ runId, status, quarantine }: RunSummary): { readonly applied: boolean } {
  if (quarantine !== null) throw quarantinedError(runId, quarantine);
  return { applied: !isTerminal(status) };
}

/** One that this has retried before is not retried again (HT9). */
async function wouldRetry({ store }: Host, run: RunSummary) {
  const known = await store.findKey('retry', bulkRetryKey(run.runId));
  if (known !== null) return { applied: true, retriedAs: known.runId };
  refuseRetry(run);
  return { applied: true };
}

/** As it stands when the run has ended, the time is up, or nobody waits any more. It is real time, whatever clock the engine has. */
export async function resultWithin(host: Host, runId: string, waitMs: number, { signal }: Call): Promise<AwaitedRun> {
  const row = await mustReadRun(host.store, runId);
  if (hasEnded(row) || waitMs === 0) return awaited(row);
  // Why it did not come to an end is seen by looking: the time is up, or the engine is closing.
  await untilFirst([signal], (until) => waitForEnd(host, runId, until), waitMs).catch(() => undefined);
  return awaited(await mustReadRun(host.store, runId));
}

const hasEnded = ({ status, quarantine }: RunRow): boolean => isTerminal(status) || quarantine !== null;

function awaited(row: RunRow): AwaitedRun {
  const { runId, status, output, error } = resultOf(row);
  return { runId, ended: hasEnded(row), status, output, error } as AwaitedRun; // the same members of the union
}

/** The run when it has ended or was set aside. */
export function waitForEnd(
  { runner, observers, store, readOnly }: Host,
  runId: string,
  signal: AbortSignal | undefined,
): Promise<AwaitedRun> {
  if (runner.isClosed) return Promise.reject(closedError());
  return new Promise((resolve, reject) => {
    // RN18: who waits no longer leaves nothing behind, however long the run takes.
    const stop = (): void => {
      unwatch();
      signal?.removeEventListener('abort', leave);
    };
    const leave = (): void => {
      stop();
      reject(signal?.reason as Error); // what aborts has a reason
    };
    const finish = (row: RunRow | null): void => {
      if (row && !hasEnded(row)) return;
      stop();
      if (row) resolve(awaited(row));
      else reject(closedError());
    };
    const unwatch = observers.watch(runId, finish);
    if (signal?.aborted) return leave();
    signal?.addEventListener('abort', leave);
    // A run that is in memory and not at its end will tell; the others are looked up.
    if (runner.residents.isUnderWay(runId)) return;
    mustReadRun(store, runId).then(
      (row) => {
        finish(row);
        if (!readOnly || hasEnded(row)) return;
        // Whoever writes to the store does not tell a reader.
        stop();
        reject(stillRunning(row));
      },
      (error: Error) => {
        stop();
        reject(error);
      },
    );
  });
}

function stillRunning({ runId, status }: RunRow): HeddleError {
  return new HeddleError(
    'ENGINE_READ_ONLY',
    `Expected run ${runId} to have ended, but it is ${status}; look again later`,
  );
}

/** HT15: what is done to many runs is done to those that a filter finds; `all` says that it is meant for every one. */
export function mustFilter({ all = false, after: _after, limit: _limit, ...conditions }: BulkRequest): void {
  if (all || Object.keys(conditions).length > 0) return;
  throw new HeddleError('FILTER_MISSING', 'Expected a filter that says which runs, but found none', {
    hint: 'Name a workflow, status, tags or the like; or say "all": true.',
  });
}

/** A page of the runs that a filter finds: one that refuses keeps nobody else from it. */
async function forEachRun(
  host: Host,
  bulk: BulkRequest,
  work: (run: RunSummary) => Promise<{ readonly applied: boolean; readonly retriedAs?: string }>,
): Promise<BulkAnswer> {
  mustFilter(bulk);
  const { all: _all, ...filter } = bulk;
  const { items: runs, next } = await pageRuns(host.store, filter);
  const items = await Promise.all(
    runs.map(async (run) => {
      const { runId } = run;
      try {
        const { applied, retriedAs } = await work(run);
        return { runId, applied, ...given({ retriedAs }) };
      } catch (error) {
        if (!(error instanceof HeddleError)) throw error;
        return { runId, applied: false, code: error.code, message: error.message };
      }
    }),
  );
  return { items, next };
}
