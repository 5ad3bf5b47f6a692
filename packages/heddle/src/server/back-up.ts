// Back up: a copy of a tenant's store, where the server keeps copies: no request names a path.

import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder } from '../hosts/sqlite/durable-file.ts';
import { endingOf, type ServedStore } from './tenant-stores.ts';
import type { Tenants } from './tenants.ts';

export interface Backups {
  /** Where they lie. */
  readonly folder: string;
  readonly store: ServedStore;
}

const draftEnding = '.new';

/** SV6: copies lie in a folder beside the store, named by tenant and time; no two have the same name. */
export async function backUp(
  tenants: Tenants,
  { folder, store }: Backups,
  tenant: string,
): Promise<{ readonly file: string }> {
  const engine = await tenants.engineOf(tenant);
  await mkdir(folder, { recursive: true });
  const time = new Date().toISOString().replaceAll(/[:.]/g, '-');
  const file = `${tenant}-${time}-${randomUUID().slice(0, 8)}${endingOf(store)}`;
  const copy = path.join(folder, file);
  if (typeof store === 'string') await engine.backup(copy);
  else await backUpFleet(engine, copy);
  return { file };
}

/** It gets its name when the copies of all shards are there. */
async function backUpFleet(engine: { backup(to: string): Promise<void> }, copy: string): Promise<void> {
  const draft = `${copy}${draftEnding}`;
  try {
    await engine.backup(draft);
    await rename(draft, copy);
    await syncFolder(path.dirname(copy));
  } catch (error) {
    await rm(draft, { recursive: true, force: true }).catch(() => undefined); // the error that led here is the one to tell
    throw error;
  }
}

/** SV7: what was cut off with an earlier server is removed by the next: a draft, which has not got its name yet. */
export async function removeCutOff(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  for (const draft of (await readdir(folder)).filter((name) => name.endsWith(draftEnding))) {
    const copy = path.join(folder, draft.slice(0, -draftEnding.length));
    // The draft last: whatever ends this, it is found again.
    for (const part of ['.key', '-artifacts', draftEnding])
      await rm(`${copy}${part}`, { recursive: true, force: true });
  }
}
