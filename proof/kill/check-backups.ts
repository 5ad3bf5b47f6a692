// CheckBackups: whatever lies under the name of a backup is a whole store, whether anybody heard of it or not; one that
// was acknowledged is there, and has what there was at a moment between the request and the answer. Of a fleet some copies
// may be there and others not, if nobody heard of it: then it is refused.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { HeddleError } from '../../packages/heddle/src/base/heddle-error.ts';
import { openSqliteStore } from '../../packages/heddle/src/hosts/sqlite/open.ts';
import { audit, type Complain, type Evidence, inspectPages, readRunsAt } from './evidence.ts';
import { type Entry, type Ledger, runIdOf } from './ledger.ts';
import { backupFolder } from './perform.ts';
import { filesOf, isFleet, missingAt, type Place } from './place.ts';
import type { Answers, BackUp } from './protocol.ts';

interface Surroundings {
  readonly ledger: Ledger;
  readonly evidence: Evidence;
  /** Of the store that was copied. */
  readonly place: Place;
  readonly complain: Complain;
}

/** Answers with those that are whole. */
export async function checkBackups(around: Surroundings): Promise<readonly Place[]> {
  const { ledger, place, complain } = around;
  const folder = backupFolder(place.path);
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => isFleet(place) || name.endsWith('.db')) : [];
  const asked = new Map(ledger.of('back-up').flatMap((entry) => nameOf(entry).map((name) => [name, entry])));
  for (const name of asked.keys())
    if (!names.includes(name)) complain(`Expected backup ${name}, for it was acknowledged, but it is not there`);
  const whole: Place[] = [];
  for (const name of names) {
    const tell: Complain = (complaint) => complain(`Backup ${name}: ${complaint}`);
    const copy: Place = { path: path.join(folder, name), shards: place.shards };
    const entry = asked.get(name) ?? null;
    try {
      if (entry === null && missingAt(copy).length > 0) await checkRefusal(copy, tell);
      else whole.push(await checkBackup(copy, entry, { ...around, complain: tell }));
    } catch (error) {
      tell(`Expected a whole store, but found ${String(error)}`);
    }
  }
  return whole;
}

const nameOf = ({ answers }: Entry<BackUp>): readonly string[] =>
  answers.flatMap((answer) => ('value' in answer ? [(answer.value as Answers['back-up']).name] : [])); // as it is answered

/** What is only a part of a fleet is never taken for one. */
async function checkRefusal(copy: Place, complain: Complain): Promise<void> {
  const found = await readRunsAt(copy).then(
    () => 'that it opened',
    (error: unknown) => (error instanceof HeddleError ? error.code : String(error)),
  );
  if (found !== 'STORE_MISSING')
    complain(
      `Expected it to be refused with STORE_MISSING, for ${missingAt(copy).join()} is missing, but found ${found}`,
    );
}

async function checkBackup(copy: Place, entry: Entry<BackUp> | null, around: Surroundings): Promise<Place> {
  const { place, complain } = around;
  // Before it is opened: whoever opens a store without a key gives it another one.
  const originals = filesOf(place);
  for (const [shard, file] of filesOf(copy).entries())
    if (!existsSync(`${file}.key`) || !readFileSync(`${file}.key`).equals(readFileSync(`${originals[shard]}.key`)))
      complain(`Expected the key of the store, but ${file} has none, or another`);
  for (const file of filesOf(copy)) for (const complaint of await inspectPages(file)) complain(complaint);
  const runs = await readRunsAt(copy);
  for (const problem of await audit(copy)) complain(problem);
  checkMoment(runs, entry, around);
  for (const file of filesOf(copy)) await checkArtifacts(file, complain);
  return copy;
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
async function checkArtifacts(file: string, complain: Complain): Promise<void> {
  const store = await openSqliteStore(file, { lockWaitMs: 0 });
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
