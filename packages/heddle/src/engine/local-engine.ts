// Local engine: an engine on one store: its parts put together, its life. What users ask of it is `Heddle`.

import { refuseShardAlone } from '../actor/mail/membership.ts';
import type { TaskProgress } from '../actor/observers.ts';
import type { Store } from '../actor/ports.ts';
import type { StoreError } from '../actor/store-error.ts';
import { systemClock } from '../actor/system-clock.ts';
import { type FencedStore, type OwnedStore, ownStore } from '../actor/write-queue.ts';
import { defaultTenant, replyWithSecret } from '../api/heddle.ts';
import type { Problem } from '../base/problem.ts';
import type { Limits } from '../definition/limits.ts';
import type { PromptReply, ReplyOptions } from '../operations/prompts.ts';
import { assemble, type Parts } from './assemble.ts';
import { countPendingDeliveries } from './callbacks.ts';
import { checkOptions, refuseStore } from './check-options.ts';
import { Engine, type EngineOptions, type ShardSeams } from './engine.ts';
import { newestFeedId } from './feed.ts';
import { LocalCarrier } from './local-carrier.ts';
import { Owners } from './owners.ts';
import { findBySecret } from './prompts.ts';
import { runIdMaker } from './run-id.ts';
import { recordsIn, type ServerRecords } from './server-records.ts';
import { snapshotKeyOf } from './snapshot-seal.ts';
import { backUp } from './upkeep.ts';
import type { Webhooks } from './webhooks.ts';

/** Opens an engine on a store. */
export async function openEngine(
  store: Store,
  options: EngineOptions = {},
  seams: ShardSeams = {},
): Promise<LocalEngine> {
  refuseStore(store);
  checkOptions('createEngine', options, engineOptions);
  if (!options.readOnly) await refuseShardAlone(store);
  const engine = new LocalEngine(await ownShard(store, options), options, seams);
  try {
    if (!options.readOnly) await engine.recover();
  } catch (error) {
    // RV3: nothing is left at work, and the store is free.
    await engine.close({ graceMs: 0 });
    throw error;
  }
  return engine;
}

/** A store that several processes can reach is taken first; not if it is one process's alone, or is only looked at. */
export async function ownShard(
  store: Store,
  { readOnly, clock = systemClock() }: Pick<EngineOptions, 'readOnly' | 'clock'>,
): Promise<OwnedStore> {
  if (store.fence === undefined || readOnly) return { store, whenFenced: null };
  return ownStore({ store: store as FencedStore, clock, owner: runIdMaker(clock)() }); // it has one
}

export class LocalEngine extends Engine {
  /** For the fleet that it is a shard of. */
  readonly parts: Parts;
  readonly carrier: LocalCarrier;
  #closing: Promise<void> | null = null;
  #tellClosed: () => void = () => undefined;
  /** Answers when it has closed, whoever closed it. */
  readonly whenClosed = new Promise<void>((resolve) => {
    this.#tellClosed = resolve;
  });
  override readonly perform: LocalCarrier['perform'];
  override readonly limits: Limits;
  override readonly webhooks: Webhooks;
  override readonly owners: Owners;
  override readonly serverRecords: ServerRecords;

  /** Of options that were checked. */
  constructor({ store, whenFenced }: OwnedStore, options: EngineOptions, seams: ShardSeams = {}) {
    const parts = assemble(store, options, seams);
    const carrier = new LocalCarrier(parts);
    super(carrier);
    this.parts = parts;
    this.carrier = carrier;
    this.perform = carrier.perform;
    this.limits = parts.host.limits;
    this.owners = new Owners(store);
    this.serverRecords = recordsIn(store);
    this.webhooks = parts.webhooks;
    void whenFenced?.then((error) => this.giveUp(error));
  }

  /** Resumes what an earlier process left. */
  async recover(): Promise<void> {
    await this.load();
    await this.resume();
  }

  /** What must be known before anything happens. */
  async load(): Promise<void> {
    const { host, office, callbacks, traces, work, mail } = this.parts;
    await office.load();
    await callbacks.load();
    await traces?.load();
    await work?.load();
    await mail?.load(host.newRunId);
  }

  async resume(): Promise<void> {
    const { host, office, callbacks, traces, work, retention, mail } = this.parts;
    await host.runner.start();
    mail?.outgoing.open();
    work?.recover();
    office.recover();
    callbacks.recover();
    traces?.recover();
    void retention.start();
  }

  override validate(definition: unknown): readonly Problem[] {
    return this.parts.host.definitions.parse(definition).problems;
  }

  override reply(secret: string, payload: unknown, options: ReplyOptions = {}): Promise<PromptReply> {
    return replyWithSecret(this.carrier, defaultTenant, { secret, payload, options });
  }

  override snapshotKey(): Promise<string> {
    return snapshotKeyOf(this.parts.host.store);
  }

  override newestEvent(): Promise<string> {
    return newestFeedId(this.parts.host);
  }

  override watchProgress(listener: (progress: TaskProgress) => void): () => void {
    return this.parts.host.observers.watchProgress(listener);
  }

  override async checkPromptSecret(secret: string): Promise<void> {
    await findBySecret(this.parts.host, secret);
  }

  override backup(path: string): Promise<void> {
    return backUp(this.parts.host, path);
  }

  override pendingDeliveries(): Promise<number> {
    return countPendingDeliveries(this.parts.host);
  }

  override get spanCounts(): { readonly exported: number; readonly dropped: number } | null {
    return this.parts.traces?.counts ?? null;
  }

  override get isIdle(): boolean {
    return this.parts.host.runner.isIdle;
  }

  override whenIdle(): Promise<void> {
    return this.parts.host.runner.whenIdle();
  }

  /** Lets actions that are running finish for `graceMs`, then aborts them; the next engine hands them out again. */
  override close({ graceMs = 5_000 }: { readonly graceMs?: number } = {}): Promise<void> {
    this.#closing ??= this.#shutDown(graceMs).finally(() => {
      this.parts.outgoing.client?.close();
      this.#tellClosed();
    });
    return this.#closing;
  }

  /** WR5: the store is another's now. */
  async giveUp(error: StoreError): Promise<void> {
    const { observers } = this.parts.host;
    observers.broken(error);
    await this.close({ graceMs: 0 }).catch((fault: unknown) => observers.broken(fault));
  }

  async #shutDown(graceMs: number): Promise<void> {
    const { host, retention } = this.parts;
    // A sweep that is running ends with its step, before the store is closed.
    const sweeping = retention.close();
    if (sweeping) await sweeping;
    await host.runner.close(graceMs);
  }
}

export const engineOptions = {
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
