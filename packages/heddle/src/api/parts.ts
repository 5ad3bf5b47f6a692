// Parts of an engine for its users, each a few operations under one name: credits, triggers, artifacts, secrets, callbacks,
// retention, looks at what would happen.

import type { Artifact, ArtifactData } from '../actor/artifacts.ts';
import { given } from '../base/given.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Json } from '../base/json.ts';
import type { ObjectReference } from '../base/object-reference.ts';
import type { DepositReply } from '../credits/accounts.ts';
import type { Reservation } from '../credits/ledger-records.ts';
import type { CreatedCallback, DeliveryQuery } from '../operations/callbacks.ts';
import type { Carrier } from '../operations/carrier.ts';
import { givenOptions } from '../operations/check-request.ts';
import type { DepositOptions } from '../operations/credits.ts';
import type { Paging } from '../operations/parts.ts';
import type { RetentionRule, Sweep, WorkflowRetention } from '../operations/retention.ts';
import type { GroupsView, Simulation, TokenInfo } from '../operations/run-views.ts';
import type {
  CreatedTrigger,
  CreateTriggerOptions,
  FireOptions,
  FireReply,
  NewTrigger,
  TriggerInfo,
} from '../operations/triggers.ts';
import type { CallbackInfo, DeliveryInfo } from '../outbound/callbacks/callback.ts';
import type { NewCallback } from '../outbound/callbacks/check-callback.ts';
import type { SecretInfo, SetSecretOptions } from '../secrets/secret.ts';
import type { TriggerDefinition } from '../triggers/trigger.ts';
import { onePage, toJson } from './given.ts';
import { Run } from './run.ts';

/** By name, or by id. */
export type NamePage = Paging;

export abstract class Part {
  protected readonly carrier: Carrier;

  constructor(carrier: Carrier) {
    this.carrier = carrier;
  }
}

/** What organizations pay for their runs with. */
export class Credits extends Part {
  /** Durable when it answers. With a key it is made once, however often it is asked for. */
  async deposit(organization: string, amount: number, options: DepositOptions = {}): Promise<DepositReply> {
    return this.carrier.call('deposit', { ...givenOptions('deposit', options), organization, amount });
  }

  /** 0 for whoever has no account. */
  async balance(organization: string): Promise<number> {
    return (await this.carrier.call('getBalance', { organization })).balance;
  }

  /** What runs have reserved and spent, by run id, a page at a time; `after` is the last run id of the page before. */
  async reservations(organization: string, page: Paging = {}): Promise<readonly Reservation[]> {
    return this.carrier.list(
      'listReservations',
      { organization },
      { ...onePage, ...givenOptions('reservations', page) },
    );
  }
}

/** What a file or another program gave may be anything; what is written out in a program must be a trigger. */
type Unread<Source> = Source extends { readonly type: TriggerDefinition['type'] } ? NewTrigger : unknown;

/** What starts runs by itself. */
export class Triggers extends Part {
  /** Stores a trigger, unless it has errors or is there already. From then on it fires. */
  create(trigger: NewTrigger, options?: CreateTriggerOptions): Promise<CreatedTrigger>;
  create<const Source>(trigger: Source & Unread<Source>, options?: CreateTriggerOptions): Promise<CreatedTrigger>;
  async create(trigger: unknown, options: CreateTriggerOptions = {}): Promise<CreatedTrigger> {
    try {
      return await this.carrier.call('createTrigger', { ...givenOptions('create', options), trigger: toJson(trigger) });
    } catch (error) {
      if (!(error instanceof HeddleError) || error.code !== 'TRIGGER_INVALID') throw error;
      return { problems: error.problems, trigger: null, isNew: false };
    }
  }

  /** By id: all of them, or a page. */
  async list(page: NamePage = {}): Promise<readonly TriggerInfo[]> {
    return this.carrier.list('listTriggers', {}, givenOptions('list', page));
  }

  get(id: string): Promise<TriggerInfo> {
    return this.carrier.call('getTrigger', { id });
  }

  /** Whether there was one. Runs that it has started are left alone. */
  async remove(id: string): Promise<boolean> {
    return (await this.carrier.call('removeTrigger', { id })).removed;
  }

  enable(id: string): Promise<TriggerInfo> {
    return this.carrier.call('enableTrigger', { id });
  }

  /** It fires nothing until it is enabled again; what a schedule would have fired meanwhile is not made up for. */
  disable(id: string): Promise<TriggerInfo> {
    return this.carrier.call('disableTrigger', { id });
  }

  /** Fires a manual trigger; with an `id`, once for that id. */
  async fire(id: string, input: unknown = {}, options: FireOptions = {}): Promise<FireReply> {
    const request = { ...givenOptions('fire', options), triggerId: id, input: toJson(input) };
    return this.carrier.call('fireTrigger', request);
  }
}

/** Bytes that runs hand on as references. */
export class Artifacts extends Part {
  /** Durable when it answers. The reference may go into any input: every run may read it. */
  async put(data: ArtifactData, mimeType: string): Promise<ObjectReference> {
    return this.carrier.call('putArtifact', {}, { bytes: bytesFrom(data), mimeType });
  }

  async get(reference: ObjectReference): Promise<Artifact> {
    return this.carrier.call('getArtifact', reference);
  }

  /** What a run has put; without one, what was put here. All of it by id, or a page. */
  async list(runId?: string, page: NamePage = {}): Promise<readonly ObjectReference[]> {
    const wanted = givenOptions('list', page);
    return runId === undefined
      ? this.carrier.list('listArtifacts', {}, wanted)
      : this.carrier.list('listRunArtifacts', { runId }, wanted);
  }
}

/** What is no text and no bytes, whoever takes it refuses. */
export function bytesFrom(data: ArtifactData): Uint8Array {
  return typeof data === 'string' ? new TextEncoder().encode(data) : data;
}

/** Values that actions may send to named hosts, and nobody may see. */
export class Secrets extends Part {
  /** Stores a value, encrypted, or a new one in its place. Durable when this returns. */
  async set(name: string, value: string, options: SetSecretOptions = {}): Promise<SecretInfo> {
    return this.carrier.call('setSecret', { ...givenOptions('set', options), name, value });
  }

  /** By name, without the values. */
  list(): Promise<readonly SecretInfo[]> {
    return this.carrier.list('listSecrets', {});
  }

  /** Whether there was one. */
  async remove(name: string): Promise<boolean> {
    return (await this.carrier.call('removeSecret', { name })).removed;
  }
}

/** Who is told of what happens to runs, and what was told. */
export class Callbacks extends Part {
  /** From then on it is told of what happens. Durable when this returns. */
  create(callback: NewCallback): Promise<CreatedCallback> {
    return this.carrier.call('createCallback', callback);
  }

  /** By id. */
  list(): Promise<readonly CallbackInfo[]> {
    return this.carrier.list('listCallbacks', {});
  }

  get(id: string): Promise<CallbackInfo> {
    return this.carrier.call('getCallback', { id });
  }

  /** Whether there was one. What it was told, and what waits, goes with it. */
  async remove(id: string): Promise<boolean> {
    return (await this.carrier.call('removeCallback', { id })).removed;
  }

  enable(id: string): Promise<CallbackInfo> {
    return this.carrier.call('enableCallback', { id });
  }

  /** It is told nothing until it is enabled again, and of what happens meanwhile never. */
  disable(id: string): Promise<CallbackInfo> {
    return this.carrier.call('disableCallback', { id });
  }

  /** By callback and in the order of what happened, a page at a time. */
  async deliveries(query: DeliveryQuery = {}): Promise<readonly DeliveryInfo[]> {
    const { callback, status, ...page } = givenOptions('deliveries', query);
    const where = { ...given({ callback, status }) };
    return this.carrier.list('listDeliveries', where, { ...onePage, ...page });
  }

  /** Sends once more what was given up, or what has arrived, under the same id. */
  resend(id: string): Promise<DeliveryInfo> {
    return this.carrier.call('resendDelivery', { id });
  }
}

/** How long runs that have ended are kept. */
export class Retention extends Part {
  /** Durable when it answers; the sweep begins by itself. */
  async set(workflow: string, rule: RetentionRule): Promise<WorkflowRetention> {
    return this.carrier.call('setRetention', { ...givenOptions('retention', rule), workflow });
  }

  list(): Promise<readonly WorkflowRetention[]> {
    return this.carrier.list('listRetention', {});
  }

  /** Whether there was one. */
  async remove(workflow: string): Promise<boolean> {
    return (await this.carrier.call('removeRetention', { workflow })).removed;
  }

  /** Deletes now what is past its rule; it is done when this answers. */
  sweep(): Promise<Sweep> {
    return this.carrier.call('sweep', {});
  }
}

/** Read-only looks at runs and at what would happen to them. */
export class Introspection extends Part {
  async introspectTokens(runId: string): Promise<readonly TokenInfo[]> {
    return new Run(this.carrier, runId).tokens();
  }

  /** What the run would do if the token's task had this outcome now; the run itself is not touched. */
  async simulateRouting(
    runId: string,
    tokenId: number,
    outcome: { readonly output: Json } | { readonly error: { readonly code: string; readonly message: string } },
  ): Promise<Simulation> {
    return this.carrier.call('simulateRouting', { ...givenOptions('an outcome', outcome), runId, tokenId });
  }

  /** Every open group: who has come, who is missing, when it gives up; and what would happen at `at`. */
  simulateSynchronization(runId: string, at?: number): Promise<GroupsView> {
    return this.carrier.call('listGroups', at === undefined ? { runId } : { runId, at });
  }
}
