// Tenants: each has an engine of its own on a store of its own, so that no question can reach another's runs. Rules TN….
//
// Always true: what one tenant's store suffers is no other's matter; on a database that several servers share, all of them have
// every tenant.

import { closedError } from '../actor/refusals.ts';
import type { Engine, EngineOptions } from '../engine/engine.ts';
import { defaultTenant } from '../http/access.ts';
import { existingTenants, isDatabase, openTenant, type ServedStore, type Tenant } from './tenant-stores.ts';

export interface TenantsOptions {
  /** The default tenant's. */
  readonly store: ServedStore;
  readonly engine: (tenant: string) => EngineOptions;
  /** Told of a tenant that cannot be opened. */
  readonly onFault: (tenant: string, error: unknown) => void;
}

/** How often it is looked for tenants that another server has made. */
const lookMs = 2_000;

export class Tenants {
  readonly #options: TenantsOptions;
  readonly #open = new Map<string, Promise<Tenant>>();
  /** Told of once. */
  readonly #refused = new Set<string>();
  #isClosed = false;
  #nextLook: NodeJS.Timeout | undefined;
  #looking: Promise<void> | null = null;

  constructor(options: TenantsOptions) {
    this.#options = options;
  }

  /** TN1: all that there are are opened at the start: their timers and schedules do not wait for a request. */
  async openAll(): Promise<Tenant> {
    const first = await this.#get(defaultTenant);
    await this.#openOthers();
    if (isDatabase(this.#options.store)) this.#lookLater();
    return first;
  }

  async #openOthers(): Promise<void> {
    for (const tenant of await existingTenants(this.#options.store))
      if (!this.#isClosed && !this.#refused.has(tenant)) await this.#get(tenant).catch(this.#toldOf(tenant));
  }

  /** TN4: one that another server has made on the same database is opened here, too. */
  #lookLater(): void {
    this.#nextLook = setTimeout(() => {
      this.#looking = this.#openOthers()
        .catch(this.#toldOf('those of other servers'))
        .finally(() => {
          if (!this.#isClosed) this.#lookLater();
        });
    }, lookMs).unref();
  }

  /** TN3: one that cannot be opened is told of, and keeps nobody else from starting; who asks for it is refused. */
  #toldOf(tenant: string): (error: unknown) => void {
    return (error) => {
      this.#refused.add(tenant);
      this.#options.onFault(tenant, error);
    };
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
    clearTimeout(this.#nextLook);
    await this.#looking;
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
    const { store, engine } = this.#options;
    const shards = tenant === defaultTenant ? undefined : (await this.#get(defaultTenant)).stores.length;
    return openTenant(store, tenant, { shards, options: engine(tenant) });
  }
}
