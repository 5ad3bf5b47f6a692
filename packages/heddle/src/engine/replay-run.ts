// ReplayRun: every commit of a run is decided again, and what is not as it was recorded is listed: with another
// definition, where it would have decided otherwise. A page at a time, so that nobody else waits for long.

import { readVerified } from '../actor/journal.ts';
import type { JournalRow } from '../actor/ports.ts';
import { stepsToRead } from '../actor/turn-budget.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { apply, emptyState } from '../core/apply/apply.ts';
import { type Opening, restoreCommand } from '../core/replay/facts.ts';
import { type WhatIf as CommitWhatIf, replayCommit } from '../core/replay/replay-commit.ts';
import type { RunState } from '../core/state.ts';
import type { ReplayDifference, ReplayOptions, ReplayPage } from '../operations/run-views.ts';
import { draftOf, graphOf, openingOf } from './explain-run.ts';
import { differenceAt } from './explanation.ts';
import type { Host } from './host.ts';
import { placeOf } from './read-events.ts';

/** About a tenth of a second. */
const stepsPerPage = 2_500_000;
const differencesPerPage = 100;
const rowsPerRead = 100;

export async function replayRun(host: Host, runId: string, options: ReplayOptions): Promise<ReplayPage> {
  const graph = await graphOf(host, runId);
  const draft = draftOf(host, graph, options.definition);
  const after = options.after === undefined ? 0 : placeOf(options.after).row;
  const state = emptyState();
  const differences: ReplayDifference[] = [];
  let commits = 0;
  let steps = 0;
  for await (const row of rowsOf(host, runId)) {
    const opening = openingOf(graph, state, row);
    if (row.seq > after) {
      // RD10: a page ends after so much work, and says where the next one goes on.
      if (steps >= stepsPerPage || differences.length >= differencesPerPage)
        return { runId, commits, differences, next: `${row.seq - 1}.0` };
      const difference = differenceIn(opening, draft);
      if (difference) differences.push(difference);
      commits++;
      steps += stepsToRead(state.tokens.size) + row.events.length;
    }
    fold(state, opening);
  }
  return { runId, commits, differences, next: null };
}

async function* rowsOf({ store }: Host, runId: string): AsyncIterable<JournalRow> {
  for (let fromSeq = 1; ; ) {
    const rows = await readVerified(store, runId, { fromSeq, limit: rowsPerRead });
    yield* rows;
    if (rows.length < rowsPerRead) return;
    fromSeq += rows.length;
  }
}

function differenceIn(opening: Opening, draft: CommitWhatIf): ReplayDifference | null {
  const { seq, at, events } = opening.commit;
  try {
    const { command, difference } = replayCommit(opening, draft);
    return difference && { ...differenceAt(seq, difference), at, command: command.type };
  } catch (error) {
    if (!(error instanceof HeddleError)) throw error;
    const { code, message } = error;
    const nothing = { pointer: '', recorded: events[0] ?? null, replayed: null };
    return { eventId: `${seq}.0`, at, command: restoreCommand(opening).type, ...nothing, error: { code, message } };
  }
}

function fold(state: RunState, { commit: { at, events } }: Opening): void {
  state.at = at;
  for (const event of events) apply(state, event);
}
