// CheckBackups: whatever lies under the name of a backup is a whole store, whether anybody heard of it or not; one that
// was acknowledged is there, and has what there was at a moment between the request and the answer.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { openSqliteStore } from '../../packages/heddle/src/hosts/sqlite/open.ts';
import { createEngine } from '../../packages/heddle/src/index.ts';
import { type Complain, type Evidence, inspectPages, readRuns } from './evidence.ts';
import { type Entry, type Ledger, runIdOf } from './ledger.ts';
import { backupFolder } from './perform.ts';
import type { Answers, BackUp } from './protocol.ts';

interface Surroundings {
  readonly ledger: Ledger;
  readonly evidence: Evidence;
  /** Of the store that was copied. */
  readonly file: string;
  readonly complain: Complain;
}

export async function checkBackups(around: Surroundings): Promise<void> {
  const { ledger, file, complain } = around;
  const folder = backupFolder(file);
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.db')) : [];
  const asked = new Map(ledger.of('back-up').flatMap((entry) => nameOf(entry).map((name) => [name, entry])));
  for (const name of asked.keys())
    if (!names.includes(name)) complain(`Expected backup ${name}, for it was acknowledged, but it is not there`);
  for (const name of names) {
    const tell: Complain = (complaint) => complain(`Backup ${name}: ${complaint}`);
    try {
      await checkBackup(path.join(folder, name), asked.get(name) ?? null, { ...around, complain: tell });
    } catch (error) {
      tell(`Expected a whole store, but found ${String(error)}`);
    }
  }
}

const nameOf = ({ answers }: Entry<BackUp>): readonly string[] =>
  answers.flatMap((answer) => ('value' in answer ? [(answer.value as Answers['back-up']).file] : [])); // as it is answered

async function checkBackup(copy: string, entry: Entry<BackUp> | null, around: Surroundings): Promise<void> {
  const { file, complain } = around;
  // Before it is opened: whoever opens a store without a key gives it another one.
  if (!existsSync(`${copy}.key`) || !readFileSync(`${copy}.key`).equals(readFileSync(`${file}.key`)))
    complain('Expected the key of the store, but it has none, or another');
  for (const complaint of await inspectPages(copy)) complain(complaint);
  const engine = await createEngine({ store: copy, readOnly: true });
  const runs = await readRuns(engine);
  for (const { runId, message } of (await engine.audit()).problems) complain(`audit of run ${runId}: ${message}`);
  await engine.close();
  checkMoment(runs, entry, around);
  await checkArtifacts(copy, complain);
}

/** Each run as far as it had come; those that were there before, and none of those that were gone. */
function checkMoment(
  runs: Evidence['runs'],
  entry: Entry<BackUp> | null,
  { ledger, evidence, complain }: Surroundings,
): void {
  for (const [runId, { events }] of runs) {
    const later = evidence.runs.get(runId)?.events;
    if (later === undefined && !evidence.gone.has(runId)) complain(`Expected no run ${runId}, but it is there`);
    const at = later === undefined ? -1 : events.findIndex(({ id }, index) => id !== later[index]?.id);
    if (at !== -1) complain(`Expected the first events of run ${runId}, but number ${at} is another`);
  }
  if (entry === null) return;
  const [from, to] = [entry.sentAt, entry.heardAt];
  const deletions = ledger.of('delete');
  for (const { operation, heardAt } of deletions)
    if (heardAt < from && runs.has(operation.runId))
      complain(`Expected no run ${operation.runId}, for it was deleted before, but it is there`);
  const goneInTime = new Set(deletions.filter(({ sentAt }) => sentAt < to).map(({ operation }) => operation.runId));
  for (const start of ledger.of('start')) {
    const runId = runIdOf(start);
    if (runId !== null && start.heardAt < from && !goneInTime.has(runId) && !runs.has(runId))
      complain(`Expected run ${runId}, for its start was acknowledged before, but it is not there`);
  }
}

const artifactsMost = 10_000;

/** Opens it as whoever goes on with it would. */
async function checkArtifacts(copy: string, complain: Complain): Promise<void> {
  const store = await openSqliteStore(copy, { lockWaitMs: 0 });
  try {
    const records = await store.listRecords('artifact', { limit: artifactsMost });
    for (const id of new Set(records.map(({ key }) => key.slice(key.lastIndexOf('/') + 1)))) {
      const bytes = await store.artifacts.get(id);
      const found = bytes === null ? 'nothing' : createHash('sha256').update(bytes).digest('hex');
      if (found !== id) complain(`Expected the bytes of artifact ${id}, but found ${found}`);
    }
  } finally {
    await store.close();
  }
}
