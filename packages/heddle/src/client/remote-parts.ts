// Remote parts: credits, triggers, artifacts and looks at runs of an engine elsewhere, each as the engine's own.

import type { Artifact, ArtifactData } from '../actor/artifacts.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Json } from '../base/json.ts';
import type { ObjectReference } from '../base/object-reference.ts';
import type { Heddle } from '../sdk/api.ts';
import { checkOptions, refuseTexts } from '../sdk/check-options.ts';
import { type DepositReply, type Reservation, refuseAmount } from '../sdk/credits.ts';
import type { Simulation } from '../sdk/introspection.ts';
import type { TokenInfo } from '../sdk/run.ts';
import type { NamePage } from '../sdk/tasks.ts';
import type { CreatedTrigger, CreateTriggerOptions, TriggerInfo } from '../sdk/triggers.ts';
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
    return this.transport.call('simulateRouting', { params: { runId }, body: { tokenId, ...outcome } });
  }

  simulateSynchronization(runId: string, at?: number) {
    return this.transport.call('listGroups', { params: { runId }, query: at === undefined ? {} : { at } });
  }
}

export type Shown<Part extends keyof Heddle> = Heddle[Part];

export class RemoteCredits extends Remote implements Shown<'credits'> {
  async deposit(organization: string, amount: number, options: { readonly key?: string } = {}): Promise<DepositReply> {
    checkOptions('deposit', options, { key: 'text' });
    refuseTexts([['the organization', organization]]);
    refuseAmount(amount);
    const body = { ...options, amount };
    const mayRepeat = options.key !== undefined;
    return this.transport.call('deposit', { params: { organization }, body, mayRepeat });
  }

  async balance(organization: string): Promise<number> {
    refuseTexts([['the organization', organization]]);
    return (await this.transport.call('getBalance', { params: { organization } })).balance;
  }

  async reservations(
    organization: string,
    page: { readonly after?: string; readonly limit?: number } = {},
  ): Promise<readonly Reservation[]> {
    checkOptions('reservations', page, { after: 'text', limit: 'whole' });
    refuseTexts([['the organization', organization]]);
    return (await this.transport.call('listReservations', { params: { organization }, query: page })).items;
  }
}

export class RemoteTriggers extends Remote implements Shown<'triggers'> {
  async create(trigger: unknown, options: CreateTriggerOptions = {}): Promise<CreatedTrigger> {
    checkOptions('create', options, { replace: 'flag' });
    try {
      return await this.transport.call('createTrigger', { body: sentJson(trigger, 'input'), query: options });
    } catch (error) {
      if (!(error instanceof HeddleError) || error.code !== 'TRIGGER_INVALID') throw error;
      return { problems: error.problems, trigger: null, isNew: false };
    }
  }

  list(page: NamePage = {}): Promise<readonly TriggerInfo[]> {
    return everyItem((query) => this.transport.call('listTriggers', { query }), page);
  }

  async get(id: string): Promise<TriggerInfo> {
    refuseId(id);
    return this.transport.call('getTrigger', { params: { id } });
  }

  async remove(id: string): Promise<boolean> {
    refuseId(id);
    return (await this.transport.call('removeTrigger', { params: { id } })).removed;
  }

  async enable(id: string): Promise<TriggerInfo> {
    refuseId(id);
    return this.transport.call('enableTrigger', { params: { id } });
  }

  async disable(id: string): Promise<TriggerInfo> {
    refuseId(id);
    return this.transport.call('disableTrigger', { params: { id } });
  }

  async fire(id: string, input: unknown = {}, options: { readonly id?: string } = {}) {
    refuseId(id);
    checkOptions('fire', options, { id: 'text' });
    const body = { ...options, input: sentJson(input, 'input') };
    return this.transport.call('fireTrigger', { params: { id }, body, mayRepeat: options.id !== undefined });
  }
}

const refuseId = (id: unknown): void => refuseTexts([['the id of a trigger', id]]);

export class RemoteArtifacts extends Remote implements Shown<'artifacts'> {
  async put(data: ArtifactData, mimeType: string): Promise<ObjectReference> {
    const body = bytesOf(data);
    return this.transport.call('putArtifact', { body, headers: { 'content-type': mimeType } });
  }

  get({ id, mimeType }: ObjectReference): Promise<Artifact> {
    return this.transport.call('getArtifact', { params: { id }, query: { mimeType } });
  }

  list(runId?: string, page: NamePage = {}): Promise<readonly ObjectReference[]> {
    if (runId === undefined) return everyItem((query) => this.transport.call('listArtifacts', { query }), page);
    return everyItem((query) => this.transport.call('listRunArtifacts', { params: { runId }, query }), page);
  }
}

export function bytesOf(data: ArtifactData): Uint8Array {
  return typeof data === 'string' ? new TextEncoder().encode(data) : data;
}
