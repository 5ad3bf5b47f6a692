// Remote parts: credits, triggers, artifacts and looks at runs of an engine elsewhere, each as the engine's own.

import type { Artifact, ArtifactData } from '../actor/artifacts.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Json } from '../base/json.ts';
import type { ObjectReference } from '../base/object-reference.ts';
import type { Heddle } from '../engine/api.ts';
import { checkOptions, refuseTexts } from '../engine/check-options.ts';
import { refuseAmount } from '../engine/credits.ts';
import type { NamePage } from '../engine/tasks.ts';
import type { DepositOptions } from '../operations/credits.ts';
import type { Paging } from '../operations/parts.ts';
import type { GroupsView, Simulation, TokenInfo } from '../operations/run-views.ts';
import type {
  CreatedTrigger,
  CreateTriggerOptions,
  FireOptions,
  FireReply,
  TriggerInfo,
} from '../operations/triggers.ts';
import { everyItem } from './pages.ts';
import { RemoteRun } from './remote-run.ts';
import { sentJson } from './sent-json.ts';
import type { Transport } from './transport.ts';

class Remote {
  protected readonly transport: Transport;

  constructor(transport: Transport) {
    this.transport = transport;
  }
}

export class RemoteIntrospection extends Remote implements Shown<'introspection'> {
  introspectTokens(runId: string): Promise<readonly TokenInfo[]> {
    return new RemoteRun(this.transport, runId).tokens();
  }

  simulateRouting(
    runId: string,
    tokenId: number,
    outcome: { readonly output: Json } | { readonly error: { readonly code: string; readonly message: string } },
  ): Promise<Simulation> {
    return this.transport.call('simulateRouting', { runId, tokenId, ...outcome });
  }

  simulateSynchronization(runId: string, at?: number): Promise<GroupsView> {
    return this.transport.call('listGroups', at === undefined ? { runId } : { runId, at });
  }
}

export type Shown<Part extends keyof Heddle> = Heddle[Part];

export class RemoteCredits extends Remote implements Shown<'credits'> {
  async deposit(organization: string, amount: number, options: DepositOptions = {}) {
    checkOptions('deposit', options, { key: 'text' });
    refuseTexts([['the organization', organization]]);
    refuseAmount(amount);
    return this.transport.call('deposit', { ...options, organization, amount });
  }

  async balance(organization: string): Promise<number> {
    refuseTexts([['the organization', organization]]);
    return (await this.transport.call('getBalance', { organization })).balance;
  }

  async reservations(organization: string, page: Paging = {}) {
    checkOptions('reservations', page, { after: 'text', limit: 'whole' });
    refuseTexts([['the organization', organization]]);
    return (await this.transport.call('listReservations', { ...page, organization })).items;
  }
}

export class RemoteTriggers extends Remote implements Shown<'triggers'> {
  async create(trigger: unknown, options: CreateTriggerOptions = {}): Promise<CreatedTrigger> {
    checkOptions('create', options, { replace: 'flag' });
    try {
      return await this.transport.call('createTrigger', { ...options, trigger: sentJson(trigger, 'input') });
    } catch (error) {
      if (!(error instanceof HeddleError) || error.code !== 'TRIGGER_INVALID') throw error;
      return { problems: error.problems, trigger: null, isNew: false };
    }
  }

  list(page: NamePage = {}): Promise<readonly TriggerInfo[]> {
    return everyItem((paging) => this.transport.call('listTriggers', paging), page);
  }

  async get(id: string): Promise<TriggerInfo> {
    refuseId(id);
    return this.transport.call('getTrigger', { id });
  }

  async remove(id: string): Promise<boolean> {
    refuseId(id);
    return (await this.transport.call('removeTrigger', { id })).removed;
  }

  async enable(id: string): Promise<TriggerInfo> {
    refuseId(id);
    return this.transport.call('enableTrigger', { id });
  }

  async disable(id: string): Promise<TriggerInfo> {
    refuseId(id);
    return this.transport.call('disableTrigger', { id });
  }

  async fire(id: string, input: unknown = {}, options: FireOptions = {}): Promise<FireReply> {
    refuseId(id);
    checkOptions('fire', options, { id: 'text' });
    return this.transport.call('fireTrigger', { ...options, triggerId: id, input: sentJson(input, 'input') });
  }
}

const refuseId = (id: unknown): void => refuseTexts([['the id of a trigger', id]]);

export class RemoteArtifacts extends Remote implements Shown<'artifacts'> {
  async put(data: ArtifactData, mimeType: string): Promise<ObjectReference> {
    return this.transport.call('putArtifact', {}, { bytes: bytesOf(data), headers: { 'content-type': mimeType } });
  }

  get({ id, mimeType }: ObjectReference): Promise<Artifact> {
    return this.transport.call('getArtifact', { id, mimeType });
  }

  list(runId?: string, page: NamePage = {}): Promise<readonly ObjectReference[]> {
    if (runId === undefined) return everyItem((paging) => this.transport.call('listArtifacts', paging), page);
    return everyItem((paging) => this.transport.call('listRunArtifacts', { runId, ...paging }), page);
  }
}

export function bytesOf(data: ArtifactData): Uint8Array {
  return typeof data === 'string' ? new TextEncoder().encode(data) : data;
}
