// Request members: what commands take of a request as flags, and hand on as it is. The flags are made from the same lists
// (`program/flags.ts`).

import type { RequestOf } from 'heddle/operations';

export const startMembers = [
  'tags',
  'idempotencyKey',
  'ifFailed',
  'delayMs',
  'version',
  'organization',
  'trace',
] as const;
export type StartMembers = Pick<RequestOf<'startRun'>, (typeof startMembers)[number]>;

/** Which runs a list has. */
export const filterMembers = [
  'statuses',
  'workflow',
  'tags',
  'search',
  'quarantined',
  'createdAfter',
  'createdBefore',
] as const;
export type FilterMembers = Pick<RequestOf<'listRuns'>, (typeof filterMembers)[number]>;

/** Of these members, those that are there. */
export function pickMembers<From extends object, Name extends keyof From>(
  from: From,
  names: readonly Name[],
): Pick<From, Name> {
  const entries = names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]);
  return Object.fromEntries(entries) as Pick<From, Name>; // what is left out was undefined, so it may be
}
