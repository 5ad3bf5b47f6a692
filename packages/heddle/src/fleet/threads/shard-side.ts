// Shard side: an engine on one file of a fleet, in a thread of its own, and what the main thread may ask of it.
//
// Always true: what it needs of others it asks the main thread, which brings it to where it belongs.

import { readMembership } from '../../actor/mail/membership.ts';
import { Placement } from '../../actor/mail/placement.ts';
import type { Committed, Sinks } from '../../actor/observers.ts';
import type { RunPage, RunPageQuery, Store } from '../../actor/ports.ts';
import { assert } from '../../base/assert.ts';
import { LocalEngine } from '../../engine/local-engine.ts';
import type { ShardPeers } from '../../engine/peers.ts';
import { openSqliteStore } from '../../hosts/sqlite/open.ts';
import type { ReadOptions, StreamName } from '../../operations/carrier.ts';
import type { RequestOf } from '../../operations/operations.ts';
import { nodeTransport } from '../../outbound/node/transport.ts';
import { answerShard, shardQuestions } from '../asked-shard.ts';
import { asShard } from '../claim-stores.ts';
import { packError } from '../crossing-error.ts';
import { farPeer } from '../far-peer.ts';
import { LocalShard } from '../local-shard.ts';
import { FarCrew } from './far-crew.ts';
import type { Handlers, Line } from './line.ts';
import type { CrossingCommit, ShardPlan } from './shard-plan.ts';
import { Streams } from './stream.ts';

export type AskedItems = readonly [id: number, name: StreamName, request: RequestOf<StreamName>, options: ReadOptions];

export class ShardSide {
  readonly #line: Line;
  readonly #streams = new Streams();
  #store: Store | null = null;
  #made: LocalShard | null = null;
  #isWatched = false;

  constructor(line: Line) {
    this.#line = line;
    line.serve({ ...this.#life, ...this.#questions });
  }

  readonly #life: Handlers = {
    // Its own thread is one for writing already.
    openFile: async ([file]: readonly [string]) => {
      this.#store = await openSqliteStore(file, { writerThread: 'never' });
    },
    make: ([plan]: readonly [ShardPlan]) => this.#make(plan),
    load: () => this.#engine.load(),
    resume: () => this.#engine.resume(),
    close: ([graceMs]: readonly [number]) => (this.#made ? this.#engine.close({ graceMs }) : this.#store?.close()),
  };

  readonly #questions: Handlers = {
    ...Object.fromEntries(
      shardQuestions.map((name) => [
        name,
        (args: readonly unknown[], signal) => answerShard(this.#shard, name, args, signal),
      ]),
    ),
    backup: ([path]: readonly [string]) => this.#engine.backup(path),
    whenIdle: () => this.#engine.whenIdle(),
    watchProgress: () => this.#watchProgress(),
    nextItems: ([id, name, request, options]: AskedItems) =>
      this.#streams.next(id, (signal) => this.#engine.carrier.read(name, request, { ...options, signal })),
    stopStream: ([id]: readonly [number]) => this.#streams.stop(id),
    endStream: ([id]: readonly [number]) => this.#streams.end(id),
  };

  get #shard(): LocalShard {
    assert(this.#made, 'Expected an engine in this thread, but it was not made yet');
    return this.#made;
  }

  get #engine(): LocalEngine {
    return this.#shard.engine;
  }

  async #make(plan: ShardPlan): Promise<void> {
    assert(this.#store, 'Expected a file that is open before its engine is made, but there is none');
    const { shard, secretKey } = plan;
    const store = this.#readersFirst(asShard(this.#store, shard, { secretKey: () => secretKey }));
    const former = (await readMembership(store))?.former ?? [];
    const crew = new FarCrew(this.#line, plan);
    this.#line.serve(crew.handlers);
    const { http, ...options } = plan.options;
    const engine = new LocalEngine(
      { store, whenFenced: null },
      { ...options, ...this.#sinks(plan), http: { ...http, transport: nodeTransport() } },
      { crew, catalogue: plan.catalogue, peers: { ...this.#peers(plan), former } },
    );
    this.#made = new LocalShard(engine);
  }

  /** Whoever closes a file last leaves it whole: the main thread reads it until then. */
  #readersFirst(store: Store): Store {
    const close = async (): Promise<void> => {
      await this.#line.ask('closeReader');
      await store.close();
    };
    return new Proxy(store, {
      get: (target, name) => (name === 'close' ? close : (Reflect.get(target, name) as unknown)),
    });
  }

  #peers({ shard: own, shards }: ShardPlan): ShardPeers {
    const others = Array.from({ length: shards }, (_, to) =>
      to === own ? null : farPeer((asked, signal) => this.#line.ask('askPeer', [to, asked], signal)),
    );
    return {
      placement: new Placement(own, shards),
      of: (to) => others[to] ?? this.#shard.peer, // what no shard can have made is not found here
      pageRuns: (query: RunPageQuery) => this.#line.ask<RunPage>('pageRuns', [query]),
    };
  }

  #sinks({ sinks }: ShardPlan): Sinks {
    const line = this.#line;
    const all: Required<Sinks> = {
      onEvent: (event) => line.tell('onEvent', event),
      onCommit: (committed) => line.tell('onCommit', packCommit(committed)),
      onTrace: (event) => line.tell('onTrace', event),
      onProgress: (progress) => line.tell('onProgress', progress),
      onError: (error, context) => line.tell('onError', packError(error), context),
    };
    const wanted = sinks.map((name) => [name, all[name]] as const);
    return { ...Object.fromEntries(wanted), onError: all.onError };
  }

  #watchProgress(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    this.#engine.watchProgress((progress) => this.#line.tell('watched', progress));
  }

  /** When nothing waits to be decided; then what is known of spans. */
  async rest(): Promise<LocalEngine['spanCounts']> {
    await this.#made?.engine.whenIdle();
    return this.#made?.engine.spanCounts ?? null;
  }
}

function packCommit({ actionOf, ...committed }: Committed): CrossingCommit {
  const tokens = committed.events.flatMap((event) => ('token' in event ? [event.token] : []));
  return { ...committed, actions: new Map(tokens.map((token) => [token, actionOf(token)])) };
}
