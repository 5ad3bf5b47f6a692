// Main side: what the threads of a fleet share in the main thread: the actions, what is read of their files, and what users
// are told.
//
// Always true: nothing is written here; a file is read by a connection of its own, which is closed before its shard closes it.

import { readAllRecords } from '../../actor/all-records.ts';
import type { RunPageQuery, Store } from '../../actor/ports.ts';
import { assert } from '../../base/assert.ts';
import type { EngineOptions } from '../../engine/engine.ts';
import { LocalEngine } from '../../engine/local-engine.ts';
import { homeShard, type ShardPeer } from '../../engine/peers.ts';
import type { Action } from '../../executor/action.ts';
import { Crew } from '../../executor/crew.ts';
import type { ExecutorOptions } from '../../executor/executor.ts';
import { openSqliteStore } from '../../hosts/sqlite/open.ts';
import { nodeTransport } from '../../outbound/node/transport.ts';
import { actionKind } from '../../work/announcements.ts';
import { absentStore } from '../absent-shard.ts';
import { readAllShards } from '../all-shards.ts';
import { asShard } from '../claim-stores.ts';
import { type AskedOfPeer, answerPeer } from '../far-peer.ts';
import { OneMoment } from '../one-moment.ts';
import type { Shard } from '../shards.ts';
import { factOf, factsOf } from './action-facts.ts';
import type { Handlers, Line } from './line.ts';
import { planOptions, type ShardPlan, sinkNames } from './shard-plan.ts';
import { ShardTasks } from './shard-tasks.ts';
import { sinkHandlers } from './sinks.ts';

/** What the crew of all shards is made with. */
type CrewParts = Pick<ExecutorOptions, 'clock' | 'limits' | 'registry'>;

export class MainSide {
  readonly #options: EngineOptions;
  readonly #shardOf: (shard: number) => Shard | undefined;
  /** By shard, as they are read: of one that is not there nothing can be. */
  readonly #readers: Store[] = [];
  /** Those that are open. */
  readonly #opened = new Map<number, Store>();
  readonly #lines = new Map<number, Line>();
  readonly #crew = new Crew();
  readonly moment = new OneMoment();
  #parts: CrewParts | null = null;
  #viewer: LocalEngine | null = null;

  constructor(options: EngineOptions, shardOf: (shard: number) => Shard | undefined) {
    this.#options = options;
    this.#shardOf = shardOf;
  }

  async openReader(shard: number, file: string): Promise<void> {
    const reader = await openSqliteStore(file, { readOnly: true });
    this.#opened.set(shard, reader);
    this.#readers[shard] = asShard(reader, shard, { secretKey: () => this.stores[homeShard].secretKey() });
  }

  /** At once, for who does not wait. */
  async closeReader(shard: number): Promise<void> {
    const reader = this.#opened.get(shard);
    this.#opened.delete(shard);
    await reader?.close();
  }

  /** It cannot be read either. */
  leaveOut(shard: number, absence: Error): void {
    this.#readers[shard] = absentStore(absence);
  }

  /** Of all shards, to be read. */
  get stores(): readonly [Store, ...Store[]] {
    return this.#readers as [Store, ...Store[]]; // home is there, or nothing is opened
  }

  /** An engine on home that never begins: it knows the actions, and what is read is read through it. */
  get viewer(): LocalEngine {
    this.#viewer ??= this.#makeViewer();
    return this.#viewer;
  }

  #makeViewer(): LocalEngine {
    const { traces: _, http, ...options } = this.#options;
    const crew: Pick<Crew, 'registry' | 'join'> = {
      registry: (around) => this.#crew.registry(around),
      join: (shard, { clock, limits, registry, ...more }) => {
        this.#parts = { clock, limits, registry };
        return this.#crew.join(shard, { clock, limits, registry, ...more });
      },
    };
    const given = { ...options, http: { ...http, transport: nodeTransport() }, ...this.#telling(options) };
    return new LocalEngine({ store: this.stores[homeShard], whenFenced: null }, given, { crew });
  }

  get #actions(): CrewParts {
    void this.viewer; // which makes them
    assert(this.#parts, 'Expected the viewer to join the crew, but it did not');
    return this.#parts;
  }

  /** An action that is found later is told to every shard. */
  #telling({ loadAction }: EngineOptions): Pick<EngineOptions, 'loadAction'> {
    if (loadAction === undefined) return {};
    const load = async (name: string): Promise<Action | null | undefined> => {
      const action = await loadAction(name);
      if (action) setImmediate(() => this.#tellLoaded(name)); // compiled by then
      return action;
    };
    return { loadAction: load };
  }

  #tellLoaded(name: string): void {
    const action = this.#actions.registry.listKnown().get(name);
    if (action) for (const line of this.#lines.values()) line.tell('loaded', factOf(action));
  }

  planFor(shard: number, secretKey: Uint8Array): ShardPlan {
    const options = this.#options;
    return {
      shard,
      shards: this.#readers.length,
      secretKey,
      options: planOptions(options),
      sinks: sinkNames.filter((name) => options[name] !== undefined),
      facts: factsOf(this.#actions.registry),
      isLoading: options.loadAction !== undefined,
      catalogue: this.viewer.parts.nodeTypes,
    };
  }

  /** The tasks of a shard are done here, and it may ask for the others. */
  join(shard: number, line: Line): ShardTasks {
    this.#lines.set(shard, line);
    const find = async (names: readonly string[], isNews: boolean): Promise<void> => {
      await this.learnAnnounced();
      this.#crew.find(names, isNews);
    };
    const tasks = new ShardTasks({ ...this.#actions, shard, crew: this.#crew, line, find });
    line.serve({ ...tasks.handlers, ...this.#handlers(shard) });
    return tasks;
  }

  /** As one shard reaches another. */
  between(from: number, to: number): ShardPeer {
    const shard = this.#shardOf(to);
    assert(shard, `Expected shard ${to} to be opened before another asks it, but it is not`);
    return this.moment.between(shard.peer, { from, to });
  }

  #handlers(shard: number): Handlers {
    return {
      pageRuns: ([query]: readonly [RunPageQuery]) => readAllShards(this.stores).pageRuns(query),
      askPeer: ([to, asked]: readonly [number, AskedOfPeer], signal) =>
        answerPeer(this.between(shard, to), asked, signal),
      closeReader: () => this.closeReader(shard),
      ...sinkHandlers(this.#options, this.viewer.parts.host.observers),
    };
  }

  /** What workers have announced, for who checks graphs here and for tasks whose action is looked for here. */
  async learnAnnounced(): Promise<void> {
    const { work } = this.viewer.parts;
    if (work) work.announcements.replace(await readAllRecords(this.stores[homeShard], actionKind));
  }

  broken(error: unknown): void {
    this.viewer.parts.host.observers.broken(error);
  }

  async close(): Promise<void> {
    this.#viewer?.parts.outgoing.client?.close();
    for (const shard of this.#opened.keys()) await this.closeReader(shard);
  }
}
