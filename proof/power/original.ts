// Original: a store at some moment of a recording, whole, as a process that died left it or at rest in one file; and all
// that it tells.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { openStoreWith } from '../../packages/heddle/src/hosts/sqlite/open.ts';
import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import { type Answers, askAll, findSubjects, type Subjects } from './answers.ts';
import { applyBytes, type FolderNode } from './disk.ts';
import { type Files, writeFiles } from './loss.ts';
import type { Recording } from './recording.ts';
import { Walk } from './walk.ts';
import { watchSqlite } from './watch-sqlite.ts';

export interface Original {
  readonly recording: Recording;
  readonly files: Files;
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
  const walk = new Walk(disk, changes);
  walk.goTo(commits[dice.between(commitsLeast, commits.length - 1)] ?? changes.length);
  const crashed = seenFiles(walk.disk.root);
  writeFiles(crashed, folder);
  const { Sqlite, database } = await watchSqlite({});
  const store = await openStoreWith(Sqlite, path.join(folder, 'heddle.db'));
  const subjects = await findSubjects(store, database());
  const answers = await askAll(store, subjects);
  await store.close();
  const files = dice.chance(3, 5) ? atRest(crashed, folder) : crashed;
  return { recording, files, subjects, answers, fingerprintBefore: fingerprints[walk.knowledge.committed - 1] ?? null };
}

/** The store was closed in this folder: there is no log any more. */
function atRest(files: Files, folder: string): Files {
  const names = [...files.keys()].filter((name) => !name.endsWith('-wal'));
  return new Map(names.map((name) => [name, readFileSync(path.join(folder, name))]));
}

/** As programs see it: nothing is lost when a process dies. */
function seenFiles(root: FolderNode): Files {
  const files = new Map<string, Buffer>();
  const folders: [string, FolderNode][] = [['', root]];
  for (const [place, folder] of folders) {
    for (const [name, node] of folder.seen) {
      const below = place === '' ? name : `${place}/${name}`;
      if (below.endsWith('-shm')) continue;
      if (node.type === 'folder') folders.push([below, node]);
      else files.set(below, applyBytes(node.bytes, node.waiting));
    }
  }
  return files;
}
