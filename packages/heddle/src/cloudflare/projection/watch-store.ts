// Watch store: a store that tells the projection what is committed, and keeps a mark of what no journal row tells: a run that was
// deleted, set aside or released.
//
// Always true: a mark is a part of the commit that makes it necessary, and goes when the projection has what it stands for.

import type { Commit, RecordWrite, Store } from '../../actor/ports.ts';
import { sideCommit } from '../../actor/side-writer.ts';

/** Records `RUN_ID/ANY`. */
const kind = 'unprojected';
const marksPerPage = 100;

export interface Watching {
  /** Before a commit: it leaves something to be projected. */
  readonly expect: () => void;
  /** After it. */
  readonly note: (runIds: readonly string[], hasMarks: boolean) => void;
}

export function watchStore(store: Store, { expect, note }: Watching): Store {
  return {
    ...store,
    commit(commit, stamp) {
      if (commit.runs.length === 0) return store.commit(commit, stamp);
      expect();
      const marks = marksOf(untold(commit));
      const done = store.commit(marks.length === 0 ? commit : withMarks(commit, marks), stamp);
      note(
        commit.runs.map(({ row }) => row.runId),
        marks.length > 0,
      );
      return done;
    },
    deleteRuns(deletion, stamp) {
      expect();
      const done = store.deleteRuns(withMarks(deletion, marksOf(deletion.runIds)), stamp);
      note([], true);
      return done;
    },
  };
}

/** Runs of which a commit has no journal row. */
function untold({ runs, journal }: Commit): readonly string[] {
  const told = new Set(journal.map(({ runId }) => runId));
  return runs.flatMap(({ row }) => (told.has(row.runId) ? [] : [row.runId]));
}

/** What the feed will not tell leaves a mark in its own transaction. */
function marksOf(runIds: readonly string[]): readonly RecordWrite[] {
  return runIds.map((runId) => ({ kind, key: `${runId}/${crypto.randomUUID()}`, value: '{}', dueAt: null }));
}

function withMarks<Write extends { readonly records: readonly RecordWrite[] }>(
  write: Write,
  marks: readonly RecordWrite[],
): Write {
  return { ...write, records: [...write.records, ...marks] };
}

export interface Marks {
  readonly runIds: readonly string[];
  readonly keys: readonly string[];
}

export async function readMarks(store: Store): Promise<Marks> {
  const rows = await store.listRecords(kind, { limit: marksPerPage });
  const keys = rows.map(({ key }) => key);
  return { runIds: keys.map((key) => key.slice(0, key.lastIndexOf('/'))), keys };
}

export async function removeMarks(store: Store, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await store.commit(sideCommit({ records: keys.map((key) => ({ kind, key, value: null, dueAt: null })) }));
}
