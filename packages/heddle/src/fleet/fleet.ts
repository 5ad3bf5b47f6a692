// Fleet: an engine on several stores. Each is a shard, an engine of its own; the fleet brings everything to the shard that it
// belongs to. How many there are is fixed when a fleet is made.
//
// Always true: what a user sees is what one engine would show.

import type { TaskProgress } from '../actor/observers.ts';
import { defaultTenant, replyWithSecret } from '../api/heddle.ts';
import type { Problem } from '../base/problem.ts';
import { shardFile } from '../base/shard.ts';
import type { Limits } from '../definition/limits.ts';
import { Engine, type Perform } from '../engine/engine.ts';
import { Owners } from '../engine/owners.ts';
import { type ServerRecords, withReadsOf } from '../engine/server-records.ts';
import { checkText } from '../operations/check-request.ts';
import type { PromptReply, ReplyOptions } from '../operations/prompts.ts';
import { writePlaces } from './feed-places.ts';
import { FleetCarrier } from './fleet-carrier.ts';
import type { Shard, Shards } from './shards.ts';

/** What is done at home, and is no question to a shard. */
type AtHome = Pick<Engine, 'validate' | 'snapshotKey' | 'webhooks'>;

export class Fleet extends Engine {
  readonly #shards: Shards;
  readonly #home: AtHome;
  readonly #carrier: FleetCarrier;
  override readonly perform: Perform;
  override readonly limits: Limits;
  override readonly webhooks: Engine['webhooks'];
  override readonly owners: Owners;
  override readonly serverRecords: ServerRecords;

  constructor(shards: Shards, home: AtHome) {
    const carrier = new FleetCarrier(shards);
    super(carrier);
    this.#shards = shards;
    this.#home = home;
    this.#carrier = carrier;
    this.perform = carrier.perform;
    this.limits = shards.limits;
    this.webhooks = home.webhooks;
    this.owners = new Owners(shards.store);
    const { peer } = shards.home;
    this.serverRecords = withReadsOf(shards.homeStore, (records, ifThere) => peer.writeRecords(records, ifThere));
  }

  get #all(): readonly Shard[] {
    return this.#shards.all;
  }

  override validate(definition: unknown): readonly Problem[] {
    return this.#home.validate(definition);
  }

  override reply(secret: string, payload: unknown, options: ReplyOptions = {}): Promise<PromptReply> {
    return replyWithSecret(this.#carrier, defaultTenant, { secret, payload, options });
  }

  /** One for all shards, which have one key. */
  override snapshotKey(): Promise<string> {
    return this.#home.snapshotKey();
  }

  override async newestEvent(): Promise<string> {
    return writePlaces(await Promise.all(this.#all.map((shard) => shard.newestEvent())));
  }

  override watchProgress(listener: (progress: TaskProgress) => void): () => void {
    const stops = this.#all.map((shard) => shard.watchProgress(listener));
    return () => {
      for (const stop of stops) stop();
    };
  }

  override async checkPromptSecret(secret: string): Promise<void> {
    await this.#carrier.perform('getPromptBySecret', { tenant: defaultTenant, secret });
  }

  /** A folder, of which a fleet can be opened. While it is made no letter that has arrived is forgotten. */
  override async backup(path: string): Promise<void> {
    checkText('the path of a backup', path);
    const copy = crypto.randomUUID();
    try {
      for (const { peer } of this.#all) await peer.keepLetters(copy);
      await this.#shards.copyAll(this.#all.map((one, shard) => () => one.backup(shardFile(path, shard))));
    } finally {
      for (const { peer } of this.#shards.present) await peer.forgetLetters(copy);
    }
  }

  override async pendingDeliveries(): Promise<number> {
    const counts = await Promise.all(this.#all.map((shard) => shard.pendingDeliveries()));
    return counts.reduce((sum, count) => sum + count);
  }

  override get spanCounts(): { readonly exported: number; readonly dropped: number } | null {
    const counts = this.#all.flatMap(({ spanCounts }) => spanCounts ?? []);
    if (counts.length === 0) return null;
    return counts.reduce((sum, one) => ({ exported: sum.exported + one.exported, dropped: sum.dropped + one.dropped }));
  }

  override get isIdle(): boolean {
    return this.#all.every(({ isIdle }) => isIdle);
  }

  override async whenIdle(): Promise<void> {
    while (!this.isIdle) for (const shard of this.#all) await shard.whenIdle();
  }

  override async close(options: { readonly graceMs?: number } = {}): Promise<void> {
    await this.#shards.close(options);
  }
}
