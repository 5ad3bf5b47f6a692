// Rebuild objects: every object of every tenant is asked to write its runs into the projection again.
//
// Always true: one call asks no more objects than the platform lets one request ask.

import { defaultTenant } from '../../http/access.ts';
import type { Place } from '../place.ts';
import { tenantsPerPage } from '../tenants.ts';

export interface RebuiltObjects {
  /** How many objects write their runs anew. */
  readonly objects: number;
  /** Ask again with `after` for the tenants that follow; null: these were the last. */
  readonly next: string | null;
}

interface Rebuilding {
  readonly after: string | null;
  readonly shards: number;
  readonly tenants: (after: string | null) => Promise<readonly string[]>;
  readonly rebuild: (place: Place) => Promise<void>;
}

/** The platform allows a thousand. */
const objectsMax = 500;

/** The operator's tenant comes first. */
export async function rebuildObjects({ after, shards, tenants, rebuild }: Rebuilding): Promise<RebuiltObjects> {
  const page = await tenants(after);
  const named = page.filter((tenant) => tenant !== defaultTenant);
  const all = after === null ? [defaultTenant, ...named] : named;
  const some = all.slice(0, Math.max(1, Math.floor(objectsMax / shards)));
  for (const tenant of some) for (let shard = 0; shard < shards; shard++) await rebuild({ tenant, shard });
  const isLast = some.length === all.length && page.length < tenantsPerPage;
  const last = some.at(-1) === defaultTenant ? '' : (some.at(-1) ?? null);
  return { objects: some.length * shards, next: isLast ? null : last };
}
