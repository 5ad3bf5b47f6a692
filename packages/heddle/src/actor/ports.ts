// Ports: the seam between the engine and the world. A host supplies a store, a clock and an executor; none of them
// holds a rule of behaviour. Everything a store keeps is text and numbers that the actor made.
//
// Always true: what `commit` was given is durable, whole, when it returns; a store never shows half of it.

/** Synchronous hosts answer at once; others with a promise. */
export type Awaitable<T> = T | Promise<T>;

// ---------------------------------------------------------------------------------------------------------- store

export interface Store {
  /** All of it or nothing, durable when it returns. */
  commit(commit: Commit): Awaitable<void>;
  /** The run's row, its newest snapshot and the journal rows after that; null if there is no such run. */
  loadRun(runId: string): Awaitable<StoredRun | null>;
  readRun(runId: string): Awaitable<RunRow | null>;
  /** Newest first, without those that `after` (a run id) and the runs before it in that order. */
  listRuns(query: RunQuery): Awaitable<readonly RunRow[]>;
  /** Newest first; looks at a bounded number of runs, whatever is asked. */
  pageRuns(query: RunPageQuery): Awaitable<RunPage>;
  /** By status; of each status at most `upTo` are counted. */
  countRuns(query: RunCountQuery): Awaitable<RunCounts>;
  /** In order, from `fromSeq` on. */
  readJournal(runId: string, fromSeq: number, limit: number): Awaitable<readonly JournalRow[]>;
  /** Replaces the run's older snapshots. */
  saveSnapshot(snapshot: Snapshot): Awaitable<void>;

  /** The journal rows of all runs in the order of their commits; looks at a bounded number of rows. */
  readFeed(query: FeedQuery): Awaitable<FeedPage>;
  /** The position of the newest journal row; 0 before the first. A position is never given twice. */
  feedEnd(): Awaitable<number>;

  /** Removes the rows and tags of runs, all or none; their journals stay for `deleteRemains`. */
  deleteRuns(deletion: Deletion): Awaitable<void>;
  /** Removes what a run without a row left behind, at most `limit` journal rows of it; whether nothing is left. */
  deleteRemains(runId: string, limit: number): Awaitable<boolean>;
  /** Forgets the idempotency keys that started a run. */
  deleteKeys(runId: string): Awaitable<void>;

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

  readRecord(kind: string, key: string): Awaitable<RecordRow | null>;
  /** Ascending by key, of those that begin with `prefix` and come after `after`; damaged ones among them. */
  listRecords(kind: string, query: RecordQuery): Awaitable<readonly RecordRow[]>;
  /** Records of a kind whose `dueAt` is not after `at`, earliest first; damaged ones are not among them. */
  dueRecords(kind: string, at: number, limit: number): Awaitable<readonly RecordRow[]>;
  /** The earliest `dueAt` of a kind. */
  nextDueAt(kind: string): Awaitable<number | null>;

  findKey(scope: string, key: string): Awaitable<KeyRow | null>;

  /** Refuses nothing: versions are checked before. Durable when it returns. */
  saveDefinition(row: DefinitionRow): Awaitable<void>;
  /** The given version, or the latest. */
  findDefinition(id: string, version: number | null): Awaitable<DefinitionRow | null>;
  findDefinitionByHash(id: string, hash: string): Awaitable<DefinitionRow | null>;
  /** Ascending by id and version; without a query all of them. */
  listDefinitions(query?: DefinitionQuery): Awaitable<readonly DefinitionRow[]>;

  /** Looks at all that is stored, without changing it: what was damaged since it was written. */
  findDamage(): Awaitable<readonly Damage[]>;

  /** Joins the journal's hash chain: the hash of a row from the row before it and its own bytes. */
  readonly hash: (text: string) => string;
  /** 32 bytes that stand outside the store's own data: what secrets are made with. The same as long as the store is. */
  secretKey(): Awaitable<Uint8Array>;
  readonly artifacts: ArtifactStore;
  /** What a store on a disk needs now and then; a store in memory has none. */
  readonly upkeep?: StoreUpkeep;
  close(): Awaitable<void>;
}

/** The care of a file. */
export interface StoreUpkeep {
  sizes(): Promise<StoreSizes>;
  /** Gives free space back to the disk, at most `pages` of it; whether there is more to give back. */
  shrink(pages: number): Awaitable<boolean>;
  /** Writes the whole file anew, as small as it can be. Everything waits meanwhile. */
  vacuum(): Awaitable<void>;
  /** A copy that can be opened as a store, of one moment; everything goes on meanwhile. */
  backup(path: string): Promise<void>;
}

export interface StoreSizes {
  readonly fileBytes: number;
  /** The log beside the file. */
  readonly walBytes: number;
  /** Inside the file, and given back by `shrink` or `vacuum`. */
  readonly freeBytes: number;
  readonly artifacts: { readonly count: number; readonly bytes: number; readonly isComplete: boolean };
}

/** Something in a store that is not as it was written. */
export interface Damage {
  /** Null if it is no run's. */
  readonly runId: string | null;
  readonly message: string;
}

/** Bytes, known by their content: who may read them is not its matter. */
export interface ArtifactStore {
  /** Durable when it returns: the SHA-256 of the content, in hex. The bytes must not change meanwhile. */
  put(bytes: Uint8Array): Promise<string>;
  /** Checked against the id; null if there are none. */
  get(id: string): Promise<Uint8Array | null>;
  has(id: string): Promise<boolean>;
  /** Gone for good when it returns; nothing happens if there is none. */
  remove(id: string): Promise<void>;
  /** Ids in their order, after `after`. */
  list(after: string | null, limit: number): Promise<readonly string[]>;
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

/** What stands beside the runs: prompts, events, triggers, accounts. Known by kind and key. */
export interface RecordRow {
  readonly kind: string;
  readonly key: string;
  /** JSON text; empty, which is none, if the record was damaged. */
  readonly value: string;
  readonly dueAt: number | null;
}

/** A null value removes it. */
export interface RecordWrite {
  readonly kind: string;
  readonly key: string;
  readonly value: string | null;
  readonly dueAt: number | null;
}

export interface RecordQuery {
  readonly prefix?: string;
  readonly after?: string;
  readonly limit: number;
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

export interface RunQuery {
  readonly limit: number;
  readonly after?: string;
  readonly workflow?: string;
  readonly status?: string;
  readonly parentRunId?: string;
  /** Every tag must match. */
  readonly tags?: Readonly<Record<string, string>>;
}

/** A run's place in the list of all, which stays although the run may go. */
export interface RunPlace {
  readonly createdAt: number;
  readonly runId: string;
}

/** All that is given must hold. */
export interface RunPageQuery {
  readonly limit: number;
  /** Older than this place. */
  readonly after?: RunPlace;
  readonly workflow?: string;
  /** One of them. */
  readonly statuses?: readonly string[];
  readonly parentRunId?: string;
  /** Sub-runs of this root, at any depth. */
  readonly rootRunId?: string;
  /** Every tag must match. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Not before, and before: in milliseconds since 1970. */
  readonly createdAfter?: number;
  readonly createdBefore?: number;
  readonly isQuarantined?: boolean;
  /** Without sub-runs. */
  readonly isRoot?: true;
  /** The beginning of its id (8 characters or more: `idPrefixLeast`) or of its workflow, or the value of a tag. */
  readonly search?: string;
}

/** A shorter text is no beginning of an id: nearly all ids of a year begin with the same few characters. */
export const idPrefixLeast = 8;

/** Of results in a page of runs: with as many characters it is full, however few runs it has. */
export const resultsPerPageMax = 4_194_304;

export interface RunPage {
  readonly rows: readonly RunRow[];
  /** Where the next page goes on; null if this was the last. A page may be short, or empty, and not be the last. */
  readonly next: RunPlace | null;
}

export interface RunCountQuery extends Pick<RunPageQuery, 'workflow' | 'isRoot'> {
  readonly statuses: readonly string[];
  readonly upTo: number;
}

export interface RunCounts {
  readonly byStatus: Readonly<Record<string, number>>;
  readonly quarantined: number;
}

export interface FeedQuery {
  /** A position. */
  readonly after: number;
  readonly limit: number;
  readonly workflow?: string;
}

export interface FeedPage {
  readonly rows: readonly FeedRow[];
  /** Up to where was looked: what comes after it was not. */
  readonly position: number;
}

export interface FeedRow extends JournalWrite {
  readonly position: number;
  readonly workflow: string;
  /** The hash of the row before it in its run's journal; '' if there is none. */
  readonly before: string;
}

export interface Deletion {
  readonly runIds: readonly string[];
  /** Written in the same transaction. */
  readonly records: readonly RecordWrite[];
}

export interface DefinitionQuery {
  readonly id?: string;
  /** The last of the page before. */
  readonly after?: { readonly id: string; readonly version: number };
  readonly limit: number;
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

export interface DefinitionRow {
  readonly id: string;
  readonly version: number;
  readonly hash: string;
  /** JSON text of the normalised definition. */
  readonly body: string;
  readonly createdAt: number;
}

// ---------------------------------------------------------------------------------------------------------- clock

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once, after as long as `at` is away now, however the clock is set meanwhile; the answer cancels it. */
  schedule(at: number, callback: () => void): () => void;
  /** Calls back once when `now()` shows `at` or later, also if the clock was set or the machine slept; so for deadlines. */
  wakeAt(at: number, callback: () => void): () => void;
  /** Calls back soon, after everything that is already due to run: what one turn of work is collected by. */
  defer(callback: () => void): void;
  /** From 0 to below 1, for the ids of runs; `Math.random` if absent. */
  random?: () => number;
}

// ------------------------------------------------------------------------------------------------------- executor

export type * from './executor-port.ts';
