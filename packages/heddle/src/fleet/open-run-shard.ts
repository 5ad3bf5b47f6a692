// Open run shard: one shard of a fleet in which every root run has a shard of its own, and home has all that is no run's.
//
// Always true: a shard knows home and, by the ids of runs, any other; nobody knows all of them.

import { readAllRecords } from '../actor/all-records.ts';
import { drawShard, RunPlacement, shardPerRun } from '../actor/mail/run-placement.ts';
import type { RecordRow, Store } from '../actor/ports.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { checkOptions } from '../engine/check-options.ts';
import type { Engine, EngineOptions, ShardSeams } from '../engine/engine.ts';
import { engineOptions, LocalEngine } from '../engine/local-engine.ts';
import { homeShard } from '../engine/peers.ts';
import type { AnyOperation } from '../operations/operation.ts';
import { type OperationName, operations } from '../operations/operations.ts';
import { asShard, claimHome } from './claim-stores.ts';
import { Fleet } from './fleet.ts';
import { LocalShard } from './local-shard.ts';
import type { OwnShard } from './open-own-shard.ts';
import type { Routes } from './route.ts';
import { type Shard, Shards } from './shards.ts';
import { catchUpKind } from './shared.ts';

export interface ShardOfRun {
  readonly own: number;
  readonly store: Store;
  /** Of home, to be read; its own if it is home. */
  readonly home: Store;
  /** What home says when the shard is opened, in one question. */
  readonly readShared: () => Promise<SharedAtHome>;
  readonly elsewhere: (shard: number) => Shard;
  readonly webhooks: Engine['webhooks'];
  /** Lists that are kept elsewhere, if they are. */
  readonly lists: Routes;
}

/** What a shard of a run takes over from home for its life. */
export interface SharedAtHome {
  readonly records: Readonly<Record<'trigger' | 'callback', readonly RecordRow[]>>;
  readonly secretKey: Uint8Array;
}

export async function readShared(home: Store): Promise<SharedAtHome> {
  const [trigger, callback] = [await readAllRecords(home, 'trigger'), await readAllRecords(home, 'callback')];
  return { records: { trigger, callback }, secretKey: await home.secretKey() };
}

export async function openRunShard(
  { own, store: mine, home, readShared: ask, elsewhere, webhooks, lists }: ShardOfRun,
  options: EngineOptions,
  seams: Pick<ShardSeams, 'crew' | 'newId'>,
): Promise<OwnShard> {
  checkOptions('createEngine', options, engineOptions);
  const isHome = own === homeShard;
  if (isHome) await claimHome(mine, shardPerRun);
  const store = isHome ? mine : await sharing(askingHome(mine, home), own, await ask());
  const placement = new RunPlacement(own);
  const engine = new LocalEngine({ store, whenFenced: null }, options, {
    ...seams,
    peers: { placement, of: (to) => of(to).peer, pageRuns: (query) => store.pageRuns(query), isSweptByHost: !isHome },
  });
  const local = new LocalShard(engine);
  const routes = { ...lists, ...homeRoutes, ...treeRoutes(lists) };
  const of = (shard: number): Shard => (shard === own ? local : elsewhere(shard));
  const shards = new Shards({
    all: [local],
    placement,
    stores: [store],
    viewer: engine.parts,
    refuseChange: () => engine.parts.host.inbox.refuseChange(),
    beyond: {
      home: of(homeShard),
      of,
      // A shard is asked for a new run because it was drawn for it.
      anyOne: () => (isHome ? of(drawShard()) : local),
      routes,
      refuse: (name) => refuseAll(name, routes),
    },
    copyAll: () => Promise.reject(notInThisPlacement('backUp')),
    close: (closing) => engine.close(closing),
  });
  try {
    await engine.recover();
  } catch (error) {
    await engine.close({ graceMs: 0 });
    throw error;
  }
  const { validate, snapshotKey } = bound(engine);
  return {
    shard: local,
    engine: new Fleet(shards, { validate, snapshotKey, webhooks: isHome ? engine.webhooks : webhooks }),
  };
}

/** What home says of triggers and callbacks when the shard is opened counts for its life. */
async function sharing(mine: Store, own: number, { records, secretKey }: SharedAtHome): Promise<Store> {
  const store = asShard(mine, own, { secretKey: () => secretKey });
  for (const kind of ['trigger', 'callback'] as const) await catchUpKind(records[kind], store, kind);
  return store;
}

/**
 * SH19: a version that this shard has not met is asked of home, and kept; which is the latest home knows, and what secrets and rules of
 * retention are now.
 */
function askingHome(store: Store, home: Store): Store {
  const findDefinition: Store['findDefinition'] = async (id, version) => {
    const known = version === null ? null : await store.findDefinition(id, version);
    if (known) return known;
    const found = await home.findDefinition(id, version);
    if (found && !(await store.findDefinition(id, found.version))) await store.saveDefinition(found);
    return found;
  };
  const readRecord: Store['readRecord'] = (kind, key) => (kind === 'secret' ? home : store).readRecord(kind, key);
  const listRecords: Store['listRecords'] = (kind, query) =>
    (kind === 'retention' ? home : store).listRecords(kind, query);
  const asked: Readonly<Partial<Record<PropertyKey, unknown>>> = { findDefinition, readRecord, listRecords };
  return new Proxy(store, { get: (target, name) => asked[name] ?? (Reflect.get(target, name) as unknown) });
}

const table: Readonly<Record<OperationName, AnyOperation>> = operations;

/** SH21: the runs of one tree, and what they ask of people, are in its shard. */
const treeRoutes = ({ listRuns = refused('listRuns'), listPrompts = refused('listPrompts') }: Routes): Routes => ({
  listRuns(shards, request, call) {
    const named = request.rootRunId ?? request.parentRunId;
    return named === undefined ? listRuns(shards, request, call) : shards.ofId(named).perform('listRuns', request);
  },
  listPrompts(shards, request, call) {
    const { runId } = request;
    return runId === undefined
      ? listPrompts(shards, request, call)
      : shards.ofId(runId).perform('listPrompts', request);
  },
});

/** Done at home, although where shards can be listed all of them are asked. */
const homeRoutes: Routes = {
  listRetention: ({ home }, request) => home.perform('listRetention', request),
  removeRetention: ({ home }, request) => home.perform('removeRetention', request),
  getArtifact: ({ home }, request, call) => home.perform('getArtifact', request, call),
  /** There are no workers: what the program has, home has. */
  listActions: ({ home }, request) => home.perform('listActions', request),
  async setRetention({ home }, request) {
    if (request.keepLast === undefined) return home.perform('setRetention', request);
    const message =
      'Expected a rule of days where every run has an object of its own: nobody knows which runs are the last';
    throw new HeddleError('NOT_IN_THIS_PLACEMENT', message, { pointer: '/keepLast' });
  },
};

const ofWorkers: ReadonlySet<OperationName> = new Set(['leaseTasks', 'announceActions', 'withdrawActions']);

/** What a projection answers, where there is one. */
const projected: ReadonlySet<string> = new Set<OperationName>([
  'listRuns',
  'countRuns',
  'cancelRuns',
  'retryRuns',
  'sweep',
]);

// SH20: nobody knows all shards.
function refuseAll(name: OperationName, routes: Routes): void {
  const isOfAll = table[name].where === 'every' || ofWorkers.has(name);
  if (isOfAll && !(name in routes)) throw notInThisPlacement(name);
}

const refused = (name: OperationName) => (): Promise<never> => Promise.reject(notInThisPlacement(name));

function notInThisPlacement(name: string): HeddleError {
  return new HeddleError(
    'NOT_IN_THIS_PLACEMENT',
    `Expected an operation on one run, or on what is at home, but ${name} would have to ask the object of every run`,
    {
      hint: projected.has(name)
        ? 'Name a projection (the option `projection`, a D1 database): it is answered from that. Or ask for the runs of one tree, by rootRunId.'
        : 'Ask for one run by its id, or take another placement: one object for a tenant, or shards.',
    },
  );
}

const bound = (engine: LocalEngine) => ({
  validate: (definition: unknown) => engine.validate(definition),
  snapshotKey: () => engine.snapshotKey(),
});
