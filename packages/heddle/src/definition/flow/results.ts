// Results: what is known of the result of a node's work.

import type { Result } from './flow.ts';
import { type KnownWork, schemasOf, type Work } from './known-schemas.ts';
import { outlineOf } from './outline.ts';

export const anything: Result = { outline: 'any', by: '', isOwnSchema: false };

export function workResult(work: Work, known: KnownWork): Result {
  const { of, output } = schemasOf(work, known) ?? {};
  if (output === undefined) return anything;
  return { outline: outlineOf(output), by: `the output schema of ${of}`, isOwnSchema: false };
}
