// StateAt: how a run stood just after one of its events, folded from the journal, a page at a time, from the
// newest snapshot before it. Rule VW12.

import { readVerified, stateBefore } from '../actor/journal.ts';
import type { JournalRow } from '../actor/ports.ts';
import { inSlices } from '../actor/slices.ts';
import { copyJson } from '../base/copy-json.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { apply } from '../core/apply/apply.ts';
import { readEvents as parseEvents } from '../core/read-events.ts';
import type { RunState } from '../core/state.ts';
import { groupInfo } from '../core/views/groups.ts';
import { statusOf } from '../core/views/status.ts';
import { checkText } from '../operations/check-request.ts';
import type { StateAt } from '../operations/run-views.ts';
import type { Host } from './host.ts';
import { runNotFound } from './must-read.ts';
import { placeOf } from './read-events.ts';

const rowsPerPage = 500;

export async function readStateAt(host: Host, runId: string, eventId: string): Promise<StateAt> {
  const { state, row, index } = await readBefore(host, runId, eventId);
  fold(state, row, index);
  return { ...viewOf(state, runId), eventId };
}

export interface ReadBefore {
  /** As of just before the row. */
  readonly state: RunState;
  /** That of the event, and the place of the event in it. */
  readonly row: JournalRow;
  readonly index: number;
}

/** The row of an event, and how the run stood before it. */
export async function readBefore(host: Host, runId: string, eventId: string): Promise<ReadBefore> {
  checkText('the id of an event', eventId);
  const place = placeOf(eventId);
  const stored = await host.store.loadRun(runId);
  if (!stored) throw runNotFound(runId);
  const { state, seq: stateSeq } = await inSlices(stateBefore(host.store, stored, place.row), host.clock);
  for (let fromSeq = stateSeq + 1; ; fromSeq += rowsPerPage) {
    const rows = await readVerified(host.store, runId, { fromSeq, limit: rowsPerPage });
    const row = rows.find(({ seq }) => seq === place.row);
    for (const each of rows) if (each.seq < place.row) fold(state, each, Number.POSITIVE_INFINITY);
    if (row && place.index < parseEvents(row.events).length) return { state, row, index: place.index };
    if (row || rows.length < rowsPerPage) throw noSuchEvent(runId, eventId);
  }
}

/** Up to an event. */
function fold(state: RunState, row: JournalRow, untilIndex: number): void {
  state.at = row.at;
  for (const event of parseEvents(row.events).slice(0, untilIndex + 1)) apply(state, event);
}

// VW12: what is shown is what the journal up to the event adds up to, and nothing of what came later.
export function viewOf(state: RunState, runId: string): Omit<StateAt, 'eventId'> {
  return {
    runId,
    at: state.at,
    status: statusOf(state),
    input: copyJson(state.run?.input ?? null),
    state: copyJson(state.root.context?.state ?? {}),
    output: copyJson(state.root.context?.output ?? {}),
    tokens: [...state.tokens.values()].map(({ id, node, status, attempt, dueAt, childRunId }) => ({
      id,
      node,
      status,
      attempt,
      dueAt,
      childRunId,
    })),
    groups: [...state.groups.values()].map(groupInfo),
  };
}

export function noSuchEvent(runId: string, eventId: string): HeddleError {
  return new HeddleError('EVENT_NOT_FOUND', `Expected an event ${eventId} of run ${runId}, but there is none`);
}
