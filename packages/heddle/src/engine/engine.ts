// Engine: the engine of this process: its options, its parts put together, its life. What users ask of it is `Heddle`.

import type { Sinks, TaskProgress } from '../actor/observers.ts';
import type { Clock, Store } from '../actor/ports.ts';
import type { StoreError } from '../actor/store-error.ts';
import { type FencedStore, type OwnedStore, ownStore } from '../actor/write-queue.ts';
import { defaultTenant, Heddle, replyWithSecret } from '../api/heddle.ts';
import type { Problem } from '../base/problem.ts';
import type { Limits } from '../definition/limits.ts';
import type { NodeTypes } from '../dialects/dataflow/nodes/node-type.ts';
import type { NodeExecutors } from '../dialects/handle/nodes/node-executor.ts';
import type { Actions } from '../executor/action.ts';
import type { LoadAction, MissingActions, StandIn } from '../executor/registry.ts';
import type { PromptReply, ReplyOptions } from '../operations/prompts.ts';
import type { TraceOptions } from '../telemetry/trace-options.ts';
import { WebhookReceiver } from '../webhooks/receiver.ts';
import { assemble, type Parts } from './assemble.ts';
import { countPendingDeliveries } from './callbacks.ts';
import { checkOptions, refuseStore } from './check-options.ts';
import { newestFeedId } from './feed.ts';
import { LocalCarrier } from './local-carrier.ts';
import type { HttpOptions } from './outgoing.ts';
import { Owners } from './owners.ts';
import { findBySecret } from './prompts.ts';
import { runIdMaker } from './run-id.ts';
import { snapshotKeyOf } from './snapshot-seal.ts';
import { systemClock } from './system-clock.ts';
import { backUp } from './upkeep.ts';
import { Webhooks } from './webhooks.ts';

export interface EngineOptions extends Sinks {
  readonly actions?: Actions;
  /** Actions in the form of the handle dialect, by node type. */
  readonly executors?: NodeExecutors;
  /** What nodes of dataflow and drawn graphs can be, for editors and for the check of graphs. */
  readonly nodeTypes?: NodeTypes;
  /** Asked for actions that are not among `actions`, when a node first needs one. */
  readonly loadAction?: LoadAction;
  /**
   * Tasks of actions that are not here wait for workers outside the process (`engine.tasks`), and do not fail;
   * `announced`: only of actions that a worker has announced.
   */
  readonly workers?: boolean | 'announced';
  /**
   * What becomes of tasks whose action nobody has: they wait until an engine, a worker or `loadAction` has it, or fail with
   * `ACTION_NOT_FOUND`. Default: `wait`.
   */
  readonly missingActions?: MissingActions;
  readonly limits?: Partial<Limits>;
  readonly clock?: Clock;
  /** Where `http.request` and callbacks may connect to besides public addresses, and how. */
  readonly http?: HttpOptions;
  /** Where spans of runs that have ended are sent, as OpenTelemetry has them. */
  readonly traces?: TraceOptions;
  /** Keys of other stores (`Engine.snapshotKey`) whose snapshots `restore` believes like those of its own store. */
  readonly trustedSnapshotKeys?: readonly string[];
  /** For looking at a store that another process writes to: nothing is recovered, started or changed. */
  readonly readOnly?: boolean;
}

/** What tests put between an engine and the world; no option of users. */
export interface TestSeams {
  readonly standIn?: StandIn | undefined;
}

/** Opens an engine on a store. */
export async function openEngine(store: Store, options: EngineOptions = {}, seams: TestSeams = {}): Promise<Engine> {
  refuseStore(store);
  checkOptions('createEngine', options, engineOptions);
  const owned = await own(store, options);
  const engine = new Engine(owned?.store ?? store, options, seams);
  void owned?.whenFenced.then((error) => engine.giveUp(error));
  try {
    if (!options.readOnly) await engine.recover();
  } catch (error) {
    // RV3: nothing is left at work, and the store is free.
    await engine.close({ graceMs: 0 });
    throw error;
  }
  return engine;
}

/** A store that several processes can reach is taken first; null if it is one process's alone, or is only looked at. */
async function own(store: Store, { readOnly, clock = systemClock() }: EngineOptions): Promise<OwnedStore | null> {
  if (store.fence === undefined || readOnly) return null;
  return ownStore({ store: store as FencedStore, clock, owner: runIdMaker(clock)() }); // it has one
}

export class Engine extends Heddle {
  readonly #parts: Parts;
  readonly #carrier: LocalCarrier;
  #closing: Promise<void> | null = null;
  /** An operation whose request was checked by the table already: for servers. */
  readonly perform: LocalCarrier['perform'];
  /** Those it goes by. */
  readonly limits: Limits;
  /** Where calls from outside come in, for triggers of type webhook. */
  readonly webhooks: Webhooks;
  /** Whose something is: for servers. */
  readonly owners: Owners;

  /** Of options that were checked. */
  constructor(store: Store, options: EngineOptions, seams: TestSeams = {}) {
    const parts = assemble(store, options, seams);
    const carrier = new LocalCarrier(parts);
    super(carrier);
    this.#parts = parts;
    this.#carrier = carrier;
    this.perform = carrier.perform;
    const { host, office, outgoing } = parts;
    this.limits = host.limits;
    this.owners = new Owners(store);
    const receiver = new WebhookReceiver({ ...host, office, vault: outgoing.vault, newId: host.newRunId });
    this.webhooks = new Webhooks(host, receiver);
  }

  /** Resumes what an earlier process left. */
  async recover(): Promise<void> {
    const { host, office, callbacks, traces, work, retention } = this.#parts;
    await office.load();
    await callbacks.load();
    await traces?.load();
    await work?.load();
    await host.runner.start();
    work?.recover();
    office.recover();
    callbacks.recover();
    traces?.recover();
    void retention.start();
  }

  /** What is wrong with a definition; nothing is stored. */
  override validate(definition: unknown): readonly Problem[] {
    return this.#parts.host.definitions.parse(definition).problems;
  }

  override reply(secret: string, payload: unknown, options: ReplyOptions = {}): Promise<PromptReply> {
    return replyWithSecret(this.#carrier, defaultTenant, { secret, payload, options });
  }

  /** What this store seals snapshots with, for `trustedSnapshotKeys` of an engine on another store. Keep it secret. */
  snapshotKey(): Promise<string> {
    return snapshotKeyOf(this.#parts.host.store);
  }

  /** The feed id of the newest event, to hear only what comes after it. */
  newestEvent(): Promise<string> {
    return newestFeedId(this.#parts.host);
  }

  /** Calls back when a task reports how far it is; what it answers with ends that. Not journaled, and not told again. */
  watchProgress(listener: (progress: TaskProgress) => void): () => void {
    return this.#parts.host.observers.watchProgress(listener);
  }

  /** Refuses a secret that no prompt has: for servers, before they read an answer. */
  async checkPromptSecret(secret: string): Promise<void> {
    await findBySecret(this.#parts.host, secret);
  }

  /** Writes a copy to another path, with its artifacts and its key, while everything goes on; it can be opened as a store. */
  backup(path: string): Promise<void> {
    return backUp(this.#parts.host, path);
  }

  /** How many deliveries to callbacks are to be sent, or sent again; of each callback up to 100 are counted. */
  pendingDeliveries(): Promise<number> {
    return countPendingDeliveries(this.#parts.host);
  }

  /** Spans that a collector has taken, and has refused for good, since the engine was opened; null without `traces`. */
  get spanCounts(): { readonly exported: number; readonly dropped: number } | null {
    return this.#parts.traces?.counts ?? null;
  }

  /** Whether nothing waits to be decided or stored; actions may be running. */
  get isIdle(): boolean {
    return this.#parts.host.runner.isIdle;
  }

  /** When nothing waits to be decided or stored; actions may be running. */
  whenIdle(): Promise<void> {
    return this.#parts.host.runner.whenIdle();
  }

  /** Lets actions that are running finish for `graceMs`, then aborts them; the next engine hands them out again. */
  override close({ graceMs = 5_000 }: { readonly graceMs?: number } = {}): Promise<void> {
    this.#closing ??= this.#shutDown(graceMs).finally(() => this.#parts.outgoing.client?.close());
    return this.#closing;
  }

  /** WR5: the store is another's now. */
  async giveUp(error: StoreError): Promise<void> {
    const { observers } = this.#parts.host;
    observers.broken(error);
    await this.close({ graceMs: 0 }).catch((fault: unknown) => observers.broken(fault));
  }

  async #shutDown(graceMs: number): Promise<void> {
    const { host, retention } = this.#parts;
    // A sweep that is running ends with its step, before the store is closed.
    const sweeping = retention.close();
    if (sweeping) await sweeping;
    await host.runner.close(graceMs);
  }
}

const engineOptions = {
  store: 'other',
  actions: 'members',
  executors: 'members',
  nodeTypes: 'members',
  loadAction: 'other',
  workers: 'other',
  missingActions: 'other',
  limits: 'other',
  clock: 'clock',
  http: 'other',
  trustedSnapshotKeys: 'list',
  readOnly: 'flag',
  onEvent: 'other',
  onCommit: 'other',
  onTrace: 'other',
  traces: 'other',
  onProgress: 'other',
  onError: 'other',
} as const;
