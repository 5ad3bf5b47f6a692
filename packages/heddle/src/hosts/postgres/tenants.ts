// Tenants: those of a server have a schema each, beside that of the default tenant and named for it.
//
// Always true: no schema that a user can name is that of a tenant: it has a hyphen.

import { HeddleError } from '../../base/heddle-error.ts';
import type { Database } from './database.ts';

/** Of a name in PostgreSQL, which cuts off what is longer. */
const nameMax = 63;

/** PG14: beside that of the default tenant. */
export function schemaOfTenant(schema: string, tenant: string): string {
  const name = `${schema}-${tenant}`;
  if (name.length <= nameMax) return name;
  throw new HeddleError(
    'TENANT_INVALID',
    `Expected the name of a tenant to have at most ${nameMax - schema.length - 1} characters, for its schema is named ${schema}-TENANT, ` +
      `but ${tenant} has ${tenant.length}. Make a key for a tenant with a shorter name.`,
  );
}

export async function findTenants(database: Database, schema: string): Promise<readonly string[]> {
  const prefix = `${schema}-`;
  const rows = await database.read<{ name: string }>(
    'SELECT nspname AS name FROM pg_catalog.pg_namespace WHERE starts_with(nspname, $1) ORDER BY nspname',
    [prefix],
  );
  return rows.map(({ name }) => name.slice(prefix.length));
}
