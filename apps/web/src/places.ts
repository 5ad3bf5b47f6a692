// Places: the pages that navigation and search lead to, and what whoever goes there must be allowed.

import type { AnswerOf } from 'heddle/wire';
import { addressOf } from './addresses.ts';

export interface Place {
  readonly path: string;
  readonly label: string;
  /** One of them is enough; none: everybody. */
  readonly scopes: readonly string[];
}

const places: readonly Place[] = [
  { path: '/', label: 'Overview', scopes: ['run:read'] },
  { path: '/runs', label: 'Runs', scopes: ['run:read'] },
  { path: '/workflows', label: 'Workflows', scopes: ['definition:read'] },
  { path: '/inbox', label: 'Inbox', scopes: ['prompt:read'] },
  { path: '/work', label: 'Work', scopes: ['run:read', 'definition:read'] },
  { path: '/triggers', label: 'Triggers', scopes: ['trigger:read'] },
  { path: '/settings', label: 'Settings', scopes: [] },
  { path: '/docs', label: 'API', scopes: [] },
];

type Identity = AnswerOf<'whoAmI'>;

/** Where somebody may go: by their scopes, or what their token is for. */
export function placesFor({ only, scopes: held }: Identity): readonly Place[] {
  if (only !== null && 'runId' in only) return [{ path: addressOf.run(only.runId), label: 'Run', scopes: [] }];
  if (only !== null) return places.filter(({ path }) => path === '/runs');
  const may = (scope: string): boolean => held.includes('*') || held.includes(scope);
  return places.filter(({ scopes }) => scopes.length === 0 || scopes.some(may));
}

/** Why an address is not shown; null: it is. The server refuses what it shows in any case. */
export function refusalOf({ only }: Identity, location: string): string | null {
  if (only === null) return null;
  if ('runId' in only) return location === addressOf.run(only.runId) ? null : 'You may look at one run';
  return location.startsWith('/runs') ? null : `You may look at the runs of ${only.workflow}`;
}
