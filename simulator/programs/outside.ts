// What people answer and the outside world tells, in every run of every program.

import type { Json } from '../../packages/heddle/src/base/json.ts';

export const correlations = [null, 'one', 'two'] as const;

/** Of the event that is published once. */
export const onceCorrelation = 'once';

export const answerTo = (node: string): Json => ({ value: `answer:${node}` });

export const payloadOf = (correlation: string | null): Json => ({ value: `event:${correlation ?? 'all'}` });
