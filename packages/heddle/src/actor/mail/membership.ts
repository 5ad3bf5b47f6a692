// Membership: which fleet a store belongs to, which shard of it it is, and of how many: a record in every store of a fleet.

import type { RecordWrite, Store } from '../ports.ts';
import { sideCommit } from '../side-writer.ts';
import { StoreError } from '../store-error.ts';
import { shardPerRun } from './run-placement.ts';

export interface Membership {
  /** The same in all stores of a fleet, and in no other. */
  readonly fleet: string;
  readonly shard: number;
  readonly shards: number;
  /** Of a copy: how many shards those had that it was copied from, the first first. */
  readonly former?: readonly number[];
}

const kind = 'fleet';
const key = 'self';

/** Null if it belongs to none. */
export async function readMembership(store: Pick<Store, 'readRecord'>): Promise<Membership | null> {
  const row = await store.readRecord(kind, key);
  return row === null ? null : (JSON.parse(row.value) as Membership); // as below
}

/** Null: it belongs to none from now on. */
export async function writeMembership(store: Store, membership: Membership | null): Promise<void> {
  await store.commit(sideCommit({ records: [membershipRecord(membership)] }));
}

/** As it lies in a store, for hosts that make all of a fleet at once. */
export function membershipRecord(membership: Membership | null): RecordWrite {
  return { kind, key, value: membership && JSON.stringify(membership), dueAt: null };
}

export const describeFleet = (shards: number): string => `a fleet of ${describeNumber(shards)}`;

const describeNumber = (shards: number): string =>
  shards === shardPerRun ? 'a shard for every run' : `${shards} ${shards === 1 ? 'shard' : 'shards'}`;

/** SH10: how many shards a fleet has is fixed when it is made. */
export function refuseOtherNumber({ shards }: Membership, expected: number): void {
  if (shards === expected) return;
  if (Math.max(shards, expected) === shardPerRun)
    throw new StoreError(
      'STORE_FOREIGN',
      `Expected ${describeFleet(expected)}, but it was made with ${describeNumber(shards)}, which is fixed; open it as it was made`,
    );
  const copying =
    expected > shards ? ', or copy it into a new one (heddle copy)' : '; a copy of it can have more, but not fewer';
  throw new StoreError(
    'STORE_FOREIGN',
    `Expected a fleet of ${expected} shards, but it was made with ${shards}, which is fixed; open it with shards: ${shards}${copying}`,
  );
}

/** SH13: a shard alone would miss what the others send it, and send them nothing. */
export async function refuseShardAlone(store: Store): Promise<void> {
  const membership = await readMembership(store);
  if (membership === null || membership.shards === 1) return;
  const { shard, shards } = membership;
  throw new StoreError(
    'STORE_FOREIGN',
    `Expected a store of its own, but it is shard ${shard} of a fleet of ${shards}; open the fleet, by its folder (store: { folder })`,
  );
}
