// Tenants: each has an engine of its own on a file of its own, so that no question can reach another's runs. Rules TN….
//
// Always true: the default tenant's file is the one that was named; the others lie in a folder beside it. What one
// tenant's file suffers is no other's matter.

import { existsSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Store } from '../actor/ports.ts';
import { closedError } from '../actor/refusals.ts';
import { type Engine, type EngineOptions, openEngine } from '../engine/engine.ts';
import { memoryStore } from '../hosts/memory/store.ts';
import { openSqliteStore } from '../hosts/sqlite/open.ts';
import { defaultTenant } from '../http/access.ts';

export interface TenantsOptions {
  /** The default tenant's file, or `memory`. */
  readonly store: string;
  readonly engine: (tenant: string) => EngineOptions;
  /** Told of a tenant that cannot be opened. */
  readonly onFault: (tenant: string, error: unknown) => void;
}

export interface Tenant {
  readonly store: Store;
  readonly engine: Engine;
}

export class Tenants {
  readonly #options: TenantsOptions;
  readonly #open = new Map<string, Promise<Tenant>>();
  #isClosed = false;

  constructor(options: TenantsOptions) {
    this.#options = options;
  }

  /** TN1: all that there are are opened at the start: their timers and schedules do not wait for a request. */
  async openAll(): Promise<Tenant> {
    const first = await this.#get(defaultTenant);
    for (const tenant of await this.#existing()) await this.#get(tenant).catch(this.#toldOf(tenant));
    return first;
  }

  /** TN3: one that cannot be opened is told of, and keeps nobody else from starting; who asks for it is refused. */
  #toldOf(tenant: string): (error: unknown) => void {
    return (error) => this.#options.onFault(tenant, error);
  }

  /** TN2: a tenant is made when a key of it is first used. */
  readonly engineOf = async (tenant: string): Promise<Engine> => {
    if (this.#isClosed) throw closedError();
    return (await this.#get(tenant)).engine;
  };

  /** For requests that name a tenant without a key: they make none. */
  isThere(tenant: string): boolean {
    return this.#open.has(tenant);
  }

  /** Those that are open, by name. */
  async all(): Promise<ReadonlyMap<string, Tenant>> {
    const opened = new Map<string, Tenant>();
    for (const name of [...this.#open.keys()].toSorted()) {
      const tenant = await this.#open.get(name)?.catch(() => null); // whoever asked for it was told
      if (tenant) opened.set(name, tenant);
    }
    return opened;
  }

  async close(graceMs: number): Promise<void> {
    this.#isClosed = true;
    await Promise.all(
      [...this.#open.values()].map(async (opening) => {
        const tenant = await opening.catch(() => null); // there is nothing to close of one that was never open
        await tenant?.engine.close({ graceMs });
      }),
    );
  }

  #get(tenant: string): Promise<Tenant> {
    const known = this.#open.get(tenant);
    if (known !== undefined) return known;
    const opening = this.#openTenant(tenant);
    this.#open.set(tenant, opening);
    // One that could not be opened is tried again by whoever asks next.
    opening.catch(() => this.#open.delete(tenant));
    return opening;
  }

  async #openTenant(tenant: string): Promise<Tenant> {
    const store = await this.#storeOf(tenant);
    try {
      return { store, engine: await openEngine(store, this.#options.engine(tenant)) };
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  async #storeOf(tenant: string): Promise<Store> {
    const { store } = this.#options;
    if (store === 'memory') return memoryStore();
    if (tenant === defaultTenant) return openSqliteStore(store);
    await mkdir(folderOf(store), { recursive: true });
    return openSqliteStore(path.join(folderOf(store), `${tenant}.db`));
  }

  async #existing(): Promise<readonly string[]> {
    const { store } = this.#options;
    if (store === 'memory' || !existsSync(folderOf(store))) return [];
    const names = await readdir(folderOf(store));
    return names.filter((name) => name.endsWith('.db')).map((name) => name.slice(0, -'.db'.length));
  }
}

const folderOf = (store: string): string => `${store}.tenants`;
