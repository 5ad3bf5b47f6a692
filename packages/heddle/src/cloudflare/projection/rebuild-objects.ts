// Rebuild objects: the objects of every tenant are asked to write their runs into the projection again: all of them where their number
// is fixed; where every root run has one, the first and those that D1 still names.
//
// Always true: one call asks no more objects than the platform lets one request ask.

import { homeShard } from '../../engine/peers.ts';
import { defaultTenant } from '../../http/access.ts';
import { objectName, type Place } from '../place.ts';
import type { Database } from './database.ts';
import { withTables } from './tables.ts';

export interface RebuiltObjects {
  /** How many objects write their runs anew. */
  readonly objects: number;
  /** Ask again with `after` for the objects that follow; null: these were the last. */
  readonly next: string | null;
}

/** Of a tenant, the objects behind this one by name, at most so many; the first is home. */
export type PageObjects = (tenant: string, after: string | null, limit: number) => Promise<readonly Place[]>;

interface Rebuilding {
  /** An object. */
  readonly after: string | null;
  readonly tenants: (after: string | null) => Promise<readonly string[]>;
  readonly objectsOf: PageObjects;
  readonly rebuild: (place: Place) => Promise<void>;
}

/** The platform allows a thousand. */
const objectsMax = 500;

/** The operator's tenant comes first. */
export async function rebuildObjects({ after, tenants, objectsOf, rebuild }: Rebuilding): Promise<RebuiltObjects> {
  let objects = 0;
  let last = after;
  for await (const tenant of tenantsFrom(after, tenants)) {
    const begun = after !== null && tenantOf(after) === tenant ? after : null;
    const wanted = objectsMax - objects;
    const places = await objectsOf(tenant, begun, wanted);
    for (const place of places) await rebuild(place);
    objects += places.length;
    last = places.map(objectName).at(-1) ?? last;
    if (places.length === wanted) return { objects, next: last };
  }
  return { objects, next: null };
}

const tenantOf = (object: string): string => object.split('/')[0] ?? object;

async function* tenantsFrom(after: string | null, tenants: Rebuilding['tenants']): AsyncGenerator<string> {
  const first = after === null ? defaultTenant : tenantOf(after);
  yield first;
  for (let behind = first === defaultTenant ? null : first; ; ) {
    const page: readonly string[] = await tenants(behind);
    yield* page.filter((tenant) => tenant !== defaultTenant);
    const last = page.at(-1);
    if (last === undefined) return;
    behind = last;
  }
}

/** Where their number is fixed. */
export const fixedObjects =
  (shards: number): PageObjects =>
  async (tenant, after, limit) => {
    const all = Array.from({ length: shards }, (_, shard) => ({ tenant, shard }));
    const begin = all.findIndex((place) => objectName(place) === after) + 1;
    return all.slice(begin, begin + limit);
  };

/** DO29: where nobody can list them: home, and those that D1 names. */
export const knownObjects =
  (database: Database): PageObjects =>
  (tenant, after, limit) =>
    withTables(database, async () => {
      const home = { tenant, shard: homeShard };
      const { results } = await database
        .prepare('SELECT object FROM heddle_places WHERE tenant = ? AND object > ? ORDER BY object LIMIT ?')
        .bind(tenant, after ?? objectName(home), limit)
        .all<{ readonly object: string }>();
      const named = results.map(({ object }) => ({ tenant, shard: Number(object.slice(tenant.length + 1)) }));
      return [...(after === null ? [home] : []), ...named].slice(0, limit);
    });
