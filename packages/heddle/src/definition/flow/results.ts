// Results: what is known of the result of a node's work.

import type { Result } from './flow.ts';
import { type KnownWork, schemasOf, type Work } from './known-schemas.ts';
import { readOutline } from './outline.ts';

export const anything: Result = { outline: 'any', by: '', isOwnSchema: false };

export function workResult(work: Work, known: KnownWork): Result {
  const { of, output } = schemasOf(work, known) ?? {};
  if (output === undefined) return anything;
  return { outline: readOutline(output), by: `the output schema of ${of}`, isOwnSchema: false };
}
