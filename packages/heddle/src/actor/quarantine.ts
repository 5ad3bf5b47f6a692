// Quarantine: a run that cannot be loaded or planned is set aside with its reason, in a commit of its own.

import type { Alarm } from './alarm.ts';
import type { Observers } from './observers.ts';
import type { RunRow, Store } from './ports.ts';
import { sideCommit } from './side-writer.ts';
import { isDamage } from './store-error.ts';

/** What it takes to set a run aside. */
export interface QuarantineContext {
  readonly store: Store;
  readonly observers: Observers;
  readonly alarm: Alarm;
  readonly readOnly: boolean;
}

export async function setRunAside(
  { store, observers, alarm, readOnly }: QuarantineContext,
  runId: string,
  error: Error,
): Promise<void> {
  observers.broken(error, { runId });
  const row = readOnly ? null : await readBelievable(store, runId);
  if (!row || row.quarantine !== null) return;
  const aside: RunRow = { ...row, quarantine: error.message, nextTimerAt: null, hasWork: false };
  await store.commit({ ...sideCommit({}), runs: [{ row: aside, isNew: false }] });
  alarm.move(row.nextTimerAt, null);
  observers.tellRow(aside);
}

/** DM3: a row that was damaged stays as it is: written again, it would look as if all in it were true. */
async function readBelievable(store: Store, runId: string): Promise<RunRow | null> {
  try {
    return await store.readRun(runId);
  } catch (error) {
    if (isDamage(error)) return null;
    throw error;
  }
}
