// Overview: what an engine did of late, in figures, and what is to do. Rules OV….
//
// Always true: the work is bounded, whatever the store holds, and others have their turn between two pages of runs; of a
// run only the columns are read that figures are made of, of failed ones the error too.

import type { RunOutline, RunPage, RunPlace } from '../actor/ports.ts';
import { valueOf } from '../actor/record-value.ts';
import { nextSlice } from '../actor/slices.ts';
import { given } from '../base/given.ts';
import type { PromptNote } from '../core/notes.ts';
import { isTerminal } from '../core/views/status.ts';
import type { Backlog, Durations, ErrorFigures, OverviewBucket, WorkflowFigures } from '../operations/overview.ts';
import { overviewDefaults } from '../operations/overview.ts';
import type { Parts } from './assemble.ts';
import type { Host } from './host.ts';
import type { Performers } from './performer.ts';
import { canBeRetried, retriableStatuses } from './retry-run.ts';
import { countRuns } from './run-lists.ts';
import { resultOf } from './run-result.ts';

/** 20,000 runs take about 100 ms, a page 3 to 5. */
const runsMax = 20_000;
const runsPerPage = 1_000;
/** Runs that began before the window are looked at too: they may have ended in it. */
const earlierRunsMax = 2_000;
const failuresMax = 1_000;
const failuresPerPage = 100;
const errorsMax = 10;
const messageLengthMax = 300;
const workflowsMax = 50;
const promptsMax = 1_000;

export const overviewPerformers: Performers<'getOverview'> = {
  async getOverview(parts, { workflow, ...asked }) {
    const { host } = parts;
    const { sinceMs, buckets: bucketCount } = { ...overviewDefaults, ...given(asked) };
    const to = host.clock.now();
    const window = { from: to - sinceMs, to, ...given({ workflow }) };
    const bucketMs = Math.ceil(sinceMs / bucketCount);
    const buckets = Array.from({ length: bucketCount }, () => new Tally());
    const workflows = new Map<string, Tally>();
    const looked = await lookAtRuns(host, window, (run) => {
      const all = tallyOf(workflows, run.workflow);
      const bucketOf = (at: number) => buckets[Math.min(Math.floor((at - window.from) / bucketMs), bucketCount - 1)];
      if (isIn(window, run.createdAt)) for (const tally of [bucketOf(run.createdAt), all]) tally?.start();
      if (run.endedAt === null || !isIn(window, run.endedAt)) return;
      for (const tally of [bucketOf(run.endedAt), all]) tally?.end(run.status, run.endedAt - run.createdAt);
    });
    const hasFailures = buckets.some(({ failed }) => failed > 0);
    return {
      from: window.from,
      to,
      bucketMs,
      buckets: buckets.map(
        (tally, index): OverviewBucket => ({ at: window.from + index * bucketMs, ...tally.figures() }),
      ),
      workflows: listWorkflows(workflows),
      errors: hasFailures ? await countErrors(host, window) : [],
      backlog: await readBacklog(parts, workflow),
      ...looked,
    };
  },
};

interface Window {
  readonly from: number;
  readonly to: number;
  readonly workflow?: string;
}

const isIn = ({ from, to }: Window, at: number): boolean => at >= from && at <= to;

// ------------------------------------------------------------------------------------------------------------ runs

/** OV1: root runs are counted where they began and where they ended; what can be retried has failed, all else but completed is another end. */
class Tally {
  started = 0;
  completed = 0;
  failed = 0;
  otherEnds = 0;
  readonly #durations: number[] = [];

  get isEmpty(): boolean {
    return this.started + this.#durations.length === 0;
  }

  start(): void {
    this.started += 1;
  }

  end(status: string, durationMs: number): void {
    this.#durations.push(durationMs);
    if (status === 'completed') this.completed += 1;
    else if (canBeRetried(status)) this.failed += 1;
    else this.otherEnds += 1;
  }

  figures() {
    const { started, completed, failed, otherEnds } = this;
    return { started, completed, failed, otherEnds, ...durationsOf(this.#durations) };
  }
}

export function durationsOf(durations: readonly number[]): Durations {
  const sorted = durations.toSorted((a, b) => a - b);
  const quantile = (share: number): number | null => sorted[Math.ceil(share * sorted.length) - 1] ?? null;
  return { p50Ms: quantile(0.5), p95Ms: quantile(0.95) };
}

/** OV2: the newest runs, at most 20,000, of which at most 2,000 began before the window; the answer says what was left out. */
async function lookAtRuns({ store, clock }: Host, window: Window, take: (run: RunOutline) => void) {
  const { workflow } = window;
  let looked = 0;
  let earlier = 0;
  for (let after: RunOutline | undefined; ; await nextSlice(clock)) {
    const page: readonly RunOutline[] = await store.outlineRuns({ limit: runsPerPage, ...given({ after, workflow }) });
    for (const run of page) {
      if (looked >= runsMax || earlier >= earlierRunsMax)
        return { isPartial: run.createdAt >= window.from, countedFrom: after?.createdAt ?? null };
      looked += 1;
      if (run.createdAt < window.from) earlier += 1;
      take(run);
      after = run;
    }
    if (page.length < runsPerPage) return { isPartial: false, countedFrom: null };
  }
}

function tallyOf(tallies: Map<string, Tally>, workflow: string): Tally {
  const tally = tallies.get(workflow) ?? new Tally();
  tallies.set(workflow, tally);
  return tally;
}

/** Those with most runs first. */
function listWorkflows(tallies: ReadonlyMap<string, Tally>): readonly WorkflowFigures[] {
  return [...tallies]
    .filter(([, tally]) => !tally.isEmpty)
    .map(([workflow, tally]) => {
      const figures = tally.figures();
      const decided = figures.completed + figures.failed;
      return { workflow, ...figures, successShare: decided === 0 ? null : figures.completed / decided };
    })
    .toSorted((a, b) => runsIn(b) - runsIn(a) || (a.workflow < b.workflow ? -1 : 1))
    .slice(0, workflowsMax);
}

const runsIn = ({ started, completed, failed, otherEnds }: WorkflowFigures): number =>
  Math.max(started, completed + failed + otherEnds);

// ---------------------------------------------------------------------------------------------------------- errors

/** OV3: of the newest 1,000 failed runs those that ended in the window, by code and message, the commonest first. */
async function countErrors({ store, clock }: Host, window: Window): Promise<readonly ErrorFigures[]> {
  const { workflow } = window;
  const errors = new Map<string, ErrorFigures>();
  const query = { statuses: retriableStatuses, isRoot: true, limit: failuresPerPage, ...given({ workflow }) } as const;
  let looked = 0;
  for (let after: RunPlace | null | undefined; after !== null && looked < failuresMax; await nextSlice(clock)) {
    const page: RunPage = await store.pageRuns({ ...query, ...(after ? { after } : {}) });
    for (const row of page.rows) {
      looked += 1;
      const { error } = resultOf(row);
      if (row.endedAt === null || !isIn(window, row.endedAt) || error === undefined) continue;
      const [code, message] = [error.code, error.message.slice(0, messageLengthMax)];
      const known = errors.get(`${code} ${message}`) ?? { code, message, count: 0, newestRunId: row.runId };
      errors.set(`${code} ${message}`, { ...known, count: known.count + 1 });
    }
    after = page.next;
  }
  return [...errors.values()].toSorted((a, b) => b.count - a.count).slice(0, errorsMax);
}

// --------------------------------------------------------------------------------------------------------- backlog

/** OV4: runs that have not ended, prompts that are open, tasks that no worker has taken, actions that nobody has. */
async function readBacklog({ host, tasks }: Parts, workflow: string | undefined): Promise<Backlog> {
  const { byStatus, quarantined } = await countRuns(host.store, given({ workflow }));
  const unfinished = Object.entries(byStatus).filter(([status]) => !isTerminal(status));
  const prompts = await host.store.listRecords('open-prompt', { limit: promptsMax });
  const isWanted = (note: PromptNote): boolean => note.workflow === workflow;
  const wanted = workflow === undefined ? prompts : prompts.filter((record) => isWanted(valueOf(record) as PromptNote)); // written by its run
  const { office } = tasks;
  const waitingTasks = [...(office?.actionNames() ?? [])].reduce(
    (sum, action) => sum + (office?.standingOf(action).waiting ?? 0),
    0,
  );
  return {
    runs: Object.fromEntries(unfinished),
    quarantined,
    openPrompts: wanted.length,
    waitingTasks,
    missingActions: [...tasks.missingActions()].toSorted(),
  };
}
