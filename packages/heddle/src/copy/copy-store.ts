// Copy store: a store made anew with another number of shards: a file becomes a fleet, a fleet a larger one. Rules CY….
//
// Always true: the source is locked and not changed; what is made has its name when it is whole and its audit is clean.

import { existsSync, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { type Membership, readMembership, writeMembership } from '../actor/mail/membership.ts';
import { repostAll } from '../actor/mail/repost.ts';
import type { Store } from '../actor/ports.ts';
import { StoreError } from '../actor/store-error.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { shardFile, shardsMax } from '../base/shard.ts';
import { openEngine } from '../engine/local-engine.ts';
import { mustBeThere } from '../fleet/claim-stores.ts';
import { openFleet } from '../fleet/open-fleet.ts';
import { makeOwnFolder, syncFolder } from '../hosts/sqlite/durable-file.ts';
import { openFleetFolder } from '../hosts/sqlite/fleet-folder.ts';
import { listKeys } from '../hosts/sqlite/list-keys.ts';
import { lockStore, openSqliteStore } from '../hosts/sqlite/open.ts';
import type { Audit } from '../operations/server.ts';
import { moveRecords, reserveRetryKeys, spreadRecords } from './move-records.ts';

export interface CopyRequest {
  /** A SQLite file, or the folder of a fleet, that nobody has open for writing. */
  readonly from: string;
  /** What is not there yet. */
  readonly to: string;
  /** How many shards the fleet in the folder `to` is to have; absent: `to` is a file. */
  readonly shards?: number;
}

/** What the copy holds, all of which was looked at. */
export type Copied = Pick<Audit, 'runs' | 'rows'>;

export async function copyStore(request: CopyRequest): Promise<Copied> {
  const { from, to, shards } = request;
  const files = filesOf(from);
  refuseNumber(files.length, request);
  refuseExisting(path.resolve(to));
  // CY1: while it is copied nobody writes to it.
  const locks = [];
  try {
    for (const file of files) locks.push(await lockStore(file));
    return await copyLocked({ from, to, shards });
  } finally {
    for (const lock of locks) lock.release();
  }
}

/** Those of the shards that are there; openFleetFolder says which are missing. */
function filesOf(from: string): readonly string[] {
  const found = statSync(from, { throwIfNoEntry: false });
  if (found === undefined) throw missing(from);
  if (!found.isDirectory()) return [from];
  const files: string[] = [];
  while (files.length < shardsMax && existsSync(shardFile(from, files.length)))
    files.push(shardFile(from, files.length));
  if (files.length === 0) throw missing(from);
  return files;
}

interface Copying {
  readonly from: string;
  readonly to: string;
  readonly shards: number | undefined;
}

async function copyLocked({ from, to, shards }: Copying): Promise<Copied> {
  const target = path.resolve(to);
  const draft = `${target}.new`;
  await rm(draft, { recursive: true, force: true }); // what a crash left of another one
  try {
    await makeOwnFolder(draft);
    const before = await copyFiles(from, draft);
    await divide(draft, before, shards);
    const audit = await auditDraft(draft, shards);
    await giveName(draft, target, shards);
    return audit;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Each shard as it is; answers with what fleet they were of. */
async function copyFiles(from: string, draft: string): Promise<Membership | null> {
  const places = statSync(from).isDirectory()
    ? await openFleetFolder({ folder: from }, { readOnly: true })
    : [await openSqliteStore(from, { readOnly: true })];
  try {
    const stores = places.map(mustBeThere);
    const membership = await readMembership(stores[0] as Store); // a fleet has one at least
    if (membership !== null && membership.shards !== stores.length) throw oneShard(from, membership);
    for (const [shard, store] of stores.entries()) {
      const [damage] = await store.findDamage();
      if (damage) throw damaged(from, damage.message);
      await store.upkeep?.backup(shardFile(draft, shard));
    }
    return membership;
  } finally {
    for (const place of places) if (!(place instanceof Error)) await place.close();
  }
}

/** CY2: runs stay in the shards that their ids say; what names place moves to where they are looked for now. */
async function divide(draft: string, before: Membership | null, shards: number | undefined): Promise<void> {
  const [count, countBefore] = [shards ?? 1, before?.shards ?? 1];
  const files = Array.from({ length: count }, (_, shard) => shardFile(draft, shard));
  const retryKeys = await Promise.all(files.slice(0, countBefore).map((file) => listKeys(file, 'retry')));
  const stores: Store[] = [];
  try {
    for (const file of files) stores.push(await openSqliteStore(file));
    await moveRecords(stores);
    if (count !== countBefore) await spreadRecords(stores);
    await reserveRetryKeys(stores, retryKeys);
    // Before those that will be: the first letters of a fleet are the first that it sends (ML2).
    await repostAll(stores, `0-${crypto.randomUUID()}`);
    const former = [...(before?.former ?? []), ...(count === countBefore ? [] : [countBefore])];
    const fleet = crypto.randomUUID();
    for (const [shard, store] of stores.entries())
      await writeMembership(store, shards === undefined ? null : { fleet, shard, shards, former });
  } finally {
    for (const store of stores) await store.close();
  }
}

/** CY5: before it has its name all of it is looked at. */
async function auditDraft(draft: string, shards: number | undefined): Promise<Audit> {
  const engine =
    shards === undefined
      ? await openEngine(await openSqliteStore(shardFile(draft, 0), { readOnly: true }), { readOnly: true })
      : await openFleet(await openFleetFolder({ folder: draft }, { readOnly: true }), { readOnly: true });
  try {
    const audit = await engine.audit();
    const [problem] = audit.problems;
    if (problem) throw damaged(problem.runId ?? 'it', problem.message);
    return audit;
  } finally {
    await engine.close({ graceMs: 0 });
  }
}

async function giveName(draft: string, target: string, shards: number | undefined): Promise<void> {
  if (shards === undefined) {
    const file = shardFile(draft, 0);
    // The database last: under its name it is whole.
    for (const ending of ['-artifacts', '.key', ''])
      if (existsSync(`${file}${ending}`)) await rename(`${file}${ending}`, `${target}${ending}`);
  } else {
    await syncFolder(draft);
    await rename(draft, target);
  }
  await syncFolder(path.dirname(target));
}

/** CY6: ids say their shard, so that there can be more shards than before, and never fewer. */
function refuseNumber(before: number, { from, to, shards }: CopyRequest): void {
  const isNumber = shards === undefined || (Number.isSafeInteger(shards) && shards >= 1 && shards <= shardsMax);
  if (!isNumber)
    throw new HeddleError(
      'OPTION_INVALID',
      `Expected shards to be a whole number from 1 to ${shardsMax}, but found ${String(shards)}`,
    );
  if ((shards ?? 1) >= before) return;
  const found = shards === undefined ? `a file, which is one` : `${shards}`;
  throw new StoreError(
    'STORE_FOREIGN',
    `Expected ${to} to have as many shards as ${from}, which are ${before}, or more, but it is to be ${found}: the ids of ` +
      `its runs say which shard they are in, so that a fleet can only grow. Say shards: ${before}, or more.`,
  );
}

function refuseExisting(to: string): void {
  const taken = ['', '.key', '-artifacts', '-wal'].map((ending) => to + ending).find((file) => existsSync(file));
  if (taken === undefined) return;
  throw new StoreError(
    'STORE_UNWRITABLE',
    `Expected a free path for the copy, but ${taken} is there. Name another path.`,
  );
}

const missing = (from: string): StoreError =>
  new StoreError(
    'STORE_MISSING',
    `Expected a store at ${from}, but there is none. Name a file, or the folder of a fleet.`,
  );

function oneShard(from: string, { shard, shards }: Membership): StoreError {
  return new StoreError(
    'STORE_FOREIGN',
    `Expected a whole store, but ${from} is shard ${shard} of a fleet of ${shards}. Copy the fleet, by its folder.`,
  );
}

function damaged(what: string, found: string): StoreError {
  return new StoreError(
    'STORE_DAMAGED',
    `Expected ${what} to be sound, but found: ${found}. Nothing was copied; look into the store with \`heddle audit\`, and ` +
      `put a backup in its place.`,
  );
}
