// The engine on PostgreSQL: a fleet of two shards on a real server, as `createEngine({ store: postgres(…) })` makes it, whose runs
// go by virtual time.
//
// Always true: leases and calls have a clock of their own, which stands still: time that a test lets pass is none for the database;
// a lease never ends, however slow the machine is.

import { randomBytes } from 'node:crypto';
import type { Commit, Store } from '../../packages/heddle/src/actor/ports.ts';
import type { EngineOptions, TestSeams } from '../../packages/heddle/src/engine/engine.ts';
import { openSharedFleet } from '../../packages/heddle/src/fleet/open-shared-fleet.ts';
import { newSchema, owned } from '../../packages/heddle/src/hosts/postgres/fresh-shard.testsuite.ts';
import { postgresStores } from '../../packages/heddle/src/hosts/postgres/open.ts';
import { askServer, testServer } from '../../packages/heddle/src/hosts/postgres/server.testsuite.ts';
import {
  createTestEngineOn,
  type TestEngine,
  type TestEngineOptions,
} from '../../packages/heddle/src/testing/test-engine.ts';
import { VirtualClock } from '../../packages/heddle/src/testing/virtual-clock.ts';
import { Unanswered } from '../unanswered.testsuite.ts';
import { storesAsOne } from './stores-as-one.testsuite.ts';

const shards = 2;

interface Place {
  readonly schema: string;
  /** Of its own: no lease or secret of another engine is good here. */
  readonly secretKey: string;
}

const places = new WeakMap<TestEngine, Place>();
const newPlace = (): Place => ({ schema: newSchema(), secretKey: randomBytes(32).toString('base64') });

/** In a place of its own, or that of an engine before. */
export async function openOnPostgres(options: TestEngineOptions, before?: TestEngine): Promise<TestEngine> {
  const place = (before && places.get(before)) ?? newPlace();
  const { url } = await testServer();
  const { stores, leases, calls, openStore, close } = await postgresStores({ url: url(), shards, ...place });
  const unanswered = new Unanswered();
  const given = {
    stores: stores.map((store) => unanswered.watch(store)) as [Store, ...Store[]], // as many
    leases: unanswered.watch(leases),
    calls: unanswered.watch(calls),
    openStore: (shard: number) => unanswered.watch(openStore(shard)),
    close,
  };
  const open = async (all: EngineOptions, { standIn }: TestSeams) =>
    (await openSharedFleet(given, all, { standIn, fleetClock: new VirtualClock() })).engine;
  const looked = stores.map((store) => ({ ...store, commit: (commit: Commit) => writeAsNext(store, commit) }));
  const host = { store: storesAsOne(looked as [Store, ...Store[]]), open, unanswered: unanswered.wait }; // as many
  const opened = await createTestEngineOn(host, options);
  places.set(opened, place);
  return opened;
}

/** What a test writes it writes as the next owner: the engine writes nothing more, and is to be restarted. */
async function writeAsNext(store: Store, commit: Commit): Promise<void> {
  await (await owned(store)).commit(commit);
}

/** When its engine is closed. */
export async function forgetOnPostgres(closed: TestEngine): Promise<void> {
  await askServer(`DROP SCHEMA ${places.get(closed)?.schema} CASCADE`);
}
