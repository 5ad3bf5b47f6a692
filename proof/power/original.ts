// Original: a store at some moment of a recording, whole, as a process that died left it or at rest in one file; and all
// that it tells.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Store } from '../../packages/heddle/src/actor/ports.ts';
import { openStoreWith } from '../../packages/heddle/src/hosts/sqlite/open.ts';
import type { SqliteDatabase } from '../../packages/heddle/src/hosts/sqlite/sqlite-module.ts';
import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import { type Answers, askAll, findSubjects, type Subjects } from './answers.ts';
import { type Files, seenFiles, writeFiles } from './loss.ts';
import type { Recording } from './recording.ts';
import { Walk } from './walk.ts';
import { watchSqlite } from './watch-sqlite.ts';

export interface Original {
  readonly recording: Recording;
  /** As a process that died left it, or at rest. */
  readonly files: Files;
  readonly filesAtRest: Files;
  /** At rest, some commits earlier. */
  readonly filesEarlier: Files;
  readonly subjects: Subjects;
  readonly answers: Answers;
  /** As it was one commit earlier. */
  readonly fingerprintBefore: string | null;
}

const commitsLeast = 12;

export async function makeOriginal(recording: Recording, dice: Dice, folder: string): Promise<Original> {
  const { disk, changes, fingerprints } = recording;
  const commits = changes.flatMap((change, index) =>
    change.type === 'marked' && change.mark.type === 'committed' ? [index + 1] : [],
  );
  const now = dice.between(commitsLeast, commits.length - 1);
  const isAtRest = dice.chance(3, 5);
  const walk = new Walk(disk, changes);
  walk.goTo(commits[now - dice.between(1, commitsLeast)] ?? 0);
  const { files: filesEarlier } = await comeToRest(walk, `${folder}-earlier`, async () => null);
  walk.goTo(commits[now] ?? changes.length);
  const { files: filesAtRest, told } = await comeToRest(walk, folder, tellAll);
  const files = isAtRest ? filesAtRest : seenFiles(walk.disk.root);
  const fingerprintBefore = fingerprints[walk.knowledge.committed - 1] ?? null;
  return { recording, files, filesAtRest, filesEarlier, ...told, fingerprintBefore };
}

async function tellAll(store: Store, database: SqliteDatabase): Promise<Pick<Original, 'subjects' | 'answers'>> {
  const subjects = await findSubjects(store, database);
  return { subjects, answers: await askAll(store, subjects) };
}

/** The store is opened and closed again: then it has no log any more. */
async function comeToRest<Told>(
  walk: Walk,
  folder: string,
  tell: (store: Store, database: SqliteDatabase) => Promise<Told>,
): Promise<{ readonly files: Files; readonly told: Told }> {
  const seen = seenFiles(walk.disk.root);
  writeFiles(seen, folder);
  const { Sqlite, database } = await watchSqlite({});
  const store = await openStoreWith(Sqlite, path.join(folder, 'heddle.db'));
  const told = await tell(store, database());
  await store.close();
  const names = [...seen.keys()].filter((name) => !name.endsWith('-wal'));
  return { files: new Map(names.map((name) => [name, readFileSync(path.join(folder, name))])), told };
}
