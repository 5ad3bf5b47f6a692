// Operations for an overview: what an engine did of late, what is to do, and how the nodes of a workflow fare.

import { answer, operation } from './operation.ts';
import type { OneWorkflow } from './retention.ts';
import { anyText, count, flag, list, map, number, object, optional, orNull, text, time, whole } from './schema.ts';

export interface OverviewRequest {
  /** How long ago it begins. */
  readonly sinceMs?: number;
  readonly buckets?: number;
  /** Of the runs of one workflow. */
  readonly workflow?: string;
}

/** Half of them, and 95 of 100, took at most so long; null if there are none. */
export interface Durations {
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

/** Root runs, by how they ended. */
interface Ends {
  readonly started: number;
  readonly completed: number;
  /** What can be retried: failed, timed out, exhausted. */
  readonly failed: number;
  /** Cancelled. */
  readonly otherEnds: number;
}

export interface OverviewBucket extends Ends, Durations {
  /** When it begins. */
  readonly at: number;
}

export interface WorkflowFigures extends Ends, Durations {
  readonly workflow: string;
  /** Of the runs that completed or failed; null if none did. */
  readonly successShare: number | null;
}

export interface ErrorFigures {
  readonly code: string;
  readonly message: string;
  readonly count: number;
  readonly newestRunId: string;
}

export interface Backlog {
  /** Runs that have not ended, by status; of none more than 10,000 are counted. */
  readonly runs: Readonly<Record<string, number>>;
  readonly quarantined: number;
  /** Counted up to 1,000. */
  readonly openPrompts: number;
  /** Tasks that wait for a worker, of all workflows. */
  readonly waitingTasks: number;
  /** Actions that tasks were meant for since the engine was opened, and nobody has. */
  readonly missingActions: readonly string[];
}

export interface Overview {
  readonly from: number;
  readonly to: number;
  readonly bucketMs: number;
  readonly buckets: readonly OverviewBucket[];
  /** Those with most runs first, at most 50. */
  readonly workflows: readonly WorkflowFigures[];
  /** The commonest first, at most 10. */
  readonly errors: readonly ErrorFigures[];
  readonly backlog: Backlog;
  /** There were more runs in this time than were looked at: the newest are counted. */
  readonly isPartial: boolean;
  /** Ends of runs that began before are not counted; null: all runs were looked at. */
  readonly countedFrom: number | null;
}

export interface NodeFiguresRequest extends OneWorkflow {
  /** All versions, if absent. */
  readonly version?: number;
  readonly runsMax?: number;
}

export interface NodeFigures extends Durations {
  readonly nodeId: string;
  readonly visits: number;
  readonly failures: number;
}

export interface WorkflowNodeFigures {
  /** How many were looked at. */
  readonly runs: number;
  readonly nodes: readonly NodeFigures[];
  /** The runs had more visits than were looked at: those of the newest runs are counted. */
  readonly isPartial: boolean;
}

const hourMs = 3_600_000;
export const overviewDefaults = { sinceMs: hourMs, buckets: 60 } as const;
export const figuredRunsMax = 50;

const durations = {
  p50Ms: orNull(count('Half of them took at most so long.')),
  p95Ms: orNull(count('95 of 100 took at most so long.')),
};
const ends = {
  started: count(),
  completed: count(),
  failed: count('What can be retried: failed, timed out, exhausted.'),
  otherEnds: count('Cancelled.'),
};

const overview = object<Overview>(
  {
    from: time('Where it begins.'),
    to: time('Where it ends.'),
    bucketMs: count(),
    buckets: list(object<OverviewBucket>({ at: time('When it begins.'), ...ends, ...durations }, 'OverviewBucket')),
    workflows: list(
      object<WorkflowFigures>(
        {
          workflow: anyText(),
          ...ends,
          ...durations,
          successShare: orNull(number('Of the runs that completed or failed.')),
        },
        'WorkflowFigures',
      ),
    ),
    errors: list(
      object<ErrorFigures>(
        { code: anyText(), message: anyText(), count: count(), newestRunId: anyText() },
        'ErrorFigures',
      ),
    ),
    backlog: object<Backlog>(
      {
        runs: map(count(), 'Runs that have not ended, by status; each counted up to 10,000.'),
        quarantined: count(),
        openPrompts: count('Counted up to 1,000.'),
        waitingTasks: count('Tasks that wait for a worker, of all workflows.'),
        missingActions: list(anyText(), 'Actions that tasks were meant for, and nobody has.'),
      },
      'Backlog',
    ),
    isPartial: flag('There were more runs than were looked at: the newest are counted.'),
    countedFrom: orNull(time('Ends of runs that began before are not counted.')),
  },
  'Overview',
);

const common = { tag: 'Operations', where: 'every', scope: 'run:read', repeatable: true } as const;

export const overviewOperations = {
  getOverview: operation<OverviewRequest, Overview>({
    ...common,
    summary: 'What happened of late, in figures, and what is to do',
    takes: object<OverviewRequest>({
      sinceMs: optional(whole('How long ago it begins. Default: an hour.', { min: 1_000, max: 7 * 24 * hourMs })),
      buckets: optional(whole('Into how many parts it is divided. Default: 60.', { max: 200 })),
      workflow: optional(text('Only runs of this workflow.')),
    }),
    answers: answer(overview),
  }),
  getNodeFigures: operation<NodeFiguresRequest, WorkflowNodeFigures>({
    ...common,
    summary: 'How often the nodes of a workflow were visited and failed, and how long they took, in its newest runs',
    takes: object<NodeFiguresRequest>({
      workflow: text('The workflow.'),
      version: optional(whole('Only runs of this version.')),
      runsMax: optional(whole('Of how many runs. Default: 50.', { max: figuredRunsMax })),
    }),
    answers: answer(
      object<WorkflowNodeFigures>(
        {
          runs: count('How many were looked at.'),
          nodes: list(
            object<NodeFigures>({ nodeId: anyText(), visits: count(), failures: count(), ...durations }, 'NodeFigures'),
          ),
          isPartial: flag('The runs had more visits than were looked at.'),
        },
        'WorkflowNodeFigures',
      ),
    ),
  }),
};
