// Match events: which deliveries a row of the feed makes. Pure: a row and callbacks in, a list out. Rules CB1, CB2.

import type { FeedRow } from '../../actor/ports.ts';
import { withoutThrown } from '../../base/failure.ts';
import { asJson, type JsonObject } from '../../base/json.ts';
import { inShard, shardOf } from '../../base/shard.ts';
import type { Event } from '../../core/events.ts';
import { readEvents } from '../../core/read-events.ts';
import { terminalStatuses } from '../../core/views/status.ts';
import { type CallbackEvent, deliveryId, type StoredCallback, type StoredDelivery } from './callback.ts';

/** Something that callbacks may be told of. */
interface Happening {
  readonly event: CallbackEvent;
  readonly status?: string;
  readonly data: JsonObject;
}

/** A longer result is left out of what is sent: whoever wants it asks for the run. */
const resultBytesMax = 262_144;

/** Saves parsing rows that hold nothing of the kind. */
const interesting = new RegExp(
  `"type":"(workflow\\.(started|suspended|resumed|${terminalStatuses.join('|')})|input\\.(requested|resumed))"`,
);

export const mayMatter = ({ events }: FeedRow): boolean => interesting.test(events);

export interface MatchOptions {
  readonly callbacks: readonly StoredCallback[];
  /** Whether the run was called by another. */
  readonly isSubRun: boolean;
  readonly now: number;
}

/** CB1: one delivery for each callback that asks for such an event of such a run, of what came after it was made. */
export function matchEvents(row: FeedRow, { callbacks, isSubRun, now }: MatchOptions): readonly StoredDelivery[] {
  const events = readEvents(row.events);
  return events.flatMap((event, index) => {
    const happening = describeHappening(event, isSubRun);
    if (happening === null) return [];
    const interested = callbacks.filter((callback) => isAskedFor(callback, row, happening));
    return interested.map((callback) => makeDelivery({ callback, row, index, happening, now }));
  });
}

function isAskedFor(
  { on, workflow, statuses, enabled, from }: StoredCallback,
  row: FeedRow,
  { event, status }: Happening,
): boolean {
  if (!enabled || row.position <= from || !on.includes(event)) return false;
  if (workflow !== undefined && workflow !== row.workflow) return false;
  return status === undefined || statuses === undefined || statuses.some((one) => one === status);
}

/** CB2: runs are reported if nobody called them, prompts whoever's they are. */
function describeHappening(event: Event, isSubRun: boolean): Happening | null {
  if (event.type === 'input.requested') {
    const { type: _, token: __, at: ___, ...data } = event;
    return { event: 'prompt.opened', data };
  }
  // CB15: an answered prompt is told by its correlation id, without the answer.
  if (event.type === 'input.resumed') return { event: 'prompt.answered', data: { correlationId: event.correlationId } };
  if (isSubRun) return null;
  if (event.type === 'workflow.started')
    return { event: 'run.started', data: { version: event.version, tags: event.tags } };
  if (event.type === 'workflow.suspended') return { event: 'run.suspended', data: {} };
  if (event.type === 'workflow.resumed') return { event: 'run.resumed', data: {} };
  if (event.type === 'workflow.completed') return ended('completed', { output: event.output });
  if (event.type === 'workflow.cancelled') return ended('cancelled', { reason: event.reason });
  if (event.type === 'workflow.failed' || event.type === 'workflow.timed_out' || event.type === 'workflow.exhausted')
    return ended(event.type.slice('workflow.'.length), { error: asJson(withoutThrown(event.error)) });
  return null;
}

function ended(status: string, result: JsonObject): Happening {
  const isSmall = JSON.stringify(result).length <= resultBytesMax;
  return { event: 'run.ended', status, data: { status, ...(isSmall ? result : { isResultLeftOut: true }) } };
}

interface Making {
  readonly callback: StoredCallback;
  readonly row: FeedRow;
  readonly index: number;
  readonly happening: Happening;
  readonly now: number;
}

/** CB3: its id is made of the callback and the event's place in the feed: read again after a crash, it is the same one. */
function makeDelivery({ callback, row, index, happening, now }: Making): StoredDelivery {
  const { runId, workflow, at, position, seq } = row;
  const place = `${String(position).padStart(16, '0')}.${String(index).padStart(6, '0')}`;
  const inFleet = inShard(place, shardOf(runId)); // every shard has a feed
  const id = deliveryId(callback.id, inFleet);
  const { event, data } = happening;
  const body = JSON.stringify({ id, type: event, at, runId, workflow, eventId: `${seq}.${index}`, ...data });
  const untried = { attempts: 0, lastAttemptAt: null, lastStatus: null, lastError: null } as const;
  const times = { createdAt: now, nextAt: now };
  return { id, callback: callback.id, event, runId, workflow, status: 'pending', ...untried, ...times, body };
}
