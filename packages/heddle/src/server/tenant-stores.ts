// Tenant stores: where the store of each tenant lies, and how it is opened: a file, a folder with the files of a fleet, or a
// schema of a database.
//
// Always true: the default tenant's is the one that was named; those of the others lie beside it: files in a folder, and their
// backups in another.

import { type Dirent, existsSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Store } from '../actor/ports.ts';
import { given } from '../base/given.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Engine, EngineOptions } from '../engine/engine.ts';
import { openEngine } from '../engine/local-engine.ts';
import { absentStore } from '../fleet/absent-shard.ts';
import { mustBeThere, type Place } from '../fleet/claim-stores.ts';
import { openFleet } from '../fleet/open-fleet.ts';
import { openSharedFleet, type SharedStore } from '../fleet/open-shared-fleet.ts';
import { memoryStore } from '../hosts/memory/store.ts';
import { checkFleetFolder, type FleetFolder, hasFleet, openFleetFolder } from '../hosts/sqlite/fleet-folder.ts';
import { openSqliteStore } from '../hosts/sqlite/open.ts';
import { defaultTenant } from '../http/access.ts';
import { tenantPattern } from '../http/api-keys.ts';

/** A database that several servers share, which then are one: `postgres(…)` of `heddle/postgres`. */
export interface ServedDatabase extends SharedStore {
  /** For sentences. */
  readonly name: string;
  readonly ofTenant: (tenant: string) => SharedStore;
  /** Those that were made, but for the default one. */
  readonly tenants: () => Promise<readonly string[]>;
}

/** A SQLite file, `memory`, the folder of a fleet, or a database that several servers share. */
export type ServedStore = string | FleetFolder | ServedDatabase;

export interface Tenant {
  /** One, or those of all shards of a fleet, to be read. */
  readonly stores: readonly [Store, ...Store[]];
  readonly engine: Engine;
}

/** What the operator calls it. */
export function nameOf(store: ServedStore): string {
  if (typeof store === 'string') return store;
  return isDatabase(store) ? store.name : store.folder;
}

/** What one server makes of it, another finds. */
export const isDatabase = (store: ServedStore): store is ServedDatabase =>
  typeof store === 'object' && 'openShared' in store;

/** What SH15 says of servers. */
export function checkServed(store: ServedStore): void {
  if (typeof store === 'string' || isDatabase(store)) return;
  const { threads = false, ...place } = store as FleetFolder & { readonly threads?: unknown }; // whatever was given
  checkFleetFolder(place);
  if (threads === false) return;
  throw new HeddleError(
    'OPTION_INVALID',
    'Expected the folder and the shards of a fleet to serve, but found threads: the shards of a server are in its own thread; leave threads out',
  );
}

/** Null: nothing of it is on a disk of this machine. */
export function backupFolderOf(store: ServedStore): string | null {
  return store === 'memory' || isDatabase(store) ? null : `${placeOf(store)}.backups`;
}

/** What a copy of one is named by: a file's ends like one. */
export const endingOf = (store: ServedStore): string => (typeof store === 'string' ? '.db' : '');

/** Of a fleet: one for each tenant, with as many shards as that of the default tenant; one that is there stays as it is. */
export async function openTenant(
  store: ServedStore,
  tenant: string,
  { shards, options }: { readonly shards: number | undefined; readonly options: EngineOptions },
): Promise<Tenant> {
  if (isDatabase(store)) {
    const place = tenant === defaultTenant ? store : store.ofTenant(tenant);
    const shared = await place.openShared(given({ newShards: shards }));
    return { stores: shared.stores, engine: (await openSharedFleet(shared, options)).engine };
  }
  const places = await openPlaces(store, tenant, shards);
  const stores = places.map((place) => (place instanceof Error ? absentStore(place) : place));
  try {
    const engine = typeof store === 'string' ? openEngine(mustBeThere(places[0]), options) : openFleet(places, options);
    return { stores: stores as unknown as readonly [Store, ...Store[]], engine: await engine }; // as many
  } catch (error) {
    for (const each of stores) await each.close();
    throw error;
  }
}

async function openPlaces(
  store: string | FleetFolder,
  tenant: string,
  shards: number | undefined,
): Promise<readonly [Place, ...Place[]]> {
  if (store === 'memory') return [memoryStore()];
  const isDefault = tenant === defaultTenant;
  if (!isDefault) await mkdir(tenantsFolderOf(store), { recursive: true });
  const place = isDefault ? nameOf(store) : path.join(tenantsFolderOf(store), `${tenant}${endingOf(store)}`);
  if (typeof store === 'string') return [await openSqliteStore(place)];
  const count = isDefault ? store.shards : hasFleet(place) ? undefined : shards;
  const stores = await openFleetFolder({ folder: place, ...(count === undefined ? {} : { shards: count }) });
  return stores as readonly [Place, ...Place[]]; // a fleet has one at least
}

/** Tenants that were made, but for the default one. */
export async function existingTenants(store: ServedStore): Promise<readonly string[]> {
  if (isDatabase(store)) return (await store.tenants()).filter((name) => tenantPattern.test(name));
  if (store === 'memory' || !existsSync(tenantsFolderOf(store))) return [];
  const found = await readdir(tenantsFolderOf(store), { withFileTypes: true });
  // A folder of another name is no tenant's: the draft of a copy, say.
  const isOne = (entry: Dirent): boolean => entry.isDirectory() && tenantPattern.test(entry.name);
  if (typeof store !== 'string') return found.filter(isOne).map(({ name }) => name);
  const names = found.map(({ name }) => name).filter((name) => name.endsWith('.db'));
  return names.map((name) => name.slice(0, -'.db'.length));
}

const tenantsFolderOf = (store: string | FleetFolder): string => `${placeOf(store)}.tenants`;

/** Beside it are others: a folder's name has no slash at its end. */
const placeOf = (store: string | FleetFolder): string =>
  typeof store === 'string' ? store : path.resolve(store.folder);
