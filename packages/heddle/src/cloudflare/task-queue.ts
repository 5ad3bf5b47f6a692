// Task queue: what objects and the consumers of a Cloudflare Queue say to each other of the tasks that the consumers do. A message
// carries no task: it calls somebody to the object where one waits, who leases it there.

import { isPlainObject } from '../base/json.ts';
import type { Place } from './place.ts';

/** A binding of a Queue, for whoever puts messages into it. */
export interface TaskQueue {
  sendBatch(messages: Iterable<{ readonly body: unknown }>): Promise<unknown>;
}

/** Where tasks of an action are done by the consumers of a queue. */
export interface QueuedAction {
  readonly queue: TaskQueue;
  /** How long nobody may come, while tasks wait, before others are called. Default: five minutes. */
  readonly callAgainMs?: number;
}

/** A message: a task of this action waits in this object. */
export interface TaskCall {
  readonly place: Place;
  readonly action: string;
}

/** Null: it is somebody else's message. */
export function readCall(body: unknown): TaskCall | null {
  const { place, action } = (isPlainObject(body) ? body : {}) as Partial<TaskCall>; // whatever it is
  const { tenant, shard } = (isPlainObject(place) ? place : {}) as Partial<Place>; // the same
  if (typeof action !== 'string' || typeof tenant !== 'string' || !Number.isSafeInteger(shard)) return null;
  return { place: { tenant, shard: shard as number }, action }; // a whole number
}

/** What somebody who was called asks the object for. */
export interface CalledFor {
  readonly action: string;
  /** As many as there were calls. */
  readonly calls: number;
  readonly leaseMs: number;
}
