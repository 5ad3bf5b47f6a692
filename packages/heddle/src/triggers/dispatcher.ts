// Dispatcher: makes triggers fire. What is to be fired is decided first, stored, and then done, so that a crash in
// between fires it again and starts nothing twice. Rules TR….
//
// Always true: firing never throws; a start that fails keeps no other from starting.

import type { Background } from '../actor/background.ts';
import type { EventHub, Publication } from '../actor/event-hub.ts';
import type { FinishedRun } from '../actor/finished-run.ts';
import type { Awaitable, Clock, RecordRow, RecordWrite } from '../actor/ports.ts';
import type { Fired, Published, PublishedEvent, Skipped } from '../actor/publication.ts';
import { isMoving, isUnreached } from '../actor/refusals.ts';
import { inSlices } from '../actor/slices.ts';
import { isDamage, StoreError } from '../actor/store-error.ts';
import { given } from '../base/given.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { Limits } from '../definition/limits.ts';
import { eventOccasion, finishedOccasion, type Origin } from './occasions.ts';
import { type Firing, type FiringPlan, type Occasion, planFirings } from './plan-firings.ts';
import type { Trigger } from './trigger.ts';
import type { TriggerRegistry } from './trigger-registry.ts';

/** A run that a trigger starts; the same key starts one run. */
export interface FiredStart {
  readonly workflow: string;
  readonly input: Json;
  readonly idempotencyKey: string;
  readonly trigger: JsonObject;
  readonly organization?: string;
  readonly tags?: Readonly<Record<string, string>>;
}

export interface DispatcherOptions {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly background: Background;
  readonly registry: TriggerRegistry;
  readonly events: EventHub;
  /** Answers with the id of the run. */
  readonly start: (start: FiredStart) => Promise<string>;
}

/** What is to be fired, until it has been. */
interface ToFire {
  readonly payload: Json;
  readonly firings: readonly Firing[];
}

interface Performed {
  readonly fired: readonly Fired[];
  readonly skipped: readonly Skipped[];
  /** Why some could not be started now, and are tried again. */
  readonly owed: readonly Error[];
}

const toFireKind = 'to-fire';
const rowsPerPage = 100;
const startsAtOnce = 100;

export class Dispatcher {
  readonly #options: DispatcherOptions;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** TR17: publishing answers with which triggers fired and which did not, and why. It fails only if the event cannot be kept. */
  async publish(publication: Publication, origin: Origin): Promise<Published> {
    const plans: FiringPlan[] = [];
    const { event, applied, delivered } = await this.#options.events.publish(publication, async (kept) => {
      const plan = await this.#planEvent(kept, origin);
      plans.push(plan);
      // TR18: what an event is to fire is stored with it, and removed when it has been fired.
      return plan.firings.length === 0 ? [] : [toFire(kept.id, { payload: kept.payload, firings: plan.firings })];
    });
    const plan = plans[0];
    if (!applied || !plan) return { eventId: event.id, applied, delivered, fired: [], skipped: [] };
    this.#tell(plan);
    const { fired, skipped } = await this.#fireKept(event.id, { payload: event.payload, firings: plan.firings });
    return { eventId: event.id, applied, delivered, fired, skipped: [...plan.skipped, ...skipped] };
  }

  #planEvent(event: PublishedEvent, origin: Origin): Awaitable<FiringPlan> {
    const triggers = this.#options.registry.forEvent(event.event, event.correlation);
    return this.#plan(triggers, eventOccasion(event, origin));
  }

  #plan(triggers: readonly Trigger[], occasion: Occasion): Awaitable<FiringPlan> {
    const { background, clock, limits } = this.#options;
    return background.count(inSlices(planFirings(triggers, occasion, limits), clock));
  }

  /** Fires; then forgets what was to be fired, now or when the store works again. */
  async #fireKept(key: string, { payload, firings }: ToFire): Promise<Performed> {
    if (firings.length === 0) return { fired: [], skipped: [], owed: [] };
    const { background } = this.#options;
    const performed = await this.#perform(firings, payload);
    if (performed.owed.length > 0) void background.tryLater(() => this.#settle(key, { payload, firings }));
    else await background.tryNow(() => this.#forget(key));
    return performed;
  }

  async #settle(key: string, { payload, firings }: ToFire): Promise<void> {
    const { owed } = await this.#perform(firings, payload);
    if (owed[0]) throw owed[0];
    await this.#forget(key);
  }

  async #forget(key: string): Promise<void> {
    await this.#options.background.commit({ records: [{ kind: toFireKind, key, value: null, dueAt: null }] });
  }

  /**
   * TR19: the end of a run fires what listens for it, and only then is the message about it received. A store that fails
   * is asked again.
   */
  handleFinished(run: FinishedRun, outboxId: string): void {
    const triggers = this.#options.registry.forFinished(run.workflow, run.status);
    const occasion = finishedOccasion(run, this.#options.clock.now());
    const planned = this.#planAndTell(triggers, occasion);
    void this.#options.background.keepTrying(async () => {
      const { firings } = await planned;
      const { owed } = await this.#perform(firings, occasion.payload);
      if (owed[0]) throw owed[0];
      await this.#options.background.commit({ outboxDone: [outboxId] });
    });
  }

  /** Fires one trigger, whatever else listens; fails if the store does. */
  async fire(trigger: Trigger, occasion: Occasion): Promise<Pick<Published, 'fired' | 'skipped'>> {
    const plan = await this.#planAndTell([trigger], occasion);
    const { fired, skipped, owed } = await this.#perform(plan.firings, occasion.payload);
    if (owed[0]) throw owed[0];
    return { fired, skipped: [...plan.skipped, ...skipped] };
  }

  /** Fires what an engine before this one had left. */
  async recover(): Promise<void> {
    const { background } = this.#options;
    await background.keepTrying(async () => {
      for (let after = ''; !background.isClosed; ) {
        const rows = await background.store.listRecords(toFireKind, { after, limit: rowsPerPage });
        for (const row of rows) await this.#fireAgain(row);
        const last = rows.at(-1);
        if (!last) return;
        after = last.key;
      }
    });
  }

  /** One that is damaged is reported and left where it is. */
  async #fireAgain({ key, value }: RecordRow): Promise<void> {
    let left: ToFire;
    try {
      left = JSON.parse(value) as ToFire; // as `toFire` wrote it
    } catch (cause) {
      const message = `Expected what event ${key} is to fire to be JSON, but it is damaged`;
      this.#options.background.report(new HeddleError('RECORD_DAMAGED', message, { cause }));
      return;
    }
    await this.#settle(key, left);
  }

  /** Starts all that can be started. */
  async #perform(firings: readonly Firing[], payload: Json): Promise<Performed> {
    const fired: Fired[] = [];
    const skipped: Skipped[] = [];
    const owed: Error[] = [];
    for (let from = 0; from < firings.length; from += startsAtOnce) {
      const some = firings.slice(from, from + startsAtOnce);
      const outcomes = await Promise.all(some.map((firing) => this.#startOne(firing, payload)));
      for (const [index, outcome] of outcomes.entries()) {
        const { trigger, workflow } = some[index] as Firing; // one for each outcome
        if ('runId' in outcome) {
          fired.push({ trigger, workflow, runId: outcome.runId });
          continue;
        }
        const { error } = outcome;
        const code = isPassing(error) ? 'START_DELAYED' : 'START_REFUSED';
        skipped.push({ trigger, workflow, code, reason: error.message });
        if (isPassing(error)) owed.push(error);
      }
    }
    return { fired, skipped, owed };
  }

  /** TR20: a start that is refused, for the workflow is not there or does not take the input, is reported. */
  async #startOne(firing: Firing, payload: Json): Promise<{ runId: string } | { error: Error }> {
    const { background } = this.#options;
    const { workflow, organization, tags, key: idempotencyKey, info: trigger, input = payload } = firing;
    const more = { ...given({ organization, tags }) };
    try {
      const runId = await this.#options.start({ workflow, input, idempotencyKey, trigger, ...more });
      return { runId };
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      if (!isPassing(error)) background.report(error, { triggerId: firing.trigger });
      return { error };
    }
  }

  async #planAndTell(triggers: readonly Trigger[], occasion: Occasion): Promise<FiringPlan> {
    return this.#tell(await this.#plan(triggers, occasion));
  }

  /** What somebody should know of. */
  #tell(plan: FiringPlan): FiringPlan {
    for (const { error, triggerId } of plan.faults) this.#options.background.report(error, { triggerId });
    return plan;
  }
}

const toFire = (key: string, value: ToFire): RecordWrite => ({
  kind: toFireKind,
  key,
  value: JSON.stringify(value),
  dueAt: null,
});

/** The world failed, and may recover; or the engine is closed or the shard moves, and the next one continues. */
const isPassing = (error: Error): boolean =>
  (error instanceof StoreError && error.code !== 'STORE_CONFLICT' && !isDamage(error)) ||
  isMoving(error) ||
  isUnreached(error);
