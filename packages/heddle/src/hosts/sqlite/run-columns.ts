// RunColumns: how a run's row lies in the table, and how it comes back.

import type { RunRow } from '../../actor/ports.ts';

/** What `runColumns` selects: a RunRow but for what SQLite has no type for. */
export interface StoredRunColumns extends Omit<RunRow, 'hasWork' | 'tags' | 'quarantine'> {
  readonly hasWork: number;
  readonly tags: string;
  readonly quarantine: string | null;
}

export const runColumns = `
  runs.run_id AS runId, runs.workflow, runs.version, runs.status, runs.seq, runs.head,
  runs.next_timer_at AS nextTimerAt, runs.has_work AS hasWork, runs.created_at AS createdAt,
  runs.updated_at AS updatedAt, runs.ended_at AS endedAt, runs.parent_run_id AS parentRunId,
  runs.root_run_id AS rootRunId, runs.tags, runs.result, runs.quarantine`;

export function toRunRow(columns: StoredRunColumns): RunRow {
  return {
    ...columns,
    hasWork: columns.hasWork === 1,
    tags: JSON.parse(columns.tags) as RunRow['tags'], // `write-runs.ts` made it from one.
    quarantine: columns.quarantine === null ? null : fromStoredText(columns.quarantine),
  };
}

/** Free text as a JSON string: plain characters only, whatever it holds. */
export function toStoredText(text: string): string {
  return JSON.stringify(text);
}

function fromStoredText(stored: string): string {
  return JSON.parse(stored) as string; // `toStoredText` made it.
}
