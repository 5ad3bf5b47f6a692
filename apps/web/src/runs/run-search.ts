// Run search: the filter of the list of runs as it stands in the address. Pure.
//
// Always true: reading what was written gives the same; what an address holds that is no filter is left out.

import { type RunStatus, runStatuses } from 'heddle/journal';
import type { RunListFilter } from 'heddle-react';

export const spans = { '1h': 3_600_000, '24h': 86_400_000, '7d': 604_800_000 } as const;
export type Span = keyof typeof spans;

export const readSpan = (text: string | null): Span | null =>
  (Object.keys(spans) as Span[]).find((span) => span === text) ?? null; // its own keys

export interface RunSearch {
  readonly statuses: readonly RunStatus[];
  readonly workflow: string | null;
  readonly tags: Readonly<Record<string, string>>;
  /** Started within this time. */
  readonly since: Span | null;
  readonly search: string;
  readonly withSubRuns: boolean;
  /** Where the page begins. */
  readonly after: string | null;
}

export const everyRun: RunSearch = {
  statuses: [],
  workflow: null,
  tags: {},
  since: null,
  search: '',
  withSubRuns: false,
  after: null,
};

export function readSearch(address: string): RunSearch {
  const params = new URLSearchParams(address);
  return {
    statuses: runStatuses.filter((status) => params.getAll('status').includes(status)),
    workflow: params.get('workflow'),
    tags: Object.fromEntries(params.getAll('tag').flatMap(readTag)),
    since: readSpan(params.get('since')),
    search: params.get('search') ?? '',
    withSubRuns: params.get('sub') === 'true',
    after: params.get('after'),
  };
}

export function writeSearch({
  statuses: chosen,
  workflow,
  tags,
  since,
  search,
  withSubRuns,
  after,
}: RunSearch): string {
  const params = new URLSearchParams();
  for (const status of chosen) params.append('status', status);
  if (workflow !== null) params.set('workflow', workflow);
  for (const [name, value] of Object.entries(tags)) params.append('tag', `${name}=${value}`);
  if (since !== null) params.set('since', since);
  if (search !== '') params.set('search', search);
  if (withSubRuns) params.set('sub', 'true');
  if (after !== null) params.set('after', after);
  return params.toString();
}

/** `name=value`, as the API takes it. */
export function readTag(text: string): readonly (readonly [string, string])[] {
  const at = text.indexOf('=');
  return at > 0 && at < text.length - 1 ? [[text.slice(0, at).trim(), text.slice(at + 1).trim()]] : [];
}

export function toFilter(search: RunSearch, now: number): RunListFilter {
  return {
    ...(search.statuses.length === 0 ? {} : { statuses: search.statuses }),
    ...(search.workflow === null ? {} : { workflow: search.workflow }),
    ...(Object.keys(search.tags).length === 0 ? {} : { tags: search.tags }),
    ...(search.since === null ? {} : { createdAfter: now - spans[search.since] }),
    ...(search.search === '' ? {} : { search: search.search }),
    ...(search.withSubRuns ? { subRuns: true } : {}),
  };
}

export const isFiltered = (search: RunSearch): boolean => writeSearch({ ...search, after: null }) !== '';
