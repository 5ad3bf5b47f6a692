// Scheduler: fires schedules when they come due. The times are in the store; a run is started first and noted then, so
// that a crash in between starts the same run again, which is no second one. Rules TR….

import { Alarm } from '../actor/alarm.ts';
import type { Background } from '../actor/background.ts';
import type { Observers } from '../actor/observers.ts';
import type { Clock, RunRow } from '../actor/ports.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { isTerminal } from '../core/views/status.ts';
import type { Limits } from '../definition/limits.ts';
import type { Dispatcher } from './dispatcher.ts';
import { scheduleOccasion } from './occasions.ts';
import { planOccurrences } from './overlap.ts';
import { dueOccurrences, type Schedule } from './schedule.ts';
import type { ScheduleTrigger, Trigger } from './trigger.ts';
import { dueAtOf, type TriggerRegistry, triggerKind } from './trigger-registry.ts';

export interface SchedulerOptions {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly background: Background;
  readonly observers: Observers;
  readonly registry: TriggerRegistry;
  readonly dispatcher: Dispatcher;
}

/** A trigger that has a schedule. */
type Scheduled = Trigger & { readonly definition: ScheduleTrigger; readonly schedule: Schedule };

export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #alarm: Alarm;
  #openedAt = Number.NEGATIVE_INFINITY;
  /** Ends the watch on the run that a trigger waits for. */
  readonly #watches = new Map<string, () => void>();

  constructor(options: SchedulerOptions) {
    this.#options = options;
    const { clock, background } = options;
    const { store } = background;
    const rows = {
      dueRuns: async (at: number, limit: number) =>
        (await store.dueRecords(triggerKind, at, limit)).map(({ key }) => key),
      nextAlarmAt: () => store.nextDueAt(triggerKind),
    };
    this.#alarm = new Alarm(
      clock,
      rows,
      (id) => this.#look(id),
      (error) => background.report(error),
    );
  }

  /** Goes on with what an engine before this one left. */
  open(): void {
    this.#openedAt = this.#options.clock.now();
    for (const { definition, since } of this.#options.registry.schedules())
      if (since > this.#openedAt) this.#setBack(definition.id);
    this.#alarm.look();
    for (const { definition, queued, lastRunId } of this.#options.registry.schedules()) {
      if (queued.length > 0) this.#watch(definition.id, lastRunId);
    }
  }

  /** TR24: a clock that went wrong and came back does not silence a schedule: a new engine continues from its own time. */
  #setBack(id: string): void {
    const { registry, background } = this.#options;
    const put = async () => {
      const trigger = registry.get(id);
      if (trigger) await registry.put({ ...trigger, since: Math.min(trigger.since, this.#openedAt) });
    };
    void background.keepTrying(() => registry.inTurn(id, put));
  }

  move(before: number | null, at: number | null): void {
    this.#alarm.move(before, at);
    this.#alarm.rest();
  }

  close(): void {
    this.#alarm.close();
    for (const stop of this.#watches.values()) stop();
  }

  #look(id: string): Promise<void> {
    return this.#options.registry.inTurn(id, () => this.#fire(id));
  }

  /** Starts what can be started now, and notes what is left for later. */
  async #fire(id: string): Promise<void> {
    const { registry, clock, limits } = this.#options;
    const trigger = registry.get(id);
    if (!trigger || !isScheduled(trigger) || !trigger.enabled) return;
    const now = clock.now();
    const { overlap = 'skip' } = trigger.definition;
    const isBusy = overlap !== 'allow' && (await this.#isUnderWay(trigger.lastRunId));
    const due = this.#dueNow(trigger, now);
    const { queued } = trigger;
    const plan = planOccurrences({ overlap, due, queued, isBusy, queuedMax: limits.queuedRunsMax });
    let { lastRunId } = trigger;
    for (const at of plan.start) lastRunId = (await this.#start(trigger, at)) ?? lastRunId;
    this.#tellOfFullQueue(trigger, plan.skipped);
    const isDue = (dueAtOf(trigger) ?? Number.POSITIVE_INFINITY) <= now;
    if (isDue || plan.start.length > 0)
      await registry.put({ ...trigger, since: Math.max(trigger.since, now), lastRunId, queued: plan.queued });
    if (plan.queued.length > 0) this.#watch(id, lastRunId);
  }

  /** TR21: of the times that were missed while no engine was there, the newest `catchUp` are made up for. */
  #dueNow(trigger: Scheduled, now: number): readonly number[] {
    const { schedule, since, definition } = trigger;
    const { catchUp = 1 } = definition;
    const wasMissed = (dueAtOf(trigger) ?? Number.POSITIVE_INFINITY) <= this.#openedAt;
    return dueOccurrences(schedule, since, now, wasMissed ? catchUp : Math.max(1, catchUp));
  }

  /** The id of the run; null if it was refused. A store that fails is asked again by the alarm. */
  async #start(trigger: Scheduled, scheduledFor: number): Promise<string | null> {
    const { dispatcher, clock } = this.#options;
    const { fired } = await dispatcher.fire(trigger, scheduleOccasion(scheduledFor, clock.now()));
    return fired[0]?.runId ?? null;
  }

  async #isUnderWay(runId: string | null): Promise<boolean> {
    const row = runId === null ? null : await this.#options.background.store.readRun(runId);
    return row !== null && !hasEnded(row);
  }

  /** Starts the next of the queue when the run has ended, or at once if it has already. */
  #watch(id: string, runId: string | null): void {
    this.#watches.get(id)?.();
    const { background, observers } = this.#options;
    const goOn = (): void => {
      stop();
      void background.keepTrying(() => this.#look(id));
    };
    const stop = runId === null ? () => undefined : observers.watch(runId, (row) => row && hasEnded(row) && goOn());
    this.#watches.set(id, stop);
    void background.keepTrying(async () => {
      if (!(await this.#isUnderWay(runId))) goOn();
    });
  }

  #tellOfFullQueue({ definition }: Scheduled, skipped: readonly number[]): void {
    if (definition.overlap !== 'queue' || skipped.length === 0) return;
    const { queuedRunsMax } = this.#options.limits;
    const message = `Expected at most ${queuedRunsMax} times of trigger ${definition.id} to wait (limit queuedRunsMax), but ${skipped.length} more came`;
    const error = new HeddleError('LIMIT_EXCEEDED', message, { limit: 'queuedRunsMax' });
    this.#options.background.report(error, { triggerId: definition.id });
  }
}

const isScheduled = (trigger: Trigger): trigger is Scheduled => trigger.schedule !== null;

const hasEnded = ({ status, quarantine }: RunRow): boolean => isTerminal(status) || quarantine !== null;
