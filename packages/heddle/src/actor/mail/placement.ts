// Placement: which shard of a fleet something belongs to. What an engine made says it by its id; what callers name is placed
// by a hash, the same in every process and for ever. Rules SH1 and SH2.

import { sha256Hex } from '../../base/hash.ts';
import type { Json } from '../../base/json.ts';
import { shardOf } from '../../base/shard.ts';
import { type Charge, creditsAddress } from '../../core/effects.ts';
import { eventKey } from '../../core/notes.ts';
import { prefixOfEventKey } from '../kept-event.ts';
import { isOffice } from '../office.ts';
import type { RecordWrite } from '../ports.ts';

/** Where what all shards share is changed. */
export const homeShard = 0;

export class Placement {
  /** Which one this is. */
  readonly own: number;
  /** How many there are; fixed when a fleet is made. */
  readonly shards: number;

  /** Every root run has a shard of its own. */
  get isPerRun(): boolean {
    return false;
  }

  constructor(own: number, shards: number) {
    this.own = own;
    this.shards = shards;
  }

  /** SH1: of runs, prompts and whatever else an engine has given an id. */
  ofId(id: string): number {
    return shardOf(id);
  }

  /** SH2: what callers name is in one shard, whatever process is asked. */
  ofKey(scope: string, key: string): number {
    return this.place('key', scope, key);
  }

  ofEvent(event: string, correlation: string): number {
    return this.place('event', eventKey(event, correlation));
  }

  ofEventId(id: string): number {
    return this.place('event-id', id);
  }

  ofOrganization(organization: string): number {
    return this.place('organization', organization);
  }

  /** Of a message: to a run, or to an office, of which the ledger is where its organization is and all others are here. */
  ofMessage(to: string, message: () => Json): number {
    if (to === creditsAddress) return this.ofOrganization((message() as unknown as Charge).organization); // runs send nothing else there
    return isOffice(to) ? this.own : shardOf(to);
  }

  /** Of a record: what a run notes of events is where the event is, everything else is here. */
  ofRecord({ kind, key }: Pick<RecordWrite, 'kind' | 'key'>): number {
    return kind === 'event-wait' || kind === 'event' ? this.place('event', prefixOfEventKey(key)) : this.own;
  }

  /** What callers name, by what it is. */
  protected place(...parts: readonly string[]): number {
    return Number.parseInt(sha256Hex(JSON.stringify(parts)).slice(0, 8), 16) % this.shards;
  }
}
