// The database file of a recording: it opens, its audit is clean, it holds what was recorded, and an engine goes on with
// it to the recorded endings.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Store } from '../../packages/heddle/src/actor/ports.ts';
import type { Json } from '../../packages/heddle/src/base/json.ts';
import { stableStringify } from '../../packages/heddle/src/base/stable-json.ts';
import { auditStore } from '../../packages/heddle/src/engine/audit.ts';
import { openSqliteStore } from '../../packages/heddle/src/hosts/sqlite/open.ts';
import { VirtualClock } from '../../packages/heddle/src/testing/virtual-clock.ts';
import { openLife } from './lives.ts';
import type { Recording } from './recording.ts';
import { allRuns, endingOf, goOn, laterEndingsOf } from './second-life.ts';

export async function checkDatabase(recording: Recording): Promise<readonly string[]> {
  return inFile(recording.database, async (file) => {
    try {
      return [...(await checkStored(file, recording)), ...(await checkEndings(file, recording))];
    } catch (error) {
      return [`Expected its database to be opened, but ${(error as Error).message}`];
    }
  });
}

/** Lends bytes a file of their own. */
export async function inFile<T>(bytes: Uint8Array, use: (file: string) => Promise<T>): Promise<T> {
  const place = await mkdtemp(path.join(tmpdir(), 'heddle-upgrade-'));
  try {
    const file = path.join(place, 'store.db');
    await writeFile(file, bytes);
    return await use(file);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

async function checkStored(file: string, { runs, journals }: Recording): Promise<readonly string[]> {
  const store = await openSqliteStore(file);
  try {
    const wrong = await auditOf(store, 'when it is opened');
    const rows = new Map((await allRuns(store)).map((row) => [row.runId, row]));
    for (const { runId, status } of runs) {
      const found = rows.get(runId)?.status;
      if (found !== status) wrong.push(`Expected run ${runId} to be ${status}, but it is ${found}`);
      const stored = await store.readJournal(runId, 1, Number.MAX_SAFE_INTEGER);
      if (!isSame(stored, journals[runId])) wrong.push(`Expected the recorded journal of run ${runId}, but it differs`);
    }
    if (rows.size !== runs.length) wrong.push(`Expected ${runs.length} runs, but found ${rows.size}`);
    return wrong;
  } finally {
    await store.close();
  }
}

async function checkEndings(file: string, { runs, recordedAt, laterEndings }: Recording): Promise<readonly string[]> {
  const store = await openSqliteStore(file);
  const life = await openLife(store, new VirtualClock(recordedAt));
  await goOn(life);
  const ended = await life.engine.runs({ limit: 1_000, subRuns: true });
  const wrong = await auditOf(store, 'after it went on');
  await life.engine.close({ graceMs: 0 });
  const endings = new Map(ended.map((run) => [run.runId, endingOf(run)]));
  for (const { runId, workflow, ending } of runs) {
    const found = endings.get(runId);
    if (!isSame(found, ending))
      wrong.push(`Expected run ${runId} of ${workflow} to end with ${text(ending)}, but it ended with ${text(found)}`);
  }
  const later = laterEndingsOf(ended, new Set(runs.map(({ runId }) => runId)));
  if (!isSame(later, laterEndings))
    wrong.push(`Expected triggers to start ${text(laterEndings)}, but they started ${text(later)}`);
  return wrong;
}

async function auditOf(store: Store, when: string): Promise<string[]> {
  const { problems } = await auditStore(store);
  return problems.map(({ runId, message }) => `Expected a clean audit ${when}, but run ${runId}: ${message}`);
}

const text = (value: unknown): string => JSON.stringify(value);

/** Both are plain JSON, or nothing. */
const isSame = (a: unknown, b: unknown): boolean =>
  stableStringify((a ?? null) as Json) === stableStringify((b ?? null) as Json);
