// Ending: all that a store holds once everything is at rest, as texts that are the same for the same story: names in
// place of ids, and the journal without what a crash may add to it (hand-outs that were lost and repeated).

import { existsSync, readdirSync } from 'node:fs';
import type { Event } from '../../packages/heddle/src/core/events.ts';
import { fromOrderedText } from '../../packages/heddle/src/hosts/sql/ordered-text.ts';
import type { SqliteConstructor, SqliteDatabase } from '../../packages/heddle/src/hosts/sqlite/sqlite-module.ts';
import { type JournaledRun, nameIds } from './name-ids.ts';
import type { Tolerance } from './shape.ts';

/** Texts by section. */
export type Ending = ReadonlyMap<string, readonly string[]>;

interface RunColumns {
  readonly id: string;
  readonly workflow: string;
  readonly parent: string | null;
  readonly createdAt: number;
}

interface RecordColumns {
  readonly kind: string;
  readonly key: string;
  readonly value: string;
  readonly dueAt: number | null;
}

interface JournalColumns {
  readonly runId: string;
  readonly events: string;
}

/** As another connection reads it. */
export function readEnding(Sqlite: SqliteConstructor, file: string, tolerates: Tolerance = {}): Ending {
  const database = new Sqlite(file, { readOnly: true, enableForeignKeyConstraints: false, defensive: true });
  try {
    return endingOf(database, `${file}-artifacts`, tolerates);
  } finally {
    database.close();
  }
}

function endingOf(database: SqliteDatabase, artifacts: string, tolerates: Tolerance): Ending {
  const runs = readRuns(database);
  const name = nameIds(runs);
  const clean = (text: string): string => withoutTimes(name(text), tolerates);
  const sections = new Map<string, readonly string[]>();
  for (const [section, sql] of tables) sections.set(section, rowsOf(database, sql).map(clean).toSorted());
  sections.set('records', recordsOf(database).map(clean).toSorted());
  for (const { id, workflow, events } of runs) {
    const told = events.flatMap(asToldOnce()).map((event) => clean(JSON.stringify(event)));
    sections.set(`journal of ${name(id)} (${workflow})`, tolerates.order === undefined ? told : told.toSorted());
  }
  const owned = JSON.stringify(recordsOf(database));
  sections.set(
    'artifacts',
    artifactsIn(artifacts).filter((id) => owned.includes(id)),
  );
  if (tolerates.records !== undefined) sections.delete('records');
  return new Map([...sections].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

const tables = [
  [
    'runs',
    `SELECT run_id, workflow, version, status, next_timer_at, has_work, created_at, ended_at, parent_run_id,
       root_run_id, tags, result, quarantine FROM runs`,
  ],
  ['outbox', 'SELECT recipient, message FROM outbox'],
  ['keys', 'SELECT scope, key, run_id, at FROM keys'],
  ['definitions', 'SELECT id, version, hash FROM definitions'],
  ['tags', 'SELECT key, value, run_id FROM tags'],
] as const;

const rowsOf = (database: SqliteDatabase, sql: string): string[] =>
  select<Record<string, unknown>>(database, sql).map((row) => JSON.stringify(Object.values(row)));

/** Without traces: like journals they report what a crash has lost and repeated. */
const recordsOf = (database: SqliteDatabase): string[] =>
  select<RecordColumns>(
    database,
    "SELECT kind, key, value, due_at AS dueAt FROM records WHERE kind NOT IN ('store', 'trace')",
  ).map(({ kind, key, value, dueAt }) => JSON.stringify([kind, fromOrderedText(key).split('\n'), value, dueAt]));

/** The caller says what its statement selects. */
const select = <Row>(database: SqliteDatabase, sql: string): Row[] => database.prepare(sql).all() as Row[];

function readRuns(database: SqliteDatabase): JournaledRun[] {
  const rows = select<JournalColumns>(database, 'SELECT run_id AS runId, events FROM journal ORDER BY run_id, seq');
  const events = new Map<string, JournalColumns[]>();
  for (const row of rows) events.set(row.runId, [...(events.get(row.runId) ?? []), row]);
  const runs = select<RunColumns>(
    database,
    'SELECT run_id AS id, workflow, parent_run_id AS parent, created_at AS createdAt FROM runs',
  );
  return runs.map((run) => ({ ...run, events: (events.get(run.id) ?? []).flatMap(parseEvents) }));
}

const parseEvents = (row: JournalColumns): Event[] => JSON.parse(row.events) as Event[]; // as the engine wrote it

/**
 * Hand-outs that were lost, and those that repeat an attempt, are no part of the story; nor is the result that a paused
 * run kept for later, nor its turn, for after a crash it is given when the run goes on.
 */
function asToldOnce(): (event: Event) => readonly object[] {
  const handedOut = new Set<string>();
  return (event) => {
    if (event.type === 'tasks.lost' || event.type === 'held.taken' || isHeldResult(event)) return [];
    if (event.type === 'workflow.unpaused') return [{ type: event.type, at: event.at }];
    if (event.type !== 'task.dispatched') return [event];
    const { dispatch: _, ...attempt } = event;
    const key = `${event.token}/${event.attempt}`;
    if (handedOut.has(key)) return [];
    handedOut.add(key);
    return [attempt];
  };
}

const isHeldResult = (event: Event): boolean =>
  event.type === 'workflow.held' && event.command['type'] === 'task.result';

/** Milliseconds since 1970 and their texts, where a shape says why they may differ. */
const withoutTimes = (text: string, { times }: Tolerance): string =>
  times === undefined ? text : text.replaceAll(/\b1[89]\d{11}\b|20[23]\d-\d\d-\d\dT[\d:.]+Z/g, '0');

/** Their ids. Bytes that a crash left without a record of whose they are, whole or not, are nobody's. */
function artifactsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.map((name) => name.replace('/', '')).toSorted();
}
