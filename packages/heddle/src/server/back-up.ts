// Back up: a copy of a tenant's store, where the server keeps copies: no request names a path.

import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Tenants } from './tenants.ts';

/** SV6: copies lie in a folder beside the store, named by tenant and time; no two have the same name. */
export async function backUp(tenants: Tenants, store: string, tenant: string): Promise<{ readonly file: string }> {
  const engine = await tenants.engineOf(tenant);
  const folder = folderOf(store);
  await mkdir(folder, { recursive: true });
  const time = new Date().toISOString().replaceAll(/[:.]/g, '-');
  const file = `${tenant}-${time}-${randomUUID().slice(0, 8)}.db`;
  await engine.backup(path.join(folder, file));
  return { file };
}

/** SV7: what was cut off with an earlier server is removed by the next: a draft, which has not got its name yet. */
export async function removeCutOff(store: string): Promise<void> {
  const folder = folderOf(store);
  if (!existsSync(folder)) return;
  for (const draft of (await readdir(folder)).filter((name) => name.endsWith('.db.new'))) {
    const copy = path.join(folder, draft.slice(0, -'.new'.length));
    // The draft last: whatever ends this, it is found again.
    for (const part of ['.key', '-artifacts', '.new']) await rm(`${copy}${part}`, { recursive: true, force: true });
  }
}

const folderOf = (store: string): string => `${store}.backups`;
