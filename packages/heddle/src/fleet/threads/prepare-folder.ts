// Prepare folder: the files of a fleet before its threads begin: they are made if they are new, looked at whether they are a
// fleet, and every shard is given what it missed. They are closed again: a file is its thread's.

import type { Store } from '../../actor/ports.ts';
import { asError } from '../../actor/store-error.ts';
import { type FleetFolder, openFleetFolder } from '../../hosts/sqlite/fleet-folder.ts';
import { claimStores, type Place } from '../claim-stores.ts';
import { catchUp } from '../shared.ts';

export interface PreparedFolder {
  /** One for all shards. */
  readonly secretKey: Uint8Array;
  /** By shard: why it is not there; null if it is. */
  readonly absences: readonly (Error | null)[];
}

export async function prepareFolder(place: FleetFolder): Promise<PreparedFolder> {
  const opened = await openFleetFolder(place);
  try {
    const [home, ...others] = await claimStores(opened, false);
    const absences = [null, ...(await Promise.all(others.map((other) => missed(home, other))))];
    return { secretKey: await home.secretKey(), absences };
  } finally {
    for (const store of opened) if (!(store instanceof Error)) await store.close();
  }
}

async function missed(home: Store, place: Place): Promise<Error | null> {
  if (place instanceof Error) return place;
  try {
    await catchUp(home, place);
    return null;
  } catch (error) {
    return asError(error);
  }
}
