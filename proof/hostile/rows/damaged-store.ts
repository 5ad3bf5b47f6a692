// Damaged store: a store that answers as the one behind it, but for one row, which comes out changed. What is written
// passes through.

import type {
  DefinitionRow,
  JournalRow,
  RecordRow,
  RunPage,
  RunRow,
  Snapshot,
  Store,
  StoredRun,
} from '../../../packages/heddle/src/actor/ports.ts';

/** Each answers with the row as it is to be read. */
export interface Alterations {
  readonly journal?: (runId: string, row: JournalRow) => JournalRow;
  readonly snapshot?: (snapshot: Snapshot) => Snapshot;
  readonly run?: (row: RunRow) => RunRow;
  readonly record?: (row: RecordRow) => RecordRow;
  readonly definition?: (row: DefinitionRow) => DefinitionRow;
}

const same = <Row>(row: Row): Row => row;

export function damagedStore(store: Store, alterations: Alterations): Store {
  const {
    journal = (_: string, row: JournalRow) => row,
    snapshot = same,
    run = same,
    record = same,
    definition = same,
  } = alterations;
  const orNull =
    <Row>(alter: (row: Row) => Row) =>
    (row: Row | null) =>
      row && alter(row);
  const each =
    <Row>(alter: (row: Row) => Row) =>
    (rows: readonly Row[]) =>
      rows.map(alter);
  const load = (stored: StoredRun | null): StoredRun | null =>
    stored && {
      row: run(stored.row),
      snapshot: stored.snapshot && snapshot(stored.snapshot),
      journal: stored.journal.map((row) => journal(stored.row.runId, row)),
    };
  const reads: Readonly<Record<string, (args: readonly never[]) => (answer: never) => unknown>> = {
    loadRun: () => load,
    readRun: () => orNull(run),
    pageRuns: () => (page: RunPage) => ({ ...page, rows: page.rows.map(run) }),
    readJournal: ([runId]) => each((row: JournalRow) => journal(runId as unknown as string, row)),
    readRecord: () => orNull(record),
    listRecords: () => each(record),
    dueRecords: () => each(record),
    findDefinition: () => orNull(definition),
    findDefinitionByHash: () => orNull(definition),
    listDefinitions: () => each(definition),
  };
  return new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      const alter = reads[String(name)];
      const call = (...args: never[]): unknown => Reflect.apply(member, target, args);
      return alter === undefined ? call : async (...args: never[]) => alter(args)((await call(...args)) as never);
    },
  });
}
