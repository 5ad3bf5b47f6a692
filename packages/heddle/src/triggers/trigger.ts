// Trigger: what starts runs by itself. As its author writes it, as it is stored, and compiled for firing.

import type { Json, JsonObject } from '../base/json.ts';
import type { TerminalStatus } from '../core/views/status.ts';
import type { MappingSource } from '../definition/definition.ts';
import type { Mapping } from '../definition/graph.ts';
import type { Expression } from '../expression/expression.ts';
import type { Schedule } from './schedule.ts';

export type TriggerDefinition = ManualTrigger | EventTrigger | ScheduleTrigger | FinishedTrigger;

interface TriggerBase {
  readonly id: string;
  /** The workflow that is started, in its latest version. */
  readonly workflow: string;
  readonly name?: string;
  readonly description?: string;
  /**
   * The input of the run: keys are its (dotted) keys, values expressions that read `event`. Absent: the payload as it
   * is; for a schedule an empty object.
   */
  readonly input?: MappingSource;
  /** Whose credits pay for its runs; and the tags that they get. */
  readonly organization?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly meta?: Json;
}

/** Fires when somebody says so. */
export interface ManualTrigger extends TriggerBase {
  readonly type: 'manual';
}

/** Fires when an event of that name is published. */
export interface EventTrigger extends TriggerBase {
  readonly type: 'event';
  readonly event: string;
  /** Only events with this correlation. Absent: with any, or none. */
  readonly correlation?: string;
  /** The trigger fires where it is true. */
  readonly filter?: Filter;
}

/** Fires at set times. */
export interface ScheduleTrigger extends TriggerBase {
  readonly type: 'schedule';
  /** Five fields (minute, hour, day, month, weekday), or six with the second first, or `@daily` and the like. */
  readonly cron: string;
  /** An IANA name such as `Europe/Berlin`. Default: UTC. */
  readonly timeZone?: string;
  /** What happens at a time at which the run before is still under way. Default: `skip`. */
  readonly overlap?: Overlap;
  /** How many of the times that were missed while no engine was there are made up for. Default: 1, the newest. */
  readonly catchUp?: number;
}

/** An expression that reads `event`, or a condition as data: `{ field: 'event.payload.total', op: '>', value: 0 }`. */
export type Filter = string | JsonObject;

export type Overlap = 'skip' | 'queue' | 'allow';

/** Fires when a run of another workflow has ended. */
export interface FinishedTrigger extends TriggerBase {
  readonly type: 'workflow_finished';
  /** The workflow whose runs are listened for; sub-runs are not. */
  readonly source: string;
  /** How they must have ended. Absent: in any way. */
  readonly statuses?: readonly TerminalStatus[];
  readonly filter?: Filter;
}

/** As it lies in the store. */
export interface StoredTrigger {
  readonly definition: TriggerDefinition;
  readonly enabled: boolean;
  readonly createdAt: number;
  /** Of a schedule: up to when its times have been dealt with. */
  readonly since: number;
  /** Of a schedule: the run that it started last, and the times that wait for that run to end. */
  readonly lastRunId: string | null;
  readonly queued: readonly number[];
}

/** One that can fire. */
export interface Trigger extends StoredTrigger {
  readonly filter: Expression | null;
  readonly input: Mapping | null;
  /** Null for all but schedules. */
  readonly schedule: Schedule | null;
}
