// Places: the pages that navigation and search lead to, and what whoever goes there must be allowed.

export interface Place {
  readonly path: string;
  readonly label: string;
  /** One of them is enough; none: everybody. */
  readonly scopes: readonly string[];
}

export const places: readonly Place[] = [
  { path: '/', label: 'Overview', scopes: ['run:read'] },
  { path: '/runs', label: 'Runs', scopes: ['run:read'] },
  { path: '/workflows', label: 'Workflows', scopes: ['definition:read'] },
  { path: '/inbox', label: 'Inbox', scopes: ['prompt:read'] },
  { path: '/work', label: 'Work', scopes: ['run:read', 'definition:read'] },
  { path: '/triggers', label: 'Triggers', scopes: ['trigger:read'] },
  { path: '/settings', label: 'Settings', scopes: [] },
  { path: '/docs', label: 'API', scopes: [] },
];
