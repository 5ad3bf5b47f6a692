// Evidence: what is in the store when all is over, read as any user could read it, and what is wrong with the store by
// itself.
//
// Always true: it is all in memory, and nothing was changed to get it.

import { statSync } from 'node:fs';
import type { RecordRow, Store } from '../../packages/heddle/src/actor/ports.ts';
import type { Json } from '../../packages/heddle/src/base/json.ts';
import type { RunEvent } from '../../packages/heddle/src/core/run-event.ts';
import { openSqliteDriver, openSqliteStore } from '../../packages/heddle/src/hosts/sqlite/open.ts';
import { createEngine, type Engine, type RunSummary } from '../../packages/heddle/src/index.ts';
import { type Effect, readEffects } from './effects.ts';
import type { Ledger } from './ledger.ts';
import { filesOf, type Place, storeAt } from './place.ts';
import type { Files } from './processes.ts';

/** Tells of something that is not as it must be. */
export type Complain = (complaint: string) => void;

export interface RunEvidence {
  readonly summary: RunSummary;
  readonly events: readonly RunEvent[];
}

export interface Evidence {
  /** By run id. */
  readonly runs: ReadonlyMap<string, RunEvidence>;
  /** By kind and key: their values. */
  readonly records: ReadonlyMap<RecordKind, ReadonlyMap<string, unknown>>;
  readonly effects: readonly Effect[];
  /** The ids of runs that are not there because somebody deleted them, or what they are below. */
  readonly gone: ReadonlySet<string>;
}

const recordKinds = ['account', 'deposit', 'reservation', 'event', 'event-id', 'event-wait', 'open-prompt'] as const;

export type RecordKind = (typeof recordKinds)[number];

const rowsPerPage = 500;

export const rootsOf = ({ runs }: Evidence): readonly RunEvidence[] =>
  [...runs.values()].filter(({ summary }) => summary.parentRunId === null);

export const inputOf = ({ events: [first] }: RunEvidence): Json | undefined =>
  first?.type === 'workflow.started' ? first.input : undefined;

export function eventsOf<T extends RunEvent['type']>(
  { runs }: Evidence,
  type: T,
): readonly Extract<RunEvent, { type: T }>[] {
  const isOfType = (event: RunEvent): event is Extract<RunEvent, { type: T }> => event.type === type;
  return [...runs.values()].flatMap(({ events }) => events.filter(isOfType));
}

export async function gatherEvidence({ place, effects }: Files, ledger: Ledger): Promise<Evidence> {
  const runs = await readRunsAt(place);
  const records = noRecords();
  for (const file of filesOf(place)) {
    const store = await openSqliteStore(file, { readOnly: true });
    try {
      await addRecords(store, records);
    } finally {
      await store.close();
    }
  }
  return { runs, records, effects: readEffects(effects), gone: findGone(ledger, runs) };
}

/** Of a fleet whose stores are open, all at rest. */
export async function gatherFrom(
  engine: Engine,
  stores: readonly Store[],
  { effects, ledger }: { readonly effects: string; readonly ledger: Ledger },
): Promise<Evidence> {
  const runs = await readRuns(engine);
  const records = noRecords();
  for (const store of stores) await addRecords(store, records);
  return { runs, records, effects: readEffects(effects), gone: findGone(ledger, runs) };
}

type Records = Map<RecordKind, Map<string, unknown>>;

const noRecords = (): Records => new Map(recordKinds.map((kind) => [kind, new Map<string, unknown>()]));

/** What lies in a shard lies in no other, but for ids of events, each of which is known by its own shard too (EW16). */
async function addRecords(store: Store, records: Records): Promise<void> {
  for (const [kind, known] of records) {
    for (const [key, value] of await readRecords(store, kind)) {
      if (known.has(key) && kind !== 'event-id')
        throw new Error(`Expected ${kind} ${key} in one shard, but it is in two`);
      known.set(key, value);
    }
  }
}

function findGone(ledger: Ledger, runs: Evidence['runs']): ReadonlySet<string> {
  const asked = ledger.of('delete').filter(({ sent }) => sent > 0);
  return new Set(asked.flatMap(({ operation }) => operation.family).filter((runId) => !runs.has(runId)));
}

export async function readRunsAt(place: Place): Promise<Evidence['runs']> {
  const engine = await createEngine({ store: storeAt(place), readOnly: true });
  try {
    return await readRuns(engine);
  } finally {
    await engine.close();
  }
}

async function readRuns(engine: Engine): Promise<Evidence['runs']> {
  const runs = new Map<string, RunEvidence>();
  for (let after: string | undefined; ; ) {
    const page = await engine.runs({ limit: rowsPerPage, subRuns: true, ...(after === undefined ? {} : { after }) });
    for (const summary of page) {
      const events: RunEvent[] = [];
      for await (const event of engine.run(summary.runId).events({ follow: false })) events.push(event);
      runs.set(summary.runId, { summary, events });
    }
    after = page.at(-1)?.runId;
    if (after === undefined) return runs;
  }
}

async function readRecords(store: Store, kind: RecordKind): Promise<Map<string, unknown>> {
  const found: RecordRow[] = [];
  for (let after: string | undefined; ; ) {
    const page = await store.listRecords(kind, { limit: rowsPerPage, ...(after === undefined ? {} : { after }) });
    found.push(...page);
    after = page.at(-1)?.key;
    if (after === undefined) return new Map(found.map(({ key, value }) => [key, JSON.parse(value) as unknown]));
  }
}

/** A file is larger than what is in it: pages are not full, and what was removed leaves room. */
const bytesPerContentByte = 4;
const bytesOfAnEmptyFile = 1_048_576;
/** SQLite begins anew in its log after 2,000 pages, unless somebody reads; a transaction may be on top of that. */
const logBytesMax = 33_554_432;

/** What is wrong with the store by itself: its pages, its chains, its locks, its size, and what it should not hold. */
export async function inspectStore(place: Place, logBytesMost: number): Promise<readonly string[]> {
  const complaints: string[] = [];
  for (const file of filesOf(place)) {
    const writer = await openSqliteStore(file, { lockWaitMs: 0 }); // Throws if a lock was left.
    complaints.push(...(await inspectOutbox(writer)));
    await writer.close();
  }
  complaints.push(...(await audit(place)));
  for (const file of filesOf(place)) complaints.push(...(await inspectPages(file)));
  if (logBytesMost > logBytesMax)
    complaints.push(`Expected a log of at most ${logBytesMax} bytes, but it had ${logBytesMost}`);
  return complaints;
}

export async function inspectOutbox(store: Store): Promise<readonly string[]> {
  const messages = await store.readOutbox(null, 10);
  return messages.map(({ id, to }) => `Expected an empty outbox, but message ${id} to ${to} is in it`);
}

export async function audit(place: Place): Promise<readonly string[]> {
  const engine = await createEngine({ store: storeAt(place), readOnly: true });
  try {
    return await auditOf(engine);
  } finally {
    await engine.close();
  }
}

export const auditOf = async (engine: Engine): Promise<readonly string[]> =>
  (await engine.audit()).problems.map(({ runId, message }) => `audit of run ${runId}: ${message}`);

export async function inspectPages(file: string): Promise<readonly string[]> {
  const driver = await openSqliteDriver(file, { readOnly: true });
  try {
    const found = driver.prepare<{ integrity_check: string }>('PRAGMA integrity_check').all();
    const wrong = found.filter(({ integrity_check }) => integrity_check !== 'ok');
    const content = driver.prepare<{ bytes: number }>(contentQuery).get()?.bytes ?? 0;
    const { size } = statSync(file);
    const isLarge = size > bytesPerContentByte * content + bytesOfAnEmptyFile;
    return [
      ...wrong.map(({ integrity_check }) => `integrity check: ${integrity_check}`),
      ...(isLarge ? [`Expected a file for ${content} bytes of content, but it has ${size}`] : []),
    ];
  } finally {
    driver.close();
  }
}

const contentQuery = `
  SELECT (SELECT coalesce(sum(length(events)), 0) FROM journal)
       + (SELECT coalesce(sum(length(body)), 0) FROM snapshots)
       + (SELECT coalesce(sum(length(value) + length(key)), 0) FROM records)
       + (SELECT coalesce(sum(length(tags) + length(coalesce(result, ''))), 0) FROM runs) AS bytes`;
