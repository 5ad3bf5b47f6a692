// Record: makes the recording of the release that these sources are. To be run once for each release whose store has a
// new version: `node scripts/prove.mjs run upgrade --record`.

import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { JournalRow, RunRow, Store } from '../../packages/heddle/src/actor/ports.ts';
import { schemaVersion } from '../../packages/heddle/src/hosts/sqlite/migrations.ts';
import { openSqliteStore } from '../../packages/heddle/src/hosts/sqlite/open.ts';
import { VirtualClock } from '../../packages/heddle/src/testing/virtual-clock.ts';
import { eventTypes } from './event-types.ts';
import { liveFirst, openLife } from './lives.ts';
import { eventsIn, hashOfView, publicViewOf } from './public-view.ts';
import { type Ending, type RecordedRun, type Recording, writeRecording } from './recording.ts';
import { allRuns, endingOf, goOn, laterEndingsOf } from './second-life.ts';

/** Writes the folder of this version below `folder`. */
export async function record(folder: string): Promise<void> {
  const place = await mkdtemp(path.join(tmpdir(), 'heddle-record-'));
  try {
    const file = path.join(place, 'store.db');
    const clock = new VirtualClock();
    await liveFirst(file, clock);
    const recordedAt = clock.now();
    const copy = path.join(place, 'copy.db');
    await copyFile(file, copy);
    const { rows, journals } = await readAll(file);
    const { endings, laterEndings } = await findEndings(copy, clock, rows);
    const runs = rows.map((row) => recordedRunOf(row, journals[row.runId] ?? [], endings));
    const database = await readFile(file);
    refuseGaps(journals);
    const recording: Recording = { version: schemaVersion, recordedAt, runs, laterEndings, journals, database };
    await writeRecording(path.join(folder, String(schemaVersion)), recording);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

interface Stored {
  readonly rows: readonly RunRow[];
  readonly journals: Readonly<Record<string, readonly JournalRow[]>>;
}

async function readAll(file: string): Promise<Stored> {
  const store = await openSqliteStore(file, { readOnly: true });
  const rows = await allRuns(store);
  const journals: Record<string, readonly JournalRow[]> = {};
  for (const { runId } of rows) journals[runId] = await journalOf(store, runId);
  await store.close();
  return { rows, journals };
}

async function journalOf(store: Store, runId: string): Promise<readonly JournalRow[]> {
  return store.readJournal(runId, 1, Number.MAX_SAFE_INTEGER);
}

interface Endings {
  readonly endings: ReadonlyMap<string, Ending>;
  readonly laterEndings: readonly string[];
}

/** How this release itself goes on with what it has recorded. */
async function findEndings(file: string, clock: VirtualClock, rows: readonly RunRow[]): Promise<Endings> {
  const life = await openLife(await openSqliteStore(file), clock);
  await goOn(life);
  const ended = await life.engine.runs({ limit: 1_000, subRuns: true });
  await life.engine.close({ graceMs: 0 });
  const known = new Set(rows.map(({ runId }) => runId));
  return {
    endings: new Map(ended.map((run) => [run.runId, endingOf(run)])),
    laterEndings: laterEndingsOf(ended, known),
  };
}

function recordedRunOf(row: RunRow, journal: readonly JournalRow[], endings: ReadonlyMap<string, Ending>): RecordedRun {
  const { runId, workflow, status } = row;
  const ending = endings.get(runId);
  if (!ending) throw new Error(`Expected run ${runId} to be there at the end, but it is not`);
  return { runId, workflow, status, hash: hashOfView(publicViewOf(journal)), ending };
}

/** A recording that lacks a type of event would prove nothing of it. */
function refuseGaps(journals: Stored['journals']): void {
  const rows = Object.values(journals).flat();
  const found = new Set<string>([...eventsIn(rows)].map(({ event }) => event.type));
  const missing = eventTypes.filter((type) => !found.has(type));
  if (missing.length > 0)
    throw new Error(`Expected every type of event to be recorded, but missing are ${missing.join(', ')}`);
}
