// Trigger: what starts runs by itself. As its author writes it, as it is stored, and compiled for firing.

import type { Json, JsonObject } from '../base/json.ts';
import type { TerminalStatus } from '../core/views/status.ts';
import type { JsonSchema, MappingSource } from '../definition/definition.ts';
import type { Mapping } from '../definition/graph.ts';
import type { compileCheck } from '../definition/schema.ts';
import type { Expression } from '../expression/expression.ts';
import type { Schedule } from './schedule.ts';

export type TriggerDefinition = ManualTrigger | EventTrigger | ScheduleTrigger | FinishedTrigger | WebhookTrigger;

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
  /** What happens at a time at which the run before is still running. Default: `skip`. */
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

/** Fires when somebody outside calls its URL. */
export interface WebhookTrigger extends TriggerBase {
  readonly type: 'webhook';
  /** How a call proves whom it comes from. Without it, `public` must say that anybody may call. */
  readonly verify?: Verification;
  readonly public?: boolean;
  /** What the body must look like. */
  readonly schema?: JsonSchema;
  /** Default: POST. */
  readonly methods?: readonly string[];
  /** The header that tells one delivery from another, where the scheme has no id of its own. */
  readonly deliveryIdHeader?: string;
  readonly filter?: Filter;
}

export interface Verification {
  readonly scheme: 'github' | 'stripe' | 'slack' | 'heddle' | 'hmac';
  /** The name of a secret of the engine. */
  readonly secret: string;
  /** How far from now a signature may have been made, where the scheme tells when. Default: 5 minutes. */
  readonly toleranceMs?: number;
  /** Of `hmac`: the header with the signature. */
  readonly header?: string;
  /** Of `hmac`. Default: sha256. */
  readonly algorithm?: 'sha1' | 'sha256' | 'sha512';
  /** Of `hmac`. Default: hex. */
  readonly encoding?: 'hex' | 'base64';
  /** Of `hmac`: what stands before the signature, such as `sha256=`. */
  readonly prefix?: string;
  /** Of `hmac`: the header with the time (in seconds or milliseconds since 1970), which is signed as `<time>.<body>`. */
  readonly timestampHeader?: string;
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
  /** Of a webhook that has a schema. */
  readonly checkBody: ReturnType<typeof compileCheck>;
}
