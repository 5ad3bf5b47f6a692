// World view: all that can be seen of a world from outside: what its store holds, what its clients sent and heard, what
// its workers were given. The invariants across runs are read from it.

import type {
  Awaitable,
  DefinitionRow,
  JournalRow,
  OutboxRow,
  RecordRow,
  RunRow,
  Store,
} from '../../packages/heddle/src/actor/ports.ts';
import { traceKind } from '../../packages/heddle/src/actor/trace-log.ts';
import type { Limits } from '../../packages/heddle/src/definition/limits.ts';
import type { ClientOperation, TaskCall } from '../../packages/heddle/src/simulation/client.ts';
import { allRuns } from '../read-runs.ts';
import type { RunRecord } from '../workload.ts';
import type { JournalCheck } from './check-journal.ts';
import type { Globals } from './globals.ts';

export interface StoreView {
  readonly rows: readonly RunRow[];
  readonly journals: ReadonlyMap<string, readonly JournalRow[]>;
  readonly outbox: readonly OutboxRow[];
  /** Prompts, open prompts, waits for events, kept events, traces, and the ledger's. */
  readonly records: readonly RecordRow[];
  readonly definitions: readonly DefinitionRow[];
  /** How many runs have one. */
  readonly snapshots: number;
}

export interface WorldView extends StoreView {
  /** As their oracles see them. */
  readonly runs: readonly RunRecord[];
  readonly operations: readonly ClientOperation[];
  readonly calls: readonly TaskCall[];
  /** Those of the engine, where they are not the defaults. */
  readonly limits: Partial<Limits>;
  /** How the journal's chain is hashed. */
  readonly hash: (text: string) => string;
  /** The checks that have followed the runs; absent: they are read from the journals. */
  readonly checks?: ReadonlyMap<string, JournalCheck>;
  /** Nothing went wrong in it that makes timers late: no crash, no failing or slow store, no bad clock or alarm. */
  readonly isPunctual?: boolean;
  /** When the engine, at rest, has asked to be woken; absent if nobody knows. */
  readonly alarmAt?: number | null;
  /** How many runs the engine has in memory; absent if nobody knows. */
  readonly runsInMemory?: number;
  /** As they were before anything was played. */
  readonly globals?: Globals;
  /** Texts that must not be stored anywhere. */
  readonly secrets?: readonly string[];
}

/** After a crash, whatever is there is looked at; at rest, the faults have stopped and nothing is left to do. */
export type Moment = 'crash' | 'end' | 'rest';

const ledgerKinds = ['account', 'reservation', 'grant', 'deposit'];
const recordKinds = ['prompt', 'open-prompt', 'event-wait', 'event', traceKind, ...ledgerKinds];
const page = 1_000;

/** Everything that the stores of a world hold of their runs, as one. */
export async function readStores(stores: readonly Store[]): Promise<StoreView> {
  const [home, ...others] = (await Promise.all(stores.map(readStore))) as [StoreView, ...StoreView[]]; // there is one
  return others.reduce((all, view) => {
    return {
      rows: [...all.rows, ...view.rows],
      journals: new Map([...all.journals, ...view.journals]),
      outbox: [...all.outbox, ...view.outbox],
      records: [...all.records, ...view.records],
      definitions: all.definitions,
      snapshots: all.snapshots + view.snapshots,
    };
  }, home);
}

/** Everything that a store holds of its runs. */
export async function readStore(store: Store): Promise<StoreView> {
  const rows: RunRow[] = [];
  for await (const row of allRuns(store)) rows.push(row);
  const journals = new Map<string, readonly JournalRow[]>();
  let snapshots = 0;
  for (const { runId } of rows) {
    const stored = await store.loadRun(runId);
    if (stored?.snapshot) snapshots++;
    const isWhole = stored !== null && stored.snapshot === null;
    journals.set(runId, isWhole ? stored.journal : await store.readJournal(runId, 1, Number.MAX_SAFE_INTEGER));
  }
  const outbox = await readPages<OutboxRow>((last) => store.readOutbox(last?.id ?? null, page));
  const records: RecordRow[] = [];
  for (const kind of recordKinds) {
    const found = await readPages<RecordRow>((last) =>
      store.listRecords(kind, { limit: page, ...(last ? { after: last.key } : {}) }),
    );
    for (const record of found) records.push(record);
  }
  return { rows, journals, outbox, records, definitions: await store.listDefinitions(), snapshots };
}

async function readPages<T>(read: (last: T | undefined) => Awaitable<readonly T[]>): Promise<T[]> {
  const all: T[] = [];
  for (;;) {
    const rows = await read(all.at(-1));
    if (rows.length === 0) return all;
    for (const row of rows) all.push(row);
  }
}
