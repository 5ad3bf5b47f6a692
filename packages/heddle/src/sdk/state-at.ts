// StateAt: how a run stood just after one of its events, folded from the journal, a page at a time, from the
// newest snapshot before it. Rule VW12.

import { readVerified, stateBefore } from '../actor/journal.ts';
import type { JournalRow } from '../actor/ports.ts';
import { copyJson } from '../base/copy-json.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { apply } from '../core/apply/apply.ts';
import type { Event } from '../core/events.ts';
import type { RunState } from '../core/state.ts';
import { statusOf } from '../core/views/status.ts';
import { refuseTexts } from './check-options.ts';
import { type GroupInfo, groupInfo } from './group-info.ts';
import type { Host } from './host.ts';
import { runNotFound } from './must-read.ts';
import { placeOf } from './read-events.ts';
import type { RunStateView } from './run.ts';

export interface StateAt extends RunStateView {
  readonly eventId: string;
  readonly at: number;
  /** Those that lived then, in the order of their creation. */
  readonly tokens: readonly LiveToken[];
  readonly groups: readonly GroupInfo[];
}

export interface LiveToken {
  readonly id: number;
  readonly node: string;
  readonly status: string;
  readonly attempt: number;
  /** When it goes on by itself. */
  readonly dueAt: number | null;
  readonly childRunId: string | null;
}

const rowsPerPage = 500;

export async function readStateAt(host: Host, runId: string, eventId: string): Promise<StateAt> {
  refuseTexts([['the id of an event', eventId]]);
  const place = placeOf(eventId);
  const stored = await host.store.loadRun(runId);
  if (!stored) throw runNotFound(runId);
  const { state, seq: stateSeq } = stateBefore(host.store, stored, place.row);
  for (let fromSeq = stateSeq + 1; ; fromSeq += rowsPerPage) {
    const rows = await readVerified(host.store, runId, { fromSeq, limit: rowsPerPage });
    const last = rows.find(({ seq }) => seq === place.row);
    for (const row of rows) if (row.seq < place.row) fold(state, row, Number.POSITIVE_INFINITY);
    if (last && fold(state, last, place.index)) return viewOf(state, runId, eventId);
    if (last || rows.length < rowsPerPage) throw noSuchEvent(runId, eventId);
  }
}

/** Up to an event; whether the row has it. */
function fold(state: RunState, row: JournalRow, untilIndex: number): boolean {
  const events = JSON.parse(row.events) as Event[];
  state.at = row.at;
  for (const event of events.slice(0, untilIndex + 1)) apply(state, event);
  return untilIndex < events.length;
}

// VW12: what is shown is what the journal up to the event adds up to, and nothing of what came later.
function viewOf(state: RunState, runId: string, eventId: string): StateAt {
  return {
    runId,
    eventId,
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

function noSuchEvent(runId: string, eventId: string): HeddleError {
  return new HeddleError('EVENT_NOT_FOUND', `Expected an event ${eventId} of run ${runId}, but there is none`);
}
