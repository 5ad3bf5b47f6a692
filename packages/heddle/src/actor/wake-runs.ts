// Wake runs: what a new engine does with the runs in its store that have work. Rules RV4 and RV5.
//
// Always true: while runs are being woken a record names them, with how often that was tried; it goes away when they have
// been. A record that a new engine finds is therefore of a run with which a process has ended.

import { InvariantError } from '../base/assert.ts';
import { given } from '../base/given.ts';
import type { RecordRow } from './ports.ts';
import { type QuarantineContext, setRunAside } from './quarantine.ts';
import { valueOf } from './record-value.ts';
import { ask, type Recovery, runsWithWork } from './recover.ts';
import { sideCommit } from './side-writer.ts';

/** What waking needs: to tell the runs, and to set one aside. */
type WakeContext = Recovery & QuarantineContext;

interface Waking {
  readonly runId: string;
  readonly tries: number;
}

const kind = 'waking';
const recordsPerPage = 1_000;
const triesMax = 10;

export function wakeRuns(runner: WakeContext): void {
  wakePages(runner).catch((error: unknown) => runner.observers.broken(error));
}

/** Page by page, so that the first tasks leave while the last runs are still to be loaded. */
async function wakePages(runner: WakeContext): Promise<void> {
  const suspects = await findSuspects(runner);
  const isSuspect = new Set(suspects.map(({ runId }) => runId));
  for (let after: string | null = null; !runner.inbox.isClosed; ) {
    const runIds = await runsWithWork(runner, after);
    after = runIds.at(-1) ?? null;
    if (after === null) break;
    const others = runIds.filter((runId) => !isSuspect.has(runId));
    await wakeNoted(
      runner,
      others.map((runId) => ({ runId, tries: 1 })),
    );
  }
  // RV4: runs with which a process has ended are woken last, and one by one.
  for (const { runId, tries } of suspects) {
    if (runner.inbox.isClosed) return;
    if (tries < triesMax) await wakeNoted(runner, [{ runId, tries: tries + 1 }]);
    else await giveUp(runner, runId);
  }
}

async function findSuspects(runner: Recovery): Promise<readonly Waking[]> {
  const found: RecordRow[] = [];
  for (;;) {
    const last = found.at(-1);
    const query = { limit: recordsPerPage, ...given({ after: last?.key }) };
    const rows = await ask(runner, () => runner.store.listRecords(kind, query));
    for (const row of rows) found.push(row);
    if (rows.length === 0) return found.map((row) => ({ runId: row.key, tries: countTries(row) }));
  }
}

/** A record that cannot be read says nothing of its run. */
function countTries(row: RecordRow): number {
  try {
    return (valueOf(row) as { tries: number }).tries; // as `note` wrote it
  } catch {
    return 0;
  }
}

async function wakeNoted(runner: Recovery, wakings: readonly Waking[]): Promise<void> {
  if (wakings.length === 0) return;
  await note(runner, wakings);
  await Promise.allSettled(wakings.map(({ runId }) => runner.inbox.wake(runId)));
  await note(
    runner,
    wakings.map(({ runId }) => ({ runId, tries: 0 })),
  );
}

/** Without tries the record goes away. A store that cannot write now keeps nobody from being woken. */
async function note({ store, observers, inbox }: Recovery, wakings: readonly Waking[]): Promise<void> {
  const records = wakings.map(({ runId, tries }) => {
    const value = tries === 0 ? null : JSON.stringify({ tries });
    return { kind, key: runId, value, dueAt: null };
  });
  try {
    if (!inbox.isClosed) await store.commit(sideCommit({ records }));
  } catch (error) {
    observers.broken(error);
  }
}

/** RV5: a run whose waking has ended its process again and again is set aside, so that the others run. */
async function giveUp(runner: WakeContext, runId: string): Promise<void> {
  const message = `Expected run ${runId} to be woken, but its process has ended ${triesMax} times meanwhile`;
  try {
    await setRunAside(runner, runId, new InvariantError(message));
    await note(runner, [{ runId, tries: 0 }]);
  } catch (error) {
    runner.observers.broken(error, { runId });
  }
}
