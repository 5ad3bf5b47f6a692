// Public view: what a journal adds up to, in words that are to last: status, input, state, output, error, the next timer
// and every token that ever was. Its hash is what recordings are held to.
//
// Always true: fields are named one by one, so that a later engine that shows more still gives the same hash.

import { replay } from '../../packages/heddle/src/actor/journal.ts';
import type { JournalRow } from '../../packages/heddle/src/actor/ports.ts';
import { sha256Hex } from '../../packages/heddle/src/base/hash.ts';
import type { Json } from '../../packages/heddle/src/base/json.ts';
import { stableStringify } from '../../packages/heddle/src/base/stable-json.ts';
import { emptyState } from '../../packages/heddle/src/core/apply/apply.ts';
import type { Event } from '../../packages/heddle/src/core/events.ts';
import { nextTimerAt } from '../../packages/heddle/src/core/planning/timers.ts';
import { statusOf } from '../../packages/heddle/src/core/views/status.ts';
import { type TimedEvent, type TokenView, tokensOf } from '../../packages/heddle/src/core/views/tokens.ts';

export function publicViewOf(rows: readonly JournalRow[]): Json {
  const state = emptyState();
  replay(state, rows);
  return {
    status: statusOf(state),
    input: state.run?.input ?? null,
    state: state.root.context?.state ?? {},
    output: state.root.context?.output ?? {},
    result: state.output ?? null,
    error: state.error?.code ?? null,
    nextTimerAt: nextTimerAt(state),
    tokens: tokensOf(eventsIn(rows)).map(publicTokenOf),
  };
}

export const hashOfView = (view: Json): string => sha256Hex(stableStringify(view));

function publicTokenOf({ id, node, status, from, via, pathId, attempt, input = null, output = null }: TokenView): Json {
  return { id, node, status, from, via, pathId, attempt, input, output };
}

export function* eventsIn(rows: readonly JournalRow[]): Iterable<TimedEvent> {
  for (const { at, events } of rows) for (const event of JSON.parse(events) as Event[]) yield { at, event };
}
