// Back up: a copy of a tenant's store, where the server keeps copies: no request names a path.

import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { HeddleError } from '../base/heddle-error.ts';
import type { Tenants } from './tenants.ts';

/** SV6: copies lie in a folder beside the store, named by tenant and time. */
export async function backUp(tenants: Tenants, store: string, tenant: string): Promise<{ readonly file: string }> {
  const engine = await tenants.engineOf(tenant);
  if (engine === null)
    throw new HeddleError('ENGINE_CLOSED', 'Expected an open engine, but the server is shutting down');
  const folder = `${store}.backups`;
  await mkdir(folder, { recursive: true });
  const file = `${tenant}-${new Date().toISOString().replaceAll(/[:.]/g, '-')}.db`;
  await engine.backup(path.join(folder, file));
  return { file };
}
