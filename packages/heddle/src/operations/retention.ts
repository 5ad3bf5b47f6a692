// Operations on retention: how long runs are kept after they have ended.

import { answer, operation } from './operation.ts';
import { type NoRequest, noRequest, type Page, type Paging, page, paging, type Removed, removed } from './parts.ts';
import { anyText, count, object, optional, text, whole } from './schema.ts';

/** Runs are deleted that ended more than `days` days ago and are not among the `keepLast` newest; what is left out deletes alone. */
export interface RetentionRule {
  readonly days?: number;
  /** Of each workflow, of its runs that have ended. */
  readonly keepLast?: number;
}

export interface WorkflowRetention extends RetentionRule {
  /** A workflow; `*` for all that have no rule of their own. */
  readonly workflow: string;
}

export interface Sweep {
  /** Runs, without their sub-runs. */
  readonly deleted: number;
}

export interface OneWorkflow {
  readonly workflow: string;
}

const workflow = text('The workflow.');

const retention = object<WorkflowRetention>(
  { workflow: anyText(), days: optional(count()), keepLast: optional(count()) },
  'Retention',
);

const common = { tag: 'Retention', scope: 'operate' } as const;

export const retentionOperations = {
  setRetention: operation<WorkflowRetention, WorkflowRetention>({
    ...common,
    summary: 'How long runs of a workflow (`*`: of all others) are kept after they have ended',
    where: 'every',
    changes: true,
    repeatable: true,
    takes: object<WorkflowRetention>({ workflow, days: optional(whole()), keepLast: optional(whole()) }),
    answers: answer(retention),
  }),
  listRetention: operation<Paging, Page<WorkflowRetention>>({
    ...common,
    summary: 'How long runs are kept',
    where: 'home',
    repeatable: true,
    takes: object<Paging>(paging),
    answers: answer(page(retention)),
  }),
  removeRetention: operation<OneWorkflow, Removed>({
    ...common,
    summary: 'Keep the runs of a workflow by no rule of its own',
    where: 'every',
    changes: true,
    takes: object<OneWorkflow>({ workflow }),
    answers: answer(removed),
  }),
  sweep: operation<NoRequest, Sweep>({
    ...common,
    summary: 'Delete now what is past its time; it also happens by itself, once an hour',
    where: 'every',
    changes: true,
    repeatable: true,
    takes: noRequest,
    answers: answer(object<Sweep>({ deleted: count() })),
  }),
};
