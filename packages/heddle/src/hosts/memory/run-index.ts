// RunIndex: the rows of all runs, and the orders in which they are asked for: by alarm, by work, by age.
//
// Always true: every row stands in exactly the indexes that its columns say.

import {
  type RunCountQuery,
  type RunCounts,
  type RunOutline,
  type RunOutlineQuery,
  type RunPage,
  type RunPageQuery,
  type RunRow,
  resultsPerPageMax,
} from '../../actor/ports.ts';
import { fitsQuery } from '../../actor/run-filter.ts';
import { type Entry, OrderedIndex } from './ordered-index.ts';

/** Runs that are looked at for one page. */
const examinedMax = 20_000;

export class RunIndex {
  readonly #rows = new Map<string, RunRow>();
  readonly #byAlarm = new OrderedIndex();
  readonly #withWork = new OrderedIndex();
  readonly #byAge = new OrderedIndex();

  get(runId: string): RunRow | null {
    return this.#rows.get(runId) ?? null;
  }

  set(row: RunRow): void {
    const before = this.get(row.runId);
    this.#rows.set(row.runId, row);
    if (before === null) this.#byAge.add(ageOf(row));
    this.#moveAlarm(before, row);
    if (before?.hasWork === row.hasWork) return;
    if (row.hasWork) this.#withWork.add({ rank: 0, id: row.runId });
    else this.#withWork.remove({ rank: 0, id: row.runId });
  }

  dueRuns(at: number, limit: number): readonly string[] {
    const due: string[] = [];
    for (const { rank, id } of this.#byAlarm.ascending(null)) {
      if (rank > at || due.length >= limit) break;
      due.push(id);
    }
    return due;
  }

  nextAlarmAt(): number | null {
    return this.#byAlarm.first()?.rank ?? null;
  }

  runsWithWork(after: string | null, limit: number): readonly string[] {
    const entries = this.#withWork.ascending(after === null ? null : { rank: 0, id: after });
    return takeFrom(entries, limit, ({ id }) => id);
  }

  page(query: RunPageQuery): RunPage {
    const rows: RunRow[] = [];
    let examined = 0;
    let characters = 0;
    let last: RunRow | null = null;
    const { after } = query;
    for (const { id } of this.#byAge.descending(after ? { rank: after.createdAt, id: after.runId } : null)) {
      const isFull = rows.length >= query.limit || characters >= resultsPerPageMax;
      if (last && (isFull || examined >= examinedMax))
        return { rows, next: { createdAt: last.createdAt, runId: last.runId } };
      const row = this.#rows.get(id) as RunRow; // every entry is a row's
      examined += 1;
      last = row;
      if (!fitsQuery({ ...row, isQuarantined: row.quarantine !== null }, query)) continue;
      rows.push(row);
      characters += row.result?.length ?? 0;
    }
    return { rows, next: null };
  }

  outline({ limit, after, workflow }: RunOutlineQuery): readonly RunOutline[] {
    const older = this.#byAge.descending(after ? { rank: after.createdAt, id: after.runId } : null);
    return takeFrom(older, limit, ({ id }) => {
      const row = this.#rows.get(id) as RunRow; // every entry is a row's
      if (row.parentRunId !== null || (workflow !== undefined && row.workflow !== workflow)) return null;
      const { runId, status, createdAt, endedAt } = row;
      return { runId, workflow: row.workflow, status, createdAt, endedAt };
    });
  }

  count({ workflow, statuses, upTo, isRoot }: RunCountQuery): RunCounts {
    const byStatus: Record<string, number> = Object.fromEntries(statuses.map((status) => [status, 0]));
    let quarantined = 0;
    for (const row of this.#rows.values()) {
      if (workflow !== undefined && row.workflow !== workflow) continue;
      if (isRoot && row.parentRunId !== null) continue;
      const found = byStatus[row.status];
      if (found !== undefined) byStatus[row.status] = Math.min(upTo, found + 1);
      if (row.quarantine !== null) quarantined = Math.min(upTo, quarantined + 1);
    }
    return { byStatus, quarantined };
  }

  remove(runId: string): void {
    const row = this.get(runId);
    if (row === null) return;
    this.#moveAlarm(row, { ...row, nextTimerAt: null });
    this.#withWork.remove({ rank: 0, id: runId });
    this.#byAge.remove(ageOf(row));
    this.#rows.delete(runId);
  }

  #moveAlarm(before: RunRow | null, row: RunRow): void {
    const alarmBefore = before?.nextTimerAt ?? null;
    if (alarmBefore === row.nextTimerAt) return;
    if (alarmBefore !== null) this.#byAlarm.remove({ rank: alarmBefore, id: row.runId });
    if (row.nextTimerAt !== null) this.#byAlarm.add({ rank: row.nextTimerAt, id: row.runId });
  }
}

/** The first `limit` of what `pick` makes of the entries, without its nulls. */
export function takeFrom<T>(entries: Iterable<Entry>, limit: number, pick: (entry: Entry) => T | null): readonly T[] {
  const taken: T[] = [];
  for (const entry of entries) {
    if (taken.length >= limit) break;
    const picked = pick(entry);
    if (picked !== null) taken.push(picked);
  }
  return taken;
}

function ageOf({ createdAt, runId }: RunRow): Entry {
  return { rank: createdAt, id: runId };
}
