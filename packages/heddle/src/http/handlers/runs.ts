// Handlers: runs, and what is done to them.

import { HeddleError } from '../../base/heddle-error.ts';
import { isTerminal } from '../../core/views/status.ts';
import type { Engine } from '../../sdk/engine.ts';
import { bulkRetryKey } from '../../sdk/retry-run.ts';
import type { Run } from '../../sdk/run.ts';
import type { RunSummary } from '../../sdk/run-result.ts';
import type { Contract } from '../contract/contract.ts';
import type { RequestOf } from '../contract/route.ts';
import { waitFor } from '../patience.ts';
import { RequestError } from '../problem-document.ts';
import type { HandlersOf, Surroundings } from './handler.ts';

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
  async startRun({ body }, surroundings) {
    const { workflow, input = {}, waitMs = 0, ...options } = body;
    const run = await surroundings.engine.start(workflow, input, withKey(options, surroundings));
    if (waitMs === 0) return { runId: run.id };
    return { runId: run.id, result: await resultWithin(run, waitMs, surroundings) };
  },
  async listRuns({ query }, { engine }) {
    const { tag, ...filter } = query;
    const { runs, next } = await engine.runPage(queryOf({ ...filter, ...(tag ? { tags: tagsOf(tag) } : {}) }));
    return { items: runs.map(asAnswer), next };
  },
  countRuns({ query }, { engine }) {
    return engine.countRuns(query);
  },
  async getRun({ params }, { engine }) {
    return asAnswer(await engine.run(params.runId).summary());
  },
  waitForRun({ params, query }, surroundings) {
    return resultWithin(surroundings.engine.run(params.runId), query.waitMs ?? 0, surroundings);
  },
  cancelRun({ params, body }, { engine }) {
    return engine.run(params.runId).cancel(body.reason);
  },
  pauseRun({ params }, { engine }) {
    return engine.run(params.runId).pause();
  },
  resumeRun({ params }, { engine }) {
    return engine.run(params.runId).resume();
  },
  async retryRun({ params, body }, surroundings) {
    const run = await surroundings.engine.run(params.runId).retry(withKey(body, surroundings));
    return { runId: run.id };
  },
  releaseRun({ params }, { engine }) {
    return engine.run(params.runId).release();
  },
  async deleteRun({ params }, { engine }) {
    await engine.run(params.runId).delete();
    return undefined;
  },
  cancelRuns({ body }, { engine }) {
    const { reason } = body;
    return forEachRun(engine, body, async ({ runId }) => engine.run(runId).cancel(reason));
  },
  retryRuns({ body }, { engine }) {
    return forEachRun(engine, body, async ({ runId }) => {
      const retried = await engine.run(runId).retry({ idempotencyKey: bulkRetryKey(runId) });
      return { applied: true, retriedAs: retried.id };
    });
  },
};

/** The key may stand in the header that clients use for it, or in the body. */
function withKey<Options extends { readonly idempotencyKey?: string }>(
  options: Options,
  { header }: Surroundings,
): Options {
  const key = header('idempotency-key');
  if (key === undefined || key === options.idempotencyKey) return options;
  if (options.idempotencyKey === undefined) return { ...options, idempotencyKey: key };
  // HT13: one of the two would be ignored, and a start that was repeated with it would be another run.
  const message = 'Expected one idempotency key, but the header Idempotency-Key and the body say different ones';
  throw new RequestError(422, 'REQUEST_INVALID', message, { pointer: '/idempotencyKey' });
}

async function resultWithin(run: Run, waitMs: number, surroundings: Surroundings) {
  const summary = await run.summary();
  if (hasEnded(summary) || waitMs === 0) return resultOf(summary);
  // Why it did not come to an end is seen by looking: the time is up, or the engine is closing.
  await waitFor(waitMs, surroundings, (signal) => run.result({ signal }).catch(() => undefined));
  return resultOf(await run.summary());
}

const hasEnded = ({ status, quarantine }: RunSummary): boolean => isTerminal(status) || quarantine !== null;

function resultOf(summary: RunSummary) {
  const { runId, status, output, error } = asAnswer(summary);
  return {
    runId,
    ended: hasEnded(summary),
    status,
    ...(output === undefined ? {} : { output }),
    ...(error === undefined ? {} : { error }),
  };
}

/** What is undefined is left out. */
function asAnswer({ output, error, tags, ...rest }: RunSummary) {
  return {
    ...rest,
    tags: { ...tags },
    ...(output === undefined ? {} : { output }),
    ...(error === undefined ? {} : { error }),
  };
}

function tagsOf(texts: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(texts.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]));
}

type Filter = Omit<RequestOf<Contract['cancelRuns']>['body'], 'reason' | 'all'>;

function queryOf({ status, ...filter }: Filter) {
  return { ...filter, ...(status === undefined ? {} : { statuses: status }) };
}

/** A page of the runs that a filter finds: one that refuses keeps nobody else from it. */
async function forEachRun(
  engine: Engine,
  { reason: _, all = false, ...filter }: RequestOf<Contract['cancelRuns']>['body'],
  work: (run: RunSummary) => Promise<{ readonly applied: boolean; readonly retriedAs?: string }>,
) {
  // HT15: what is done to many runs is done to those that a filter finds; `all` says that it is meant for every one.
  const { after: _after, limit: _limit, ...conditions } = filter;
  if (!all && Object.keys(conditions).length === 0) {
    throw new RequestError(422, 'FILTER_MISSING', 'Expected a filter that says which runs, but found none', {
      hint: 'Name a workflow, status, tags or the like; or say "all": true.',
    });
  }
  const { runs, next } = await engine.runPage(queryOf(filter));
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
