// Alarms: what the checks say that look at reads, inputs, joins and calls, for tests in which they have nothing to say.

import type { Problem } from '../packages/heddle/src/base/problem.ts';

const codes: ReadonlySet<string> = new Set([
  'READS_NOTHING',
  'FIELD_NOT_IN_SCHEMA',
  'INPUT_MISSING',
  'INPUT_WRONG_KIND',
  'OUTPUT_DISCARDED',
  'UNKNOWN_ACTION',
  'NEVER_MATCHES',
  'CALLS_ITSELF',
  'JOIN_NEVER_MET',
  'QUORUM_ABOVE_TOTAL',
]);

export function alarmsAmong(problems: readonly Problem[]): string[] {
  return problems
    .filter(({ code }) => codes.has(code))
    .map(({ severity, code, pointer, message }) => `${severity} ${code} ${pointer}: ${message}`);
}
