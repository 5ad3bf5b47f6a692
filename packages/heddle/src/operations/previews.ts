// Operations that show what cancelling or retrying a run would do. They are looks of their own, not a flag of what they
// preview: they change nothing, so that whoever may read a run may ask, and answer with something else.

import { answer, operation } from './operation.ts';
import { type OneRun, oneRun } from './parts.ts';
import { anyText, count, flag, list, object } from './schema.ts';

/** Visits to one node. */
export interface NodeVisits {
  readonly nodeId: string;
  readonly visits: number;
}

export interface BegunVisits extends NodeVisits {
  /** Tasks among them that were handed out, and whose end the run has not seen. */
  readonly begun: number;
}

export interface VisitsAgain extends BegunVisits {
  /** Sub-runs among them that are continued from just before their end. */
  readonly continued: number;
}

export interface RetryPreview {
  /** The retry begins at the first nodes: nothing, or outputs alone, are taken over. */
  readonly isFromStart: boolean;
  /** What is executed again; what had begun of it may be done twice. */
  readonly again: readonly VisitsAgain[];
  /** What waits for others or for a time, and keeps waiting. */
  readonly waiting: readonly NodeVisits[];
  /** What was done, and is not done again. */
  readonly kept: readonly NodeVisits[];
}

export interface CancelPreview {
  /** False: the run has ended, and stays as it is. */
  readonly applies: boolean;
  /** What is in its nodes now, and ends. */
  readonly ended: readonly BegunVisits[];
  /** Runs below it that have not ended, at any depth; counted up to 1,000. */
  readonly subRuns: number;
  /** Of it and of those below it; counted up to 1,000. */
  readonly openPrompts: number;
}

const visits = { nodeId: anyText(), visits: count() };
const begun = { ...visits, begun: count('Tasks that were handed out, and whose end the run has not seen.') };
const nodeVisits = object<NodeVisits>(visits, 'NodeVisits');

const common = { tag: 'Runs', where: 'run', scope: 'run:read', repeatable: true, takes: oneRun } as const;

export const previewOperations = {
  previewRetry: operation<OneRun, RetryPreview>({
    ...common,
    summary: 'What a retry of a run would do again, and what it would keep',
    description: 'Refused as the retry would be. Nothing changes.',
    answers: answer(
      object<RetryPreview>(
        {
          isFromStart: flag('It begins at the first nodes.'),
          again: list(
            object<VisitsAgain>(
              { ...begun, continued: count('Sub-runs that are continued from just before their end.') },
              'VisitsAgain',
            ),
          ),
          waiting: list(nodeVisits, 'What keeps waiting.'),
          kept: list(nodeVisits, 'What is not done again.'),
        },
        'RetryPreview',
      ),
    ),
  }),
  previewCancel: operation<OneRun, CancelPreview>({
    ...common,
    summary: 'What cancelling a run would end',
    answers: answer(
      object<CancelPreview>(
        {
          applies: flag('False: the run has ended, and stays as it is.'),
          ended: list(object<BegunVisits>(begun, 'BegunVisits'), 'What is in its nodes now.'),
          subRuns: count('Runs below it that have not ended; counted up to 1,000.'),
          openPrompts: count('Of it and of those below it; counted up to 1,000.'),
        },
        'CancelPreview',
      ),
    ),
  }),
};
