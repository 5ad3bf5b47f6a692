// Handlers: runs, and what is done to them.

import { HeddleError } from '../../base/heddle-error.ts';
import { isTerminal } from '../../core/views/status.ts';
import type { Engine } from '../../engine/engine.ts';
import { bulkRetryKey } from '../../engine/retry-run.ts';
import type { Run } from '../../engine/run.ts';
import type { AwaitedRun, RunSummary } from '../../operations/run-results.ts';
import type { BulkAnswer, BulkRequest } from '../../operations/runs.ts';
import { waitFor } from '../patience.ts';
import { RequestError } from '../problem-document.ts';
import type { HandlersOf, RequestContext } from './handler.ts';

export const runHandlers: HandlersOf<
  | 'startRun'
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
  async startRun({ workflow, input = {}, waitMs = 0, ...options }, context) {
    const run = await context.engine.start(workflow, input, withKey(options, context));
    if (waitMs === 0) return { runId: run.id };
    return { runId: run.id, result: await resultWithin(run, waitMs, context) };
  },
  async listRuns(query, { engine }) {
    const { runs, next } = await engine.runPage(query);
    return { items: runs, next };
  },
  countRuns(query, { engine }) {
    return engine.countRuns(query);
  },
  getRun({ runId }, { engine }) {
    return engine.run(runId).summary();
  },
  waitForRun({ runId, waitMs = 0 }, context) {
    return resultWithin(context.engine.run(runId), waitMs, context);
  },
  cancelRun({ runId, reason }, { engine }) {
    return engine.run(runId).cancel(reason);
  },
  pauseRun({ runId }, { engine }) {
    return engine.run(runId).pause();
  },
  resumeRun({ runId }, { engine }) {
    return engine.run(runId).resume();
  },
  async retryRun({ runId, ...options }, context) {
    const run = await context.engine.run(runId).retry(withKey(options, context));
    return { runId: run.id };
  },
  releaseRun({ runId }, { engine }) {
    return engine.run(runId).release();
  },
  async deleteRun({ runId }, { engine }) {
    await engine.run(runId).delete();
    return undefined;
  },
  cancelRuns({ reason, ...bulk }, { engine }) {
    return forEachRun(engine, bulk, async ({ runId }) => engine.run(runId).cancel(reason));
  },
  retryRuns(bulk, { engine }) {
    return forEachRun(engine, bulk, async ({ runId }) => {
      const retried = await engine.run(runId).retry({ idempotencyKey: bulkRetryKey(runId) });
      return { applied: true, retriedAs: retried.id };
    });
  },
};

/** The key may stand in the header that clients use for it, or in the body. */
function withKey<Options extends { readonly idempotencyKey?: string }>(
  options: Options,
  { header }: RequestContext,
): Options {
  const key = header('idempotency-key');
  if (key === undefined || key === options.idempotencyKey) return options;
  if (options.idempotencyKey === undefined) return { ...options, idempotencyKey: key };
  // HT13: one of the two would be ignored, and a start that was repeated with it would be another run.
  const message = 'Expected one idempotency key, but the header Idempotency-Key and the body say different ones';
  throw new RequestError(422, 'REQUEST_INVALID', message, { pointer: '/idempotencyKey' });
}

async function resultWithin(run: Run, waitMs: number, context: RequestContext): Promise<AwaitedRun> {
  const summary = await run.summary();
  if (hasEnded(summary) || waitMs === 0) return awaitedOf(summary);
  // Why it did not come to an end is seen by looking: the time is up, or the engine is closing.
  await waitFor(waitMs, context, (signal) => run.result({ signal }).catch(() => undefined));
  return awaitedOf(await run.summary());
}

const hasEnded = ({ status, quarantine }: RunSummary): boolean => isTerminal(status) || quarantine !== null;

function awaitedOf(summary: RunSummary): AwaitedRun {
  const { runId, status, output, error } = summary;
  return { runId, ended: hasEnded(summary), status, output, error } as AwaitedRun; // the same members of the union
}

/** A page of the runs that a filter finds: one that refuses keeps nobody else from it. */
async function forEachRun(
  engine: Engine,
  { all = false, ...filter }: BulkRequest,
  work: (run: RunSummary) => Promise<{ readonly applied: boolean; readonly retriedAs?: string }>,
): Promise<BulkAnswer> {
  // HT15: what is done to many runs is done to those that a filter finds; `all` says that it is meant for every one.
  const { after: _after, limit: _limit, ...conditions } = filter;
  if (!all && Object.keys(conditions).length === 0) {
    throw new RequestError(422, 'FILTER_MISSING', 'Expected a filter that says which runs, but found none', {
      hint: 'Name a workflow, status, tags or the like; or say "all": true.',
    });
  }
  const { runs, next } = await engine.runPage(filter);
  const items = await Promise.all(
    runs.map(async (run) => {
      const { runId } = run;
      try {
        const { applied, retriedAs } = await work(run);
        return { runId, applied, ...(retriedAs === undefined ? {} : { retriedAs }) };
      } catch (error) {
        if (!(error instanceof HeddleError)) throw error;
        return { runId, applied: false, code: error.code, message: error.message };
      }
    }),
  );
  return { items, next };
}
