// Open own shard: one shard of a fleet whose others are elsewhere, each for ever with an engine of its own. Where every shard is
// opened so, any of them can be asked anything.
//
// Always true: the shard has what it missed before anything of it resumes; users see one engine, whichever shard they ask.

import { readMembership } from '../actor/mail/membership.ts';
import { Placement } from '../actor/mail/placement.ts';
import type { Store } from '../actor/ports.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { checkOptions } from '../engine/check-options.ts';
import type { Engine, EngineOptions, ShardSeams } from '../engine/engine.ts';
import { engineOptions, LocalEngine } from '../engine/local-engine.ts';
import { homeShard } from '../engine/peers.ts';
import { readAllShards } from './all-shards.ts';
import { asShard, claimOne, claimStores } from './claim-stores.ts';
import { Fleet } from './fleet.ts';
import { LocalShard } from './local-shard.ts';
import { type Shard, Shards } from './shards.ts';
import { catchUp, SharedChanges } from './shared.ts';

export interface ShardAmongOthers {
  readonly own: number;
  /** Its own, and those of the others, to be read; the first also to be made a fleet with. */
  readonly stores: readonly [Store, ...Store[]];
  readonly elsewhere: (shard: number) => Shard;
  /** Of home, for the others. */
  readonly webhooks: Engine['webhooks'];
}

export interface OwnShard {
  /** The fleet. */
  readonly engine: Engine;
  readonly shard: LocalShard;
}

/** The first shard makes the fleet; it is to be opened before any other. */
export async function openOwnShard(
  { own, stores, elsewhere, webhooks }: ShardAmongOthers,
  options: EngineOptions,
  seams: Pick<ShardSeams, 'crew' | 'newId'>,
): Promise<OwnShard> {
  checkOptions('createEngine', options, engineOptions);
  const isHome = own === homeShard;
  const [home] = stores;
  const mine = stores[own] as Store; // there are as many
  if (isHome) await claimStores(stores, false);
  else await claimOne(home, mine, { shard: own, shards: stores.length });
  const store = asShard(mine, own, home);
  if (!isHome) await catchUp(home, store);
  const all: Shard[] = stores.map((_, shard) => elsewhere(shard));
  const engine = new LocalEngine({ store, whenFenced: null }, options, {
    ...seams,
    peers: {
      placement: new Placement(own, stores.length),
      of: (to) => (all[to] ?? local).peer, // what no shard can have made is not found here
      pageRuns: readAllShards(stores).pageRuns,
      former: (await readMembership(store))?.former ?? [],
    },
  });
  const local = new LocalShard(engine, isHome ? new SharedChanges(store, all.slice(1)) : null);
  all[own] = local;
  const shards = new Shards({
    all: all as [Shard, ...Shard[]], // as many
    placement: new Placement(homeShard, stores.length),
    stores,
    viewer: engine.parts,
    refuseChange: () => engine.parts.host.inbox.refuseChange(),
    copyAll: () => Promise.reject(new HeddleError('NOT_AVAILABLE', noBackup)),
    close: (closing) => engine.close(closing),
  });
  try {
    await engine.recover();
  } catch (error) {
    await engine.close({ graceMs: 0 });
    throw error;
  }
  return {
    shard: local,
    engine: new Fleet(shards, {
      validate: (definition) => engine.validate(definition),
      snapshotKey: () => engine.snapshotKey(),
      webhooks: isHome ? engine.webhooks : webhooks,
    }),
  };
}

const noBackup =
  'Expected a fleet whose stores one process can copy, but each of its shards is on its own; use what its host has for that';
