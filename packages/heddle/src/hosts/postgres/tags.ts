// Tags: a row for each tag of a run, by which it is found. The run's own row has them whole.
//
// Always true: a text that is too long for an index stands there by its beginning; whoever finds a run so looks at the run's own
// tags.

import type { RunRow } from '../../actor/ports.ts';
import { toOrderedText } from '../sql/ordered-text.ts';

const tagMax = 500;

export const tagText = (text: string): string => toOrderedText(text).slice(0, tagMax);

export type TagRow = readonly [key: string, value: string, createdAt: number, runId: string];

/** Of texts that begin alike there is one. */
export function tagRows({ tags, createdAt, runId }: Pick<RunRow, 'tags' | 'createdAt' | 'runId'>): TagRow[] {
  const rows = Object.entries(tags).map(([key, value]): TagRow => [tagText(key), tagText(value), createdAt, runId]);
  return [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()];
}
