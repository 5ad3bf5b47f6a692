// MemoryStore: the Store over maps, for tests, for runs that need not outlive the process, and for runtimes without a
// disk. It lives as long as somebody holds it: a second engine that gets it finds what the first one left.
//
// Always true: a commit is checked whole before any of it is applied; it behaves as the SQLite store does.

import { checkCommit, keyName } from '../../actor/check-commit.ts';
import type {
  ArtifactStore,
  Commit,
  Damage,
  DefinitionQuery,
  DefinitionRow,
  Deletion,
  FeedPage,
  FeedQuery,
  JournalRow,
  KeyRow,
  OutboxRow,
  RecordQuery,
  RecordRow,
  RunCountQuery,
  RunCounts,
  RunOutline,
  RunOutlineQuery,
  RunPage,
  RunPageQuery,
  RunRow,
  Snapshot,
  Store,
  StoredRun,
} from '../../actor/ports.ts';
import { sha256Base64url, sha256Hex } from '../../base/hash.ts';
import { MemoryFeed } from './feed.ts';
import { OrderedIndex } from './ordered-index.ts';
import { RecordIndex } from './record-index.ts';
import { RunIndex, takeFrom } from './run-index.ts';

export function memoryStore(): Store {
  return new MemoryStore();
}

class MemoryStore implements Store {
  readonly #runs = new RunIndex();
  readonly #journals = new Map<string, JournalRow[]>();
  readonly #feed = new MemoryFeed();
  readonly #snapshots = new Map<string, Snapshot>();
  readonly #messages = new Map<string, OutboxRow>();
  readonly #messageOrder = new OrderedIndex();
  readonly #records = new RecordIndex();
  readonly #keys = new Map<string, KeyRow>();
  readonly #definitions = new Map<string, Map<number, DefinitionRow>>();
  readonly artifacts = memoryArtifacts();
  #secretKey: Uint8Array | null = null;

  commit(commit: Commit): void {
    checkCommit(commit, {
      hasRun: (runId) => this.#runs.get(runId) !== null,
      lastSeq: (runId) => this.#journals.get(runId)?.at(-1)?.seq ?? 0,
      hasMessage: (id) => this.#messages.has(id),
      hasKey: (row) => this.#keys.has(keyName(row)),
    });
    for (const { row } of commit.runs) this.#runs.set(row);
    for (const { runId, seq, at, events, hash } of commit.journal) this.#append(runId, { seq, at, events, hash });
    for (const message of commit.outboxAdded) this.#addMessage(message);
    for (const id of commit.outboxDone) this.#dropMessage(id);
    for (const row of commit.keys) this.#keys.set(keyName(row), row);
    for (const write of commit.records) this.#records.write(write);
  }

  loadRun(runId: string): StoredRun | null {
    const row = this.#runs.get(runId);
    if (row === null) return null;
    const snapshot = this.#snapshots.get(runId) ?? null;
    const journal = this.readJournal(runId, (snapshot?.seq ?? 0) + 1, Number.POSITIVE_INFINITY);
    return { row, snapshot, journal };
  }

  readRun(runId: string): RunRow | null {
    return this.#runs.get(runId);
  }

  pageRuns(query: RunPageQuery): RunPage {
    return this.#runs.page(query);
  }

  outlineRuns(query: RunOutlineQuery): readonly RunOutline[] {
    return this.#runs.outline(query);
  }

  countRuns(query: RunCountQuery): RunCounts {
    return this.#runs.count(query);
  }

  readFeed(query: FeedQuery): FeedPage {
    return this.#feed.read(query, {
      workflowOf: (runId) => this.#runs.get(runId)?.workflow ?? null,
      hashOf: (runId, seq) => this.readJournal(runId, seq, 1).find((row) => row.seq === seq)?.hash ?? '',
    });
  }

  feedEnd(): number {
    return this.#feed.end;
  }

  deleteRuns({ runIds, records }: Deletion): void {
    for (const runId of runIds) this.#runs.remove(runId);
    for (const write of records) this.#records.write(write);
  }

  deleteRemains(runId: string, limit: number): boolean {
    this.#snapshots.delete(runId);
    const dropped = this.#journals.get(runId)?.splice(0, limit) ?? [];
    for (const row of dropped) this.#feed.remove(row);
    this.#feed.giveUpEmpty();
    if (dropped.length < limit) this.#journals.delete(runId);
    return dropped.length < limit;
  }

  deleteKeys(runId: string): void {
    for (const [name, row] of this.#keys) if (row.runId === runId) this.#keys.delete(name);
  }

  readJournal(runId: string, fromSeq: number, limit: number): readonly JournalRow[] {
    const rows = this.#journals.get(runId) ?? [];
    const from = countBefore(rows, fromSeq);
    return rows.slice(from, from + limit);
  }

  saveSnapshot(snapshot: Snapshot): void {
    this.#snapshots.set(snapshot.runId, snapshot);
  }

  dueRuns(at: number, limit: number): readonly string[] {
    return this.#runs.dueRuns(at, limit);
  }

  nextAlarmAt(): number | null {
    return this.#runs.nextAlarmAt();
  }

  runsWithWork(after: string | null, limit: number): readonly string[] {
    return this.#runs.runsWithWork(after, limit);
  }

  readOutbox(after: string | null, limit: number): readonly OutboxRow[] {
    const entries = this.#messageOrder.ascending(after === null ? null : { rank: 0, id: after });
    return takeFrom(entries, limit, ({ id }) => this.#messages.get(id) ?? null);
  }

  readRecord(kind: string, key: string): RecordRow | null {
    return this.#records.get(kind, key);
  }

  listRecords(kind: string, query: RecordQuery): readonly RecordRow[] {
    return this.#records.list(kind, query);
  }

  dueRecords(kind: string, at: number, limit: number): readonly RecordRow[] {
    return this.#records.due(kind, at, limit);
  }

  nextDueAt(kind: string): number | null {
    return this.#records.nextDueAt(kind);
  }

  findKey(scope: string, key: string): KeyRow | null {
    return this.#keys.get(keyName({ scope, key })) ?? null;
  }

  /** Nothing comes between what is written here and what is read. */
  findDamage(): readonly Damage[] {
    return [];
  }

  saveDefinition(row: DefinitionRow): void {
    const versions = this.#definitions.get(row.id) ?? new Map<number, DefinitionRow>();
    versions.set(row.version, row);
    this.#definitions.set(row.id, versions);
  }

  findDefinition(id: string, version: number | null): DefinitionRow | null {
    if (version === null) return findLatest(this.#versionsOf(id));
    return this.#definitions.get(id)?.get(version) ?? null;
  }

  findDefinitionByHash(id: string, hash: string): DefinitionRow | null {
    return findLatest(this.#versionsOf(id).filter((row) => row.hash === hash));
  }

  listDefinitions(
    { id, after, limit }: DefinitionQuery = { limit: Number.POSITIVE_INFINITY },
  ): readonly DefinitionRow[] {
    const ids = id === undefined ? [...this.#definitions.keys()].toSorted(byText) : [id];
    const rows = ids.flatMap((each) => this.#versionsOf(each).toSorted((a, b) => a.version - b.version));
    const isAfter = (row: DefinitionRow): boolean =>
      !after || (row.id === after.id ? row.version > after.version : row.id > after.id);
    return rows.filter(isAfter).slice(0, limit);
  }

  hash(text: string): string {
    return sha256Base64url(text);
  }

  /** Drawn when it is first asked for: not every runtime has dice that are good enough. */
  secretKey(): Uint8Array {
    this.#secretKey ??= crypto.getRandomValues(new Uint8Array(32));
    return this.#secretKey;
  }

  /** What is stored stays, for the next engine. */
  close(): void {}

  #versionsOf(id: string): readonly DefinitionRow[] {
    return [...(this.#definitions.get(id)?.values() ?? [])];
  }

  #append(runId: string, row: JournalRow): void {
    const rows = this.#journals.get(runId);
    if (rows === undefined) this.#journals.set(runId, [row]);
    else rows.push(row);
    this.#feed.add(runId, row);
  }

  #addMessage(message: OutboxRow): void {
    this.#messages.set(message.id, message);
    this.#messageOrder.add({ rank: 0, id: message.id });
  }

  #dropMessage(id: string): void {
    if (this.#messages.delete(id)) this.#messageOrder.remove({ rank: 0, id });
  }
}

/** Nobody holds the bytes that it holds: they are copied on their way in and out. */
function memoryArtifacts(): ArtifactStore {
  const contents = new Map<string, Uint8Array>();
  return {
    put: async (bytes) => {
      const copy = new Uint8Array(bytes);
      const id = sha256Hex(copy);
      contents.set(id, copy);
      return id;
    },
    get: async (id) => {
      const found = contents.get(id);
      return found === undefined ? null : new Uint8Array(found);
    },
    has: async (id) => contents.has(id),
    remove: async (id) => void contents.delete(id),
    list: async (after, limit) => {
      const ids = [...contents.keys()].filter((id) => after === null || id > after);
      return ids.toSorted().slice(0, limit);
    },
  };
}

/** How many rows come before the sequence number; they are in its order. */
function countBefore(rows: readonly JournalRow[], seq: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows[middle]?.seq ?? seq) < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

function findLatest(rows: readonly DefinitionRow[]): DefinitionRow | null {
  return rows.reduce<DefinitionRow | null>(
    (latest, row) => (latest && latest.version > row.version ? latest : row),
    null,
  );
}

function byText(a: string, b: string): number {
  return a < b ? -1 : 1;
}
