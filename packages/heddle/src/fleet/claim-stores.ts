// Claim stores: stores become a fleet when it is made, and are looked at whether they are one whenever it is opened.

import {
  describeFleet,
  type Membership,
  readMembership,
  refuseOtherNumber,
  writeMembership,
} from '../actor/mail/membership.ts';
import type { Store } from '../actor/ports.ts';
import { asError, StoreError } from '../actor/store-error.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { shardsMax } from '../base/shard.ts';

/** A store, or why it is not there. */
export type Place = Store | Error;

/** What is where it belongs; new stores become a fleet. Of all but the first it may turn out that they are not there (SH14). */
export async function claimStores(
  places: readonly Place[],
  readOnly: boolean,
): Promise<readonly [home: Store, ...others: Place[]]> {
  const [home, ...others] = places;
  if (home === undefined || places.length > shardsMax)
    throw new HeddleError('OPTION_INVALID', `Expected from 1 to ${shardsMax} shards, but found ${places.length}`);
  if (home instanceof Error) throw home;
  const made = await readMembership(home);
  if (made === null) return makeFleet(places.map(mustBeThere), readOnly);
  refuseOther(made, { ...made, shard: 0, shards: places.length });
  return [home, ...(await Promise.all(others.map((place, index) => claimed(place, { ...made, shard: index + 1 }))))];
}

/** The first of a fleet whose others cannot be listed, and are made when they are needed. */
export async function claimHome(home: Store, shards: number): Promise<void> {
  const made = await readMembership(home);
  if (made === null) return join(home, { fleet: crypto.randomUUID(), shard: 0, shards });
  return refuseOther(made, { ...made, shard: 0, shards });
}

/** One of them, of a fleet that has been made. */
export async function claimOne(
  home: Store,
  store: Store,
  { shard, shards }: Pick<Membership, 'shard' | 'shards'>,
): Promise<void> {
  const made = await readMembership(home);
  if (made === null) throw notAMember(0);
  refuseOther(made, { ...made, shard: 0, shards });
  await refuseStranger(store, { ...made, shard });
}

async function refuseStranger(store: Store, expected: Membership): Promise<void> {
  const membership = await readMembership(store);
  if (membership === null) throw notAMember(expected.shard);
  refuseOther(membership, expected);
}

async function claimed(place: Place, expected: Membership): Promise<Place> {
  if (place instanceof Error) return place;
  try {
    await refuseStranger(place, expected);
    return place;
  } catch (error) {
    await place.close();
    return asError(error);
  }
}

/** Throws why it is not. */
export function mustBeThere(place: Place): Store {
  if (place instanceof Error) throw place;
  return place;
}

/** Home is noted last, and nothing happens before that: if it was begun and not finished, it is now. */
async function makeFleet(stores: readonly Store[], readOnly: boolean): Promise<readonly [Store, ...Store[]]> {
  const found = await Promise.all(stores.map(readMembership));
  const begun = found.find((membership) => membership !== null);
  if (begun && !(await areUnused(stores))) throw notAMember(0);
  const fleet = begun?.fleet ?? crypto.randomUUID();
  for (const [shard, store] of [...stores.entries()].toReversed()) {
    const expected = { fleet, shard, shards: stores.length };
    const membership = found[shard];
    if (membership) refuseOther(membership, expected);
    else if (!readOnly) await join(store, expected);
  }
  return stores as readonly [Store, ...Store[]]; // there is one
}

async function areUnused(stores: readonly Store[]): Promise<boolean> {
  for (const store of stores)
    if ((await store.feedEnd()) > 0 || (await store.listDefinitions({ limit: 1 })).length > 0) return false;
  return true;
}

async function join(store: Store, membership: Membership): Promise<void> {
  const isInUse = (await store.feedEnd()) > 0;
  if (isInUse && membership.shards > 1) throw inUse(membership);
  await writeMembership(store, membership);
}

function refuseOther(membership: Membership, expected: Membership): void {
  const { fleet, shard } = membership;
  refuseOtherNumber(membership, expected.shards);
  if (fleet !== expected.fleet)
    throw new StoreError(
      'STORE_FOREIGN',
      `Expected all shards of one fleet, but shard ${expected.shard} belongs to another; put its own file back`,
    );
  if (shard !== expected.shard)
    throw new StoreError(
      'STORE_FOREIGN',
      `Expected shard ${expected.shard}, but the store in its place is shard ${shard} of the same fleet; put each in its own place`,
    );
}

function notAMember(shard: number): StoreError {
  return new StoreError(
    'STORE_FOREIGN',
    `Expected shard ${shard} of this fleet, but the store in its place is new or belongs to none; put its own file back`,
  );
}

function inUse({ shard, shards }: Membership): StoreError {
  return new StoreError(
    'STORE_FOREIGN',
    `Expected new stores to make ${describeFleet(shards)}, but that of shard ${shard} holds runs already; name new ones`,
  );
}

/** A store as its shard sees it: with its number, and the one key that all have. */
export function asShard(store: Store, shard: number, home: Pick<Store, 'secretKey'>): Store {
  return new Proxy(store, {
    get(target, name) {
      if (name === 'shard') return shard;
      if (name === 'secretKey' && shard > 0) return () => home.secretKey();
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' && name !== 'hash' ? (value.bind(target) as unknown) : value;
    },
  });
}
