// Trigger office: the door of this room. Published events, triggers, and the runs that they start.

import { Background } from '../actor/background.ts';
import { EventHub, type EventHubOptions, type EventWait, type Publication } from '../actor/event-hub.ts';
import type { FinishedRun } from '../actor/finished-run.ts';
import type { Observers } from '../actor/observers.ts';
import type { Office } from '../actor/office.ts';
import type { RecordWrite, Store } from '../actor/ports.ts';
import type { Published } from '../actor/publication.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Json } from '../base/json.ts';
import type { Limits } from '../definition/limits.ts';
import { Dispatcher, type FiredStart } from './dispatcher.ts';
import { manualOccasion, type Origin } from './occasions.ts';
import type { Occasion } from './plan-firings.ts';
import { Scheduler } from './scheduler.ts';
import type { Trigger } from './trigger.ts';
import { TriggerRegistry } from './trigger-registry.ts';

export interface TriggerOfficeOptions extends Omit<EventHubOptions, 'background'> {
  readonly store: Store;
  readonly limits: Limits;
  readonly observers: Observers;
  /** Starts a run; answers with its id. */
  readonly start: (start: FiredStart) => Promise<string>;
}

const eventWaitKind = 'event-wait';

export class TriggerOffice implements Office {
  readonly registry: TriggerRegistry;
  readonly #options: TriggerOfficeOptions;
  readonly #background: Background;
  readonly #events: EventHub;
  readonly #dispatcher: Dispatcher;
  readonly #scheduler: Scheduler;

  constructor(options: TriggerOfficeOptions) {
    this.#options = options;
    const { store, clock, observers } = options;
    const background = new Background(store, clock, (error, context) => observers.broken(error, context));
    this.#background = background;
    this.#events = new EventHub({ ...options, background });
    this.registry = new TriggerRegistry({
      ...options,
      background,
      onMoved: (before, at) => this.#scheduler.move(before, at),
    });
    this.#dispatcher = new Dispatcher({ ...options, background, registry: this.registry, events: this.#events });
    this.#scheduler = new Scheduler({ ...options, background, registry: this.registry, dispatcher: this.#dispatcher });
  }

  /** Whether nothing is being handed over or fired. */
  get isIdle(): boolean {
    return this.#background.isIdle;
  }

  get isOwing(): boolean {
    return this.#background.isOwing;
  }

  whenIdle(): Promise<void> {
    return this.#background.whenIdle();
  }

  /** Before any run resumes: from then on it is known who listens. */
  load(): Promise<void> {
    return this.registry.load();
  }

  /** Goes on with what an earlier process left. Schedules fire at home, and in no other shard of a fleet. */
  recover(): void {
    if ((this.#options.placement?.own ?? 0) === 0) this.#scheduler.open();
    void this.#dispatcher.recover();
    void this.#events.recover();
  }

  publish(publication: Publication, origin: Origin): Promise<Published> {
    return this.#dispatcher.publish(publication, origin);
  }

  /** TR23: a manual trigger fires when it is told to; once for each `id`, if the caller gives one. */
  async fire(id: string, payload: Json, onceId: string | null): Promise<Pick<Published, 'fired' | 'skipped'>> {
    const trigger = this.registry.mustGet(id);
    const { type, workflow } = trigger.definition;
    if (type !== 'manual') {
      const message = `Expected trigger ${id} to be of type manual, but it is of type ${type} and fires by itself`;
      throw new HeddleError('TRIGGER_NOT_MANUAL', message);
    }
    const skipped = { trigger: id, workflow, code: 'SWITCHED_OFF', reason: 'it is switched off' } as const;
    if (!trigger.enabled) return { fired: [], skipped: [skipped] };
    const { newId, clock } = this.#options;
    return this.#dispatcher.fire(trigger, manualOccasion(onceId ?? newId(), payload, clock.now()));
  }

  /** Fires a trigger for what came in from outside, whatever else listens. */
  fireFor(trigger: Trigger, occasion: Occasion): Promise<Pick<Published, 'fired' | 'skipped'>> {
    return this.#dispatcher.fire(trigger, occasion);
  }

  /** A run began to wait for an event. */
  listen(runId: string, wait: EventWait): void {
    this.#events.listen(runId, wait);
  }

  hasFinishedListeners(workflow: string): boolean {
    return this.registry.hasFinishedListeners(workflow);
  }

  /** Refuses the id of an event that stands for another one. */
  guardEventId(publication: Publication & { readonly id: string }): Promise<void> {
    return this.#events.guardId(publication);
  }

  /** A run of another shard waits for an event that belongs here. */
  heard(record: RecordWrite): void {
    if (record.kind === eventWaitKind) this.#events.heard(record);
  }

  /** A run for which somebody listened has ended. */
  receive(message: Json, outboxId: string): void {
    this.#dispatcher.handleFinished(message as unknown as FinishedRun, outboxId); // nothing else is sent here
  }

  /** Begins nothing more, and waits for what is running. */
  async close(): Promise<void> {
    this.#scheduler.close();
    await this.#background.close();
  }
}
