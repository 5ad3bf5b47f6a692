// Release from quarantine: a run that was set aside is read again and goes on, if it can. Rule RS4.
//
// Always true: while a run is in quarantine nobody else writes its row; it is written here only if its journal gives a
// state, so that what is damaged stays as it was found.

import { loading } from '../actor/journal.ts';
import type { RunRow } from '../actor/ports.ts';
import { sideCommit } from '../actor/side-writer.ts';
import { inSlices } from '../actor/slices.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Reply } from '../core/commands.ts';
import type { Message } from '../core/effects.ts';
import { nextTimerAt } from '../core/planning/timers.ts';
import { isToWake } from '../core/run-class.ts';
import type { RunState } from '../core/state.ts';
import { isTerminal } from '../core/views/status.ts';
import type { Host } from './host.ts';
import { runNotFound } from './must-read.ts';

const messagesPerPage = 1_000;

export function releaseRun(host: Host, runId: string): Promise<Reply> {
  return host.turns.take(`release/${runId}`, () => release(host, runId));
}

async function release(host: Host, runId: string): Promise<Reply> {
  const { store, inbox, clock } = host;
  const stored = await store.loadRun(runId);
  if (!stored) throw runNotFound(runId);
  if (stored.row.quarantine === null) return { applied: false, reason: 'run is not in quarantine' };
  try {
    await write(host, released(stored.row, await inSlices(loading(store, stored), clock)));
  } catch (error) {
    // RS4: what fails again is set aside again, with the reason of now.
    await write(host, { ...stored.row, quarantine: error instanceof Error ? error.message : String(error) });
    throw stillAside(runId, error);
  }
  await deliverWaiting(host, runId);
  await inbox.wake(runId).catch((error: unknown) => {
    throw stillAside(runId, error);
  });
  return { applied: true };
}

/** As its state has it: what was set aside has no alarm and no work. */
function released(row: RunRow, state: RunState): RunRow {
  const ended = isTerminal(row.status);
  return { ...row, quarantine: null, nextTimerAt: nextTimerAt(state), hasWork: !ended && isToWake(state) };
}

async function write({ store, runner, observers }: Host, row: RunRow): Promise<void> {
  await store.commit({ ...sideCommit({}), runs: [{ row, isNew: false }] });
  runner.alarm.expect(row.nextTimerAt);
  observers.tellRow(row);
}

/** What others sent it meanwhile was refused, and lies in the outbox still. */
async function deliverWaiting({ store, inbox }: Host, runId: string): Promise<void> {
  for (let after: string | null = null; ; ) {
    const rows = await store.readOutbox(after, messagesPerPage);
    for (const { id, to, message } of rows)
      if (to === runId && message !== '') inbox.deliver(to, JSON.parse(message) as Message, id); // a run wrote it
    after = rows.at(-1)?.id ?? null;
    if (after === null) return;
  }
}

function stillAside(runId: string, cause: unknown): HeddleError {
  const why = cause instanceof Error ? cause.message : String(cause);
  const message = `Expected run ${runId} to go on, but it cannot, and stays in quarantine: ${why}`;
  return new HeddleError('RUN_QUARANTINED', message, { cause });
}
