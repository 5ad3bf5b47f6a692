// Run store: each run's row, journal and snapshot; the messages and idempotency keys that runs leave; what an engine that
// starts finds undone; and the deletion of runs.
//
// A host's author must know: `commit` is the one way in, all of it or nothing, and durable when it returns. It refuses
// with a `StoreError` of code STORE_CONFLICT a new run that is stored, an old one that is not, a journal row that is not
// newer than the newest, a message or a key that is stored. Rows, events and results are texts that a store never reads.
// A store that writes beside the program answers with a promise: the next commit is then planned meanwhile, and sent after
// the answer. Commits of others (records) may be asked for before that; all take effect in the order of asking. Where a store
// has a fence (`fence.ts`) all that writes has a stamp.

import type { Awaitable } from './awaitable.ts';
import type { Stamp } from './fence.ts';
import type { RecordWrite } from './record-store.ts';

export interface RunStore {
  commit(commit: Commit, stamp?: Stamp): Awaitable<void>;
  /** The run's row, its newest snapshot and the journal rows after that; null if there is no such run. */
  loadRun(runId: string): Awaitable<StoredRun | null>;
  /**
   * For a store that is asked over a network: what `loadRun` has of many runs, in one request and in their order. Of a run that has
   * ended, or is in quarantine, its row is enough.
   */
  loadRuns?(runIds: readonly string[]): Promise<readonly (StoredRun | RunRow | null)[]>;
  readRun(runId: string): Awaitable<RunRow | null>;
  /** In order, from `fromSeq` on. */
  readJournal(runId: string, fromSeq: number, limit: number): Awaitable<readonly JournalRow[]>;
  /** Replaces the run's older snapshots. */
  saveSnapshot(snapshot: Snapshot, stamp?: Stamp): Awaitable<void>;
  findKey(scope: string, key: string): Awaitable<KeyRow | null>;
}

/** What an engine that starts, or whose alarm rings, finds to do. */
export interface Undone {
  /** Runs whose `nextTimerAt` is not after `at`, earliest first. */
  dueRuns(at: number, limit: number): Awaitable<readonly string[]>;
  /** The earliest `nextTimerAt` of all runs. */
  nextAlarmAt(): Awaitable<number | null>;
  /** Runs with `hasWork`, ascending by id, after `after`. */
  runsWithWork(after: string | null, limit: number): Awaitable<readonly string[]>;
  /**
   * Messages that were committed and not yet received, ascending by id, after `after`. Ids begin with the time, so that
   * those of one sender are in the order they were committed.
   */
  readOutbox(after: string | null, limit: number): Awaitable<readonly OutboxRow[]>;
}

/** In small steps: first the rows, so that nobody finds half a run, then what they left. */
export interface RunDeletion {
  /** Removes the rows and tags of runs, all or none; their journals stay for `deleteRemains`. */
  deleteRuns(deletion: Deletion, stamp?: Stamp): Awaitable<void>;
  /** Removes what a run without a row left behind, at most `limit` journal rows of it; whether nothing is left. */
  deleteRemains(runId: string, limit: number, stamp?: Stamp): Awaitable<boolean>;
  /** Forgets the idempotency keys that started a run. */
  deleteKeys(runId: string, stamp?: Stamp): Awaitable<void>;
}

export interface Commit {
  readonly runs: readonly RunWrite[];
  readonly journal: readonly JournalWrite[];
  readonly outboxAdded: readonly OutboxRow[];
  /** Ids of messages whose effect is in this commit. */
  readonly outboxDone: readonly string[];
  readonly keys: readonly KeyRow[];
  /** Written over what is there; in order. */
  readonly records: readonly RecordWrite[];
}

export interface RunWrite {
  readonly row: RunRow;
  /** True if the run is not stored yet. */
  readonly isNew: boolean;
  /** As it is stored, if the writer knows: what is the same need not be written again. */
  readonly before?: RunRow;
}

export interface RunRow {
  readonly runId: string;
  readonly workflow: string;
  readonly version: number;
  /** The derived status, kept for listing. */
  readonly status: string;
  /** Sequence number and hash of the newest journal row; 0 and '' before the first. */
  readonly seq: number;
  readonly head: string;
  /** When the run wants its alarm. */
  readonly nextTimerAt: number | null;
  /** Whether tasks are handed out or ready: such a run is loaded when its host starts. */
  readonly hasWork: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly endedAt: number | null;
  readonly parentRunId: string | null;
  readonly rootRunId: string;
  readonly tags: Readonly<Record<string, string>>;
  /** JSON text of `{output}` or `{error}` once the run has ended. */
  readonly result: string | null;
  /** Why the run cannot be loaded or planned; null for a healthy one. */
  readonly quarantine: string | null;
}

export interface JournalRow {
  readonly seq: number;
  readonly at: number;
  /** JSON text: the list of the command's events. */
  readonly events: string;
  readonly hash: string;
}

export interface JournalWrite extends JournalRow {
  readonly runId: string;
}

export interface Snapshot {
  readonly runId: string;
  /** The journal row up to which it tells. */
  readonly seq: number;
  /** JSON text in pieces of bounded length. */
  readonly chunks: readonly string[];
}

export interface StoredRun {
  readonly row: RunRow;
  readonly snapshot: Snapshot | null;
  readonly journal: readonly JournalRow[];
}

export interface OutboxRow {
  /** Sorts in the order of sending: see `actor/run-actor.ts`. */
  readonly id: string;
  readonly to: string;
  /** JSON text of a message. */
  readonly message: string;
}

export interface KeyRow {
  readonly scope: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly runId: string;
  readonly at: number;
}

export interface Deletion {
  readonly runIds: readonly string[];
  /** Written in the same transaction. */
  readonly records: readonly RecordWrite[];
}
