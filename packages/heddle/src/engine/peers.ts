// Peers: what the shards of a fleet do for each other beside letters: they keep each other's events, start what triggers of
// one fire, and hand out artifacts.

import { type Artifact, everyRun, getArtifact } from '../actor/artifacts.ts';
import type { Publication } from '../actor/event-hub.ts';
import type { Inbox } from '../actor/inbox.ts';
import type { Peer, Peers } from '../actor/mail/peers.ts';
import { homeShard, Placement } from '../actor/mail/placement.ts';
import type { RunLists, Store } from '../actor/ports.ts';
import type { Published } from '../actor/publication.ts';
import { groupBy } from '../base/group-by.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { ObjectReference } from '../base/object-reference.ts';
import type { Command, Reply } from '../core/commands.ts';
import type { AwaitedRun } from '../operations/run-results.ts';
import type { FiredStart } from '../triggers/dispatcher.ts';
import type { Origin } from '../triggers/occasions.ts';
import type { TriggerOffice } from '../triggers/trigger-office.ts';
import type { Parts } from './assemble.ts';
import type { Call } from './performer.ts';
import { resultWithin } from './runs.ts';
import { dutiesOf, type ShardDuties } from './shard-duties.ts';
import type { CheckedStart, Starter } from './starter.ts';

export { homeShard };

export interface ShardPeer extends Peer, ShardDuties {
  /** Refuses an id that stands for another event. */
  guardEventId(publication: Publication & { readonly id: string }): Promise<void>;
  /** Of an event that belongs there. */
  publish(publication: Publication, origin: Origin): Promise<Published>;
  /** Starts a run whose key belongs there; answers with its id. */
  fire(start: FiredStart): Promise<string>;
  /** Whether it has started a run with this key. */
  hasKey(scope: string, key: string): Promise<boolean>;
  /** A run under a key that it has. */
  start(request: CheckedStart): Promise<string>;
  waitForRun(runId: string, waitMs: number, call: Call): Promise<AwaitedRun>;
  /** What one of these owners has put there. */
  artifact(reference: ObjectReference, owners: readonly string[]): Promise<Artifact>;
}

export interface ShardPeers extends Peers {
  /** Of a fleet that is a copy: how many shards there were before. */
  readonly former?: readonly number[];
  readonly of: (shard: number) => ShardPeer;
  /** The runs of all shards. */
  readonly pageRuns: RunLists['pageRuns'];
  /** Whoever opened this one calls when runs may be past their rules of retention. */
  readonly isSweptByHost?: boolean;
}

/** What this engine does for others of its fleet. */
export function peerOf(parts: Parts): ShardPeer {
  const { host, office, starter, mail } = parts;
  return {
    ...dutiesOf(parts),
    async receive(letter) {
      await mail?.receive(letter);
    },
    async forgetSender(shard, incarnation) {
      await mail?.forgetSender(shard, incarnation);
    },
    async command(runId, command, asking) {
      const asked = host.inbox.command(runId, command);
      const isApplied = await asked.then(
        ({ applied }) => applied,
        () => false,
      );
      if (!isApplied) await mail?.outgoing.flushed(asking);
      return asked;
    },
    guardEventId: (publication) => office.guardEventId(publication),
    publish: (publication, origin) => office.publish(publication, origin),
    fire: (start) => starter.fire(start),
    hasKey: async (scope, key) => (await host.store.findKey(scope, key)) !== null,
    start: (request) => starter.startChecked(request),
    waitForRun: (runId, waitMs, call) => resultWithin(host, runId, waitMs, call),
    artifact: (reference, owners) => getArtifact(host.store, reference, owners),
  };
}

/** What may be for another shard, brought to where it belongs. */
export interface Reach {
  readonly submit: (runId: string, command: Command) => Promise<Reply>;
  readonly publish: (publication: Publication, origin: Origin) => Promise<Published>;
  readonly fire: (start: FiredStart) => Promise<string>;
  /** Another shard that knows an idempotency key; null if there is none. */
  readonly findKeeper: (scope: string, key: string) => Promise<ShardPeer | null>;
  /** Null: here. */
  readonly elsewhere: (runId: string) => ShardPeer | null;
  readonly readArtifact: (reference: ObjectReference, owners: readonly string[]) => Promise<Artifact>;
  /** Undefined where it is this engine's own. */
  readonly switchOffCallback: ShardPeer['switchOffCallback'] | undefined;
}

interface Here {
  readonly store: Store;
  readonly inbox: Inbox;
  readonly starter: () => Starter;
  readonly office: () => TriggerOffice;
}

/** Of an engine that stands alone. */
export const reachHere = ({ store, inbox, starter, office }: Here): Reach => ({
  submit: (runId, command) => inbox.command(runId, command),
  publish: (publication, origin) => office().publish(publication, origin),
  fire: (start) => starter().fire(start),
  findKeeper: () => Promise.resolve(null),
  elsewhere: () => null,
  readArtifact: (reference, owners) => getArtifact(store, reference, owners),
  switchOffCallback: undefined,
});

export function reachIn({ placement, of, former = [] }: ShardPeers): Reach {
  return {
    submit: (runId, command) => of(placement.ofId(runId)).command(runId, command, placement.own),
    switchOffCallback: (id, reason) => of(homeShard).switchOffCallback(id, reason),

    // SH3: an event is published in the shard of its name and correlation.
    async publish(publication, origin) {
      const { id, event, correlation = '' } = publication;
      const shard = placement.ofEvent(event, correlation);
      const guard = id === undefined ? shard : placement.ofEventId(id);
      if (id !== undefined && guard !== shard) await of(guard).guardEventId({ ...publication, id });
      return of(shard).publish(publication, origin);
    },

    // SH4: what a trigger fires is spread over the shards by its key; a schedule's runs are at home, where it waits for them.
    fire(start) {
      const isScheduled = start.trigger['type'] === 'schedule';
      return of(isScheduled ? placement.own : placement.ofKey('trigger', start.idempotencyKey)).fire(start);
    },

    // CY7: a key from before the fleet was copied is where its run is: where it belonged when there were fewer shards.
    async findKeeper(scope, key) {
      for (const shards of former) {
        const shard = new Placement(placement.own, shards).ofKey(scope, key);
        if (shard !== placement.own && (await of(shard).hasKey(scope, key))) return of(shard);
      }
      return null;
    },

    elsewhere(runId) {
      const shard = placement.ofId(runId);
      return shard === placement.own ? null : of(shard);
    },

    async readArtifact(reference, owners) {
      const shardOf = (owner: string): number => (owner === everyRun ? homeShard : placement.ofId(owner));
      for (const [shard, some] of groupBy(owners, shardOf)) {
        try {
          return await of(shard).artifact(reference, some);
        } catch (error) {
          if (!(error instanceof HeddleError && error.code === 'ARTIFACT_NOT_FOUND')) throw error;
        }
      }
      return of(placement.own).artifact(reference, owners); // which says so of all of them
    },
  };
}
