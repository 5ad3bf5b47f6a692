// Trigger registry: the triggers, in the store and in memory, and who listens for what. Rules TR4, TR5.
//
// Always true: what is in memory has been committed; one trigger is changed by one at a time.

import type { Background } from '../actor/background.ts';
import type { Clock, RecordRow, RecordWrite, Store } from '../actor/ports.ts';
import { Turns } from '../actor/turns.ts';
import { given } from '../base/given.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { asJson } from '../base/json.ts';
import type { Problem } from '../base/problem.ts';
import { stableStringify } from '../base/stable-json.ts';
import type { Limits } from '../definition/limits.ts';
import { compileTrigger } from './compile-trigger.ts';
import { parseTrigger } from './parse-trigger.ts';
import type { StoredTrigger, Trigger, TriggerDefinition } from './trigger.ts';

export interface TriggerRegistryOptions {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly background: Background;
  /** A schedule that was due at the one time is now due at the other. */
  readonly onMoved: (before: number | null, at: number | null) => void;
}

export interface Created {
  readonly problems: readonly Problem[];
  /** Null if there are errors: nothing was stored. */
  readonly trigger: Trigger | null;
  /** False if it was there before, with the same content. */
  readonly isNew: boolean;
}

export const triggerKind = 'trigger';
const rowsPerPage = 500;

export class TriggerRegistry {
  readonly #options: TriggerRegistryOptions;
  readonly #triggers = new Map<string, Trigger>();
  /** Ids by the name of an event, and by the workflow whose end is listened for. */
  readonly #byEvent = new Map<string, Set<string>>();
  readonly #bySource = new Map<string, Set<string>>();
  readonly #turns = new Turns();

  constructor(options: TriggerRegistryOptions) {
    this.#options = options;
  }

  /** All that are stored; one that cannot be read is reported and fires no more. */
  async load(): Promise<void> {
    for await (const row of allTriggers(this.#options.background.store)) {
      try {
        // As `makeRecord` wrote it.
        this.#enter(compileTrigger(JSON.parse(row.value) as StoredTrigger, this.#options.limits));
      } catch (cause) {
        const error = new HeddleError('RECORD_DAMAGED', `Expected trigger ${row.key} to be readable, but it is not`, {
          cause,
        });
        this.#options.background.report(error, { triggerId: row.key });
        if (row.dueAt !== null) await this.#options.background.commit({ records: [{ ...row, dueAt: null }] });
      }
    }
  }

  get(id: string): Trigger | undefined {
    return this.#triggers.get(id);
  }

  mustGet(id: string): Trigger {
    const trigger = this.#triggers.get(id);
    if (trigger) return trigger;
    throw new HeddleError('TRIGGER_NOT_FOUND', `Expected a trigger ${id}, but there is none`);
  }

  /** Those that are switched on, by id. */
  forEvent(event: string, correlation: string): readonly Trigger[] {
    return this.#ofIds(this.#byEvent.get(event)).filter(({ definition }) => {
      return definition.type === 'event' && (definition.correlation ?? correlation) === correlation;
    });
  }

  forFinished(workflow: string, status: string): readonly Trigger[] {
    return this.#ofIds(this.#bySource.get(workflow)).filter(({ definition }) => {
      return (
        definition.type === 'workflow_finished' &&
        (definition.statuses === undefined || definition.statuses.some((one) => one === status))
      );
    });
  }

  hasFinishedListeners(workflow: string): boolean {
    return this.#bySource.has(workflow);
  }

  schedules(): readonly Trigger[] {
    return [...this.#triggers.values()].filter(({ schedule }) => schedule !== null);
  }

  #ofIds(ids: ReadonlySet<string> = new Set()): readonly Trigger[] {
    const triggers = [...ids].toSorted().flatMap((id) => this.#triggers.get(id) ?? []);
    return triggers.filter(({ enabled }) => enabled);
  }

  /**
   * TR4: creating a trigger again with the same content changes nothing; other content under a taken id is refused,
   * unless it is to replace the one that is there.
   */
  async create(source: unknown, { replace = false }: { readonly replace?: boolean } = {}): Promise<Created> {
    const { limits, clock } = this.#options;
    const { problems, definition, enabled } = parseTrigger(source, { limits });
    if (!definition) return { problems, trigger: null, isNew: false };
    return this.inTurn(definition.id, async () => {
      const known = this.get(definition.id);
      const all = [...problems, ...(await this.#warnOfMissing(definition))];
      const isOn = enabled ?? known?.enabled ?? true;
      const isSwitched = replace && known?.enabled !== isOn;
      if (known && !isSwitched && isSame(known.definition, definition))
        return { problems: all, trigger: known, isNew: false };
      const refusal = known ? !replace && idTaken(definition.id) : this.#refuseMore();
      if (refusal) return { problems: [...all, refusal], trigger: null, isNew: false };
      const at = clock.now();
      const fresh = { createdAt: at, lastRunId: null, queued: [] };
      const kept = known ? keptOf(known, definition) : fresh;
      const queued = known?.enabled === isOn ? kept.queued : [];
      const trigger = await this.put({ ...kept, queued, definition, since: at, enabled: isOn });
      return { problems: all, trigger, isNew: true };
    });
  }

  /** TR5: a trigger that is switched off fires nothing; a schedule continues with the next time after it is switched on. */
  async setEnabled(id: string, enabled: boolean): Promise<Trigger> {
    return this.inTurn(id, async () => {
      const trigger = this.mustGet(id);
      if (trigger.enabled === enabled) return trigger;
      return this.put({ ...trigger, enabled, since: this.#options.clock.now(), queued: [] });
    });
  }

  /** Whether there was one. Runs that it has started continue. */
  async remove(id: string): Promise<boolean> {
    return this.inTurn(id, async () => {
      if (!this.#triggers.has(id)) return false;
      const record = { kind: triggerKind, key: id, value: null, dueAt: null };
      await this.#options.background.commit({ records: [record] });
      const before = this.#dueOf(id);
      this.#leave(id);
      this.#options.onMoved(before, null);
      return true;
    });
  }

  inTurn<T>(id: string, work: () => Promise<T>): Promise<T> {
    return this.#turns.take(id, work);
  }

  /** Stores it as it is now. */
  async put(stored: StoredTrigger): Promise<Trigger> {
    const trigger = compileTrigger(stored, this.#options.limits);
    const record = makeRecord(trigger);
    await this.#options.background.commit({ records: [record] });
    const before = this.#dueOf(trigger.definition.id);
    this.#enter(trigger);
    this.#options.onMoved(before, record.dueAt);
    return trigger;
  }

  /** As another shard has it, where it is changed; null if it is gone there. Schedules fire there alone. */
  adopt(id: string, value: string | null): Promise<void> {
    return this.inTurn(id, async () => {
      await this.#options.background.commit({ records: [{ kind: triggerKind, key: id, value, dueAt: null }] });
      if (value === null) this.#leave(id);
      else this.#enter(compileTrigger(JSON.parse(value) as StoredTrigger, this.#options.limits)); // as `makeRecord` wrote it
    });
  }

  #dueOf(id: string): number | null {
    const trigger = this.#triggers.get(id);
    return trigger ? dueAtOf(trigger) : null;
  }

  #enter(trigger: Trigger): void {
    const { definition } = trigger;
    this.#leave(definition.id); // what it replaces may have listened for something else
    this.#triggers.set(definition.id, trigger);
    if (definition.type === 'event') addTo(this.#byEvent, definition.event, definition.id);
    if (definition.type === 'workflow_finished') addTo(this.#bySource, definition.source, definition.id);
  }

  #leave(id: string): void {
    const definition = this.#triggers.get(id)?.definition;
    this.#triggers.delete(id);
    if (definition?.type === 'event') removeFrom(this.#byEvent, definition.event, id);
    if (definition?.type === 'workflow_finished') removeFrom(this.#bySource, definition.source, id);
  }

  #refuseMore(): Problem | null {
    const { triggersMax } = this.#options.limits;
    if (this.#triggers.size < triggersMax) return null;
    return {
      severity: 'error',
      code: 'LIMIT_EXCEEDED',
      pointer: '',
      message: `Expected at most ${triggersMax} triggers (limit triggersMax), but there are as many`,
    };
  }

  async #warnOfMissing(definition: TriggerDefinition): Promise<Problem[]> {
    const warnings: Problem[] = [];
    const named = {
      workflow: definition.workflow,
      ...given({ source: 'source' in definition ? definition.source : undefined }),
    };
    for (const [field, workflow] of Object.entries(named)) {
      if (await this.#options.background.store.findDefinition(workflow, null)) continue;
      const message = `Expected workflow ${workflow} to be registered, but it is not yet`;
      warnings.push({ severity: 'warning', code: 'WORKFLOW_NOT_REGISTERED', pointer: `/${field}`, message });
    }
    return warnings;
  }
}

/** As they are stored, by id; those after one, if that is said. */
export async function* allTriggers(store: Pick<Store, 'listRecords'>, from?: string): AsyncGenerator<RecordRow> {
  for (let after = from; ; ) {
    const rows = await store.listRecords(triggerKind, {
      limit: rowsPerPage,
      ...given({ after }),
    });
    yield* rows;
    after = rows.at(-1)?.key;
    if (after === undefined) return;
  }
}

function makeRecord(trigger: Trigger): RecordWrite {
  const { definition, enabled, createdAt, since, lastRunId, queued } = trigger;
  const stored: StoredTrigger = { definition, enabled, createdAt, since, lastRunId, queued };
  return { kind: triggerKind, key: definition.id, value: JSON.stringify(stored), dueAt: dueAtOf(trigger) };
}

/** When a schedule fires next. */
export function dueAtOf({ enabled, schedule, since }: Pick<Trigger, 'enabled' | 'schedule' | 'since'>): number | null {
  return enabled && schedule ? schedule.after(since) : null;
}

const isSame = (a: TriggerDefinition, b: TriggerDefinition): boolean =>
  stableStringify(asJson(a)) === stableStringify(asJson(b));

/** What stays when a trigger is replaced: a schedule still knows the run that it waits for, and what is queued behind it. */
function keptOf({ createdAt, lastRunId, queued }: Trigger, definition: TriggerDefinition) {
  const isSchedule = definition.type === 'schedule';
  const queues = isSchedule && definition.overlap === 'queue';
  return { createdAt, lastRunId: isSchedule ? lastRunId : null, queued: queues ? queued : [] };
}

function idTaken(id: string): Problem {
  return {
    severity: 'error',
    code: 'TRIGGER_EXISTS',
    pointer: '/id',
    message: `Expected a free id, but trigger ${id} is there with other content`,
    hint: 'Say { replace: true } to replace it, or choose another id.',
  };
}

function addTo(index: Map<string, Set<string>>, key: string, id: string): void {
  index.set(key, (index.get(key) ?? new Set()).add(id));
}

function removeFrom(index: Map<string, Set<string>>, key: string, id: string): void {
  const ids = index.get(key);
  ids?.delete(id);
  if (ids?.size === 0) index.delete(key);
}
