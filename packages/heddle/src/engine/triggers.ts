// Triggers: what users do with triggers: create, look, switch on and off, fire by hand, remove.

import type { RecordRow } from '../actor/ports.ts';
import { valueOf } from '../actor/record-value.ts';
import { closedError, readOnlyError } from '../actor/refusals.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type {
  CreatedTrigger,
  CreateTriggerOptions,
  FireOptions,
  FireReply,
  NewTrigger,
  TriggerInfo,
} from '../operations/triggers.ts';
import type { StoredTrigger, Trigger, TriggerDefinition } from '../triggers/trigger.ts';
import type { TriggerOffice } from '../triggers/trigger-office.ts';
import { allTriggers, dueAtOf, triggerKind } from '../triggers/trigger-registry.ts';
import { checkOptions, refuseTexts } from './check-options.ts';
import type { Host } from './host.ts';
import { takeJson } from './take-json.ts';
import type { NamePage } from './tasks.ts';

/** What a file or another program gave may be anything; what is written out in a program must be a trigger. */
type Unread<Source> = Source extends { readonly type: TriggerDefinition['type'] } ? NewTrigger : unknown;

export class Triggers {
  readonly #host: Host;
  readonly #office: TriggerOffice;

  constructor(host: Host, office: TriggerOffice) {
    this.#host = host;
    this.#office = office;
  }

  /** Stores a trigger, unless it has errors or is there already. From then on it fires. */
  create(trigger: NewTrigger, options?: CreateTriggerOptions): Promise<CreatedTrigger>;
  create<const Source>(trigger: Source & Unread<Source>, options?: CreateTriggerOptions): Promise<CreatedTrigger>;
  async create(trigger: unknown, options: CreateTriggerOptions = {}): Promise<CreatedTrigger> {
    this.#refuseChange();
    checkOptions('create', options, { replace: 'flag' });
    const { trigger: created, ...rest } = await this.#office.registry.create(trigger, options);
    return { ...rest, trigger: created && infoOf(created, dueAtOf(created)) };
  }

  /** LS7: by id: all of them, or a page. */
  async list(page: NamePage = {}): Promise<readonly TriggerInfo[]> {
    checkOptions('list', page, { after: 'text', limit: 'whole' });
    const { after, limit = Number.POSITIVE_INFINITY } = page;
    const found: TriggerInfo[] = [];
    for await (const row of allTriggers(this.#host.store, after)) {
      if (found.length === limit) break;
      found.push(infoOfRow(row));
    }
    return found;
  }

  async get(id: string): Promise<TriggerInfo> {
    refuseId(id);
    const row = await this.#host.store.readRecord(triggerKind, id);
    if (!row) throw new HeddleError('TRIGGER_NOT_FOUND', `Expected a trigger ${id}, but there is none`);
    return infoOfRow(row);
  }

  /** Whether there was one. Runs that it has started go on. */
  async remove(id: string): Promise<boolean> {
    this.#refuseChange();
    refuseId(id);
    return this.#office.registry.remove(id);
  }

  async enable(id: string): Promise<TriggerInfo> {
    return this.#setEnabled(id, true);
  }

  /** It fires nothing until it is switched on again; what a schedule would have fired meanwhile is not made up for. */
  async disable(id: string): Promise<TriggerInfo> {
    return this.#setEnabled(id, false);
  }

  /** Fires a manual trigger; with an `id`, once for that id. */
  async fire(id: string, input: unknown = {}, options: FireOptions = {}): Promise<FireReply> {
    this.#refuseChange();
    refuseId(id);
    checkOptions('fire', options, { id: 'text' });
    const payload = takeJson(input, { limits: this.#host.limits, what: 'input', code: 'INPUT_INVALID' });
    return this.#office.fire(id, payload, options.id ?? null);
  }

  async #setEnabled(id: string, enabled: boolean): Promise<TriggerInfo> {
    this.#refuseChange();
    refuseId(id);
    const trigger = await this.#office.registry.setEnabled(id, enabled);
    return infoOf(trigger, dueAtOf(trigger));
  }

  #refuseChange(): void {
    if (this.#host.readOnly) throw readOnlyError();
    if (this.#host.runner.isClosed) throw closedError();
  }
}

const refuseId = (id: unknown): void => refuseTexts([['the id of a trigger', id]]);

const infoOfRow = (row: RecordRow): TriggerInfo => infoOf(valueOf(row) as StoredTrigger, row.dueAt); // as the registry wrote it

function infoOf(trigger: StoredTrigger | Trigger, nextAt: number | null): TriggerInfo {
  const { definition, enabled, createdAt, lastRunId, queued } = trigger;
  return { id: definition.id, definition, enabled, createdAt, nextAt, lastRunId, queued };
}
