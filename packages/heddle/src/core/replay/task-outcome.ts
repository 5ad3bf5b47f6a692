// TaskOutcome: what a task answered with, read back from what was decided on it. Journals keep all of it but what the
// action asked of retries, which is taken from when the next attempt was planned. Rule RD2.

import { given } from '../../base/given.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { isJsonObject } from '../../base/path.ts';
import type { RetryPolicy } from '../../definition/graph.ts';
import type { TaskOutcome } from '../commands.ts';
import type { Event, EventOf } from '../events.ts';
import { delayOfNext } from '../planning/attempts.ts';
import type { Token } from '../state.ts';
import type { Opening } from './facts.ts';

type Failed = EventOf<'task.failed' | 'task.attempt_failed'>;

/** The output that a task gave, with the control keys that it had; undefined if it gave none. */
export function restoreOutput(opening: Opening, token: Token): Json | undefined {
  const isOutput = (event: Event): event is Answer => isAnswer(event, token) && event.output !== undefined;
  const output = opening.commit.events.find(isOutput)?.output;
  if (!opening.graph.policy.controlKeys || !isJsonObject(output)) return output;
  return { ...output, ...restoreControls(opening, token) };
}

type Answer = EventOf<'task.completed' | 'task.failed'>;

const isAnswer = (event: Event, { id }: Token): event is Answer =>
  (event.type === 'task.completed' || event.type === 'task.failed') && event.token === id;

/** What of a result steered the engine: the handle, the wait, and keys that could not be read. */
function restoreControls(opening: Opening, token: Token): JsonObject {
  const { at, events } = opening.commit;
  const own = events.filter((event) => 'token' in event && event.token === token.id);
  const ignored = own.flatMap((event) => (event.type === 'control.ignored' ? event.keys : []));
  const unreadable = Object.fromEntries(ignored.map((key) => [key, []])); // nothing that could be read
  const handle = ignored.includes('_branch') ? null : findHandle(opening, token);
  const wait = own.find((event) => event.type === 'token.waiting' && event.for === 'timer');
  return {
    ...unreadable,
    ...given({ _branch: handle ?? undefined }),
    ...(wait && restoreWait(wait, { at, isRelative: ignored.includes('_waitUntil') })),
  };
}

type TimedWait = Extract<EventOf<'token.waiting'>, { for: 'timer' }>;

function restoreWait(
  { until, label: told }: TimedWait,
  { at, isRelative }: { readonly at: number; readonly isRelative: boolean },
): JsonObject {
  const label = told === undefined ? {} : { label: told };
  if (isRelative) return { _wait: { seconds: (until - at) / 1000, ...label } };
  return { _waitUntil: { timestamp: new Date(until).toISOString(), ...label } };
}

/** The handle that a result named; journals of earlier versions tell it only by the ways that were taken. */
function findHandle({ graph, commit: { events } }: Opening, token: Token): string | null {
  for (const event of events) {
    if (isAnswer(event, token) && event.handle !== undefined) return event.handle;
    if (event.type === 'handle.unmatched' && event.token === token.id) return event.handle;
    if (event.type === 'token.waiting' && event.for === 'timer' && event.token === token.id)
      return (event.result as JsonObject)['branch'] as string; // made by `readControls`
  }
  const taken = new Set(events.flatMap((event) => listVias(event, token)));
  const ways = graph.nodes.get(token.node)?.onSuccess.flatMap(({ transitions }) => transitions) ?? [];
  const way = ways.find(({ id }) => taken.has(id));
  const named = /^result\.branch == (".*")$/.exec(way?.condition?.source ?? '')?.[1];
  return named === undefined ? null : (JSON.parse(named) as string); // a text in quotes
}

function listVias(event: Event, { id }: Token): string[] {
  if (event.type === 'token.created') return event.from === id && event.via !== undefined ? [event.via] : [];
  if (event.type === 'fan_out.started') return event.token === id ? event.spawns.map(({ via }) => via) : [];
  return [];
}

/** RD2: what a failed attempt asked for is what explains when, and whether, the next one was planned. */
export function outcomeOfFailure({ graph, state, commit: { at } }: Opening, token: Token, failed: Failed): TaskOutcome {
  const { error: failure } = failed;
  const policy = graph.nodes.get(token.node)?.retry ?? null;
  const asked = { failure, retryable: true, retryAfterMs: null };
  const plannedMs = delayOfNext(state.run?.runId ?? '', token, policy, asked);
  if (failed.type === 'task.failed')
    return { type: 'failed', failure, retryable: plannedMs === null, retryAfterMs: null, retry: null };
  const delayMs = failed.retryAt - at;
  return {
    type: 'failed',
    failure,
    retryable: true,
    retryAfterMs: plannedMs === delayMs ? null : delayMs,
    retry: policy ? null : onceMore(token.attempt, delayMs),
  };
}

/** The action's own policy is not recorded: it allowed this attempt. */
const onceMore = (attempt: number, delayMs: number): RetryPolicy => ({
  maxAttempts: attempt + 1,
  backoff: 'none',
  initialDelayMs: delayMs,
  maxDelayMs: delayMs,
  jitter: 0,
  retryableErrors: null,
});
