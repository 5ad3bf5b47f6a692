// Parts: what several operations take or answer with.

import type { Fired, Skipped } from '../actor/publication.ts';
import type { RunTraceEvent } from '../actor/trace-log.ts';
import type { Failure, Thrown } from '../base/failure.ts';
import type { ObjectReference } from '../base/object-reference.ts';
import type { Problem } from '../base/problem.ts';
import type { Reply } from '../core/commands.ts';
import type { RunEvent } from '../core/run-event.ts';
import { runStatuses } from '../core/views/status.ts';
import {
  anyObject,
  anyText,
  choice,
  count,
  flag,
  json,
  list,
  map,
  object,
  optional,
  orNull,
  type Schema,
  text,
  view,
  whole,
  withCode,
} from './schema.ts';

export const status = choice(runStatuses);
export const tags = map(text('A mark.'), 'Marks to find runs by.');

export const thrown = view<Thrown>(
  'Thrown',
  'An error as it was thrown: name, message, code, stack, and its own cause and errors.',
);

export const failure = object<Failure>(
  {
    code: anyText('What programs match on.'),
    message: anyText('What people read.'),
    nodeId: optional(anyText()),
    attempts: optional(count()),
    limit: optional(anyText('The limit that was exceeded, by its name.')),
    details: optional(json()),
    runs: optional(list(anyText(), 'The sub-runs that it came through, the outermost first.')),
    thrown: optional(thrown),
  },
  'Failure',
);

export const problem = object<Problem>(
  {
    severity: choice(['error', 'warning']),
    code: anyText(),
    pointer: anyText('JSON pointer into what was handed in; empty for the whole.'),
    message: anyText(),
    hint: optional(anyText('What to do about it.')),
  },
  'Problem',
);

export const reply = object<Reply>(
  {
    applied: flag('False: it changed nothing, and `reason` says why.'),
    reason: optional(anyText()),
    refusal: optional(failure),
  },
  'Reply',
);

export const reference = object<ObjectReference>(
  { id: text('The SHA-256 of the bytes.', { pattern: /^[0-9a-f]{64}$/ }), mimeType: anyText() },
  'ObjectReference',
);

export const event = view<RunEvent>('Event', 'One fact of the journal; what else it has depends on its type.', {
  type: anyText(),
  runId: anyText(),
  id: anyText('Row and place in the journal of its run, as `row.index`.'),
  seq: count(),
  at: count(),
});

export const traceEvent = view<RunTraceEvent>(
  'TraceEvent',
  'How a decision came about. `trace.dropped` is the last of a trace that reached `traceBytesMax`: `data.events` were dropped.',
  {
    type: anyText(),
    data: anyObject(),
    cut: optional(
      map(count(), 'Members of `data` of which only the beginning was kept, and how many characters they had as JSON.'),
    ),
    runId: anyText(),
    id: anyText('The row of the journal that it explains, and its place there, as `row.index`.'),
    seq: count(),
    at: count(),
  },
);

export const eventName = withCode('EVENT_INVALID', text('Its name.'));

export const firedRun = object<Fired>({ trigger: anyText(), workflow: anyText(), runId: anyText() });
export const skippedTrigger = object<Skipped>({
  trigger: anyText(),
  workflow: anyText(),
  code: anyText(),
  reason: anyText(),
});

/** An operation on one run. */
export interface OneRun {
  readonly runId: string;
}
export const runId = text('The run.');
export const oneRun = object<OneRun>({ runId });

/** An operation that takes nothing. */
export type NoRequest = Readonly<Record<string, never>>;
export const noRequest = object<NoRequest>({});

/** What every list takes. */
export interface Paging {
  /** The `next` of the page before. */
  readonly after?: string;
  /** At most so many. */
  readonly limit?: number;
}

/** The most that one request may ask for, of most lists. */
export const itemsPerRequestMax = 1_000;

export const paging = {
  after: optional(text('The `next` of the page before.')),
  limit: optional(whole('At most so many.', { max: itemsPerRequestMax })),
};

/** What every list answers with. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** For `after`; null if there is no more. */
  readonly next: string | null;
}

export const page = <Item>(item: Schema<Item>): Schema<Page<Item>> =>
  object<Page<unknown>>({
    items: list(item as Schema<unknown>), // the compiler compares members with types that it knows
    next: orNull(anyText('For `after`, if there is more.')),
  }) as Schema<Page<Item>>; // of the same items

/** What every removal answers with. */
export interface Removed {
  /** False: there was none. */
  readonly removed: boolean;
}

export const removed = object<Removed>({ removed: flag('False: there was none.') });
