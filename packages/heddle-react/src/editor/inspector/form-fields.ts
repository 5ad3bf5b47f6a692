// Form fields: the form of a part of a definition, as data: which fields it has, what they hold and how they are called.
// One view draws them all (`field-view.tsx`).

import type { Place } from '../model/places.ts';

/** Where an expression stands, which says what it can read. */
export type ExpressionSite =
  | 'inputMapping'
  | 'outputMapping'
  | 'condition'
  | 'collection'
  | 'merge'
  | 'quorum'
  | 'wait'
  | 'prompt'
  | 'summary'
  | 'output';

export type FieldShape =
  /** `offers`: what is proposed while it is typed. */
  | { readonly type: 'text'; readonly offers?: 'actions' | 'workflows' | 'nodes' | 'groups'; readonly isLong?: true }
  | { readonly type: 'number'; readonly min?: number; readonly max?: number; readonly step?: number }
  | { readonly type: 'flag' }
  | { readonly type: 'choice'; readonly values: readonly string[]; readonly absent: string }
  | { readonly type: 'expression'; readonly site: ExpressionSite }
  /** A number is a value, a text an expression. */
  | { readonly type: 'number-or-expression'; readonly site: ExpressionSite }
  /** Keys are targets, values expressions. `offers`: which keys are proposed. */
  | {
      readonly type: 'mapping';
      readonly site: ExpressionSite;
      readonly target: string;
      readonly offers?: 'action-input';
    }
  /** A list of objects, each with these fields. */
  | {
      readonly type: 'rows';
      readonly row: string;
      readonly fields: readonly FormField[];
      readonly blank: object;
      readonly isOneAllowed?: true;
    }
  | { readonly type: 'texts'; readonly one: string }
  /** A value, or `=` and an expression. */
  | { readonly type: 'setting'; readonly schema: unknown; readonly isExpression: boolean }
  | { readonly type: 'json' };

export interface FormField {
  /** In the part. */
  readonly place: Place;
  readonly label: string;
  readonly hint?: string;
  readonly isRequired?: boolean;
  readonly shape: FieldShape;
}

export interface FormSection {
  readonly title: string;
  readonly fields: readonly FormField[];
  /** Closed until something in it is set, or somebody opens it. */
  readonly isMinor?: true;
}

export const retrySection = (isMinor: true): FormSection => ({
  title: 'Retry and time limit',
  isMinor,
  fields: [
    { place: ['retry', 'maxAttempts'], label: 'Attempts at most', shape: { type: 'number', min: 1 } },
    {
      place: ['retry', 'backoff'],
      label: 'Wait between attempts',
      shape: { type: 'choice', values: ['none', 'linear', 'exponential'], absent: 'as the engine does' },
    },
    { place: ['retry', 'initialDelayMs'], label: 'First wait (ms)', shape: { type: 'number', min: 0 } },
    { place: ['retry', 'maxDelayMs'], label: 'Longest wait (ms)', shape: { type: 'number', min: 0 } },
    { place: ['retry', 'jitter'], label: 'Share left to chance', shape: { type: 'number', min: 0, max: 1, step: 0.1 } },
    {
      place: ['retry', 'retryableErrors'],
      label: 'Only after these errors',
      shape: { type: 'texts', one: 'Error code' },
    },
    { place: ['timeoutMs'], label: 'Time limit of an attempt (ms)', shape: { type: 'number', min: 1 } },
  ],
});
