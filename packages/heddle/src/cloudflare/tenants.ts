// Tenants: which there are: a record of each in the operator's first object, written when a key of the tenant is first used. Who
// names a tenant without a key learns of none, and makes none (AC7).

import type { Store } from '../actor/ports.ts';
import { sideCommit } from '../actor/side-writer.ts';
import { defaultTenant } from '../http/access.ts';

const kind = 'tenant';
const tenantsPerPage = 1_000;

export async function noteTenant(store: Store, tenant: string): Promise<void> {
  if (await isTenant(store, tenant)) return;
  await store.commit(sideCommit({ records: [{ kind, key: tenant, value: '{}', dueAt: null }] }));
}

export async function isTenant(store: Store, tenant: string): Promise<boolean> {
  return tenant === defaultTenant || (await store.readRecord(kind, tenant)) !== null;
}

/** By name; the operator's is always one. */
export async function pageTenants(store: Store, after: string | null): Promise<readonly string[]> {
  const rows = await store.listRecords(kind, { limit: tenantsPerPage, ...(after === null ? {} : { after }) });
  return rows.map(({ key }) => key);
}
