// Recording: what is kept of a release, in a folder named for the version of its store: the database file, the journals
// by themselves, and for each run how it stood and how it ended.
//
// Always true: a recording is never changed; a release that writes another version of the store adds a folder.

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { JournalRow } from '../../packages/heddle/src/actor/ports.ts';
import type { Json } from '../../packages/heddle/src/base/json.ts';

export interface Recording {
  readonly version: number;
  readonly recordedAt: number;
  readonly runs: readonly RecordedRun[];
  /** Of runs that were started after the recording, by triggers: workflow and ending, sorted. */
  readonly laterEndings: readonly string[];
  readonly journals: Readonly<Record<string, readonly JournalRow[]>>;
  readonly database: Uint8Array;
}

export interface RecordedRun {
  readonly runId: string;
  readonly workflow: string;
  readonly status: string;
  /** SHA-256 of its public view. */
  readonly hash: string;
  /** What it came to, as the release that made the recording went on with it. */
  readonly ending: Ending;
}

export interface Ending {
  readonly status: string;
  readonly output: Json;
  /** The code of its error. */
  readonly error: string | null;
}

const files = { runs: 'runs.json', journals: 'journals.json.gz', database: 'store.db.gz' } as const;

/** Folders of recordings below `folder`, oldest first. */
export async function listRecordings(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder);
  return names.toSorted((a, b) => Number(a) - Number(b)).map((name) => path.join(folder, name));
}

export async function readRecording(folder: string): Promise<Recording> {
  const told = JSON.parse(await readFile(path.join(folder, files.runs), 'utf8')) as Pick<
    Recording,
    'version' | 'recordedAt' | 'runs' | 'laterEndings'
  >;
  const journals = gunzipSync(await readFile(path.join(folder, files.journals))).toString();
  const database = gunzipSync(await readFile(path.join(folder, files.database)));
  return { ...told, journals: JSON.parse(journals) as Recording['journals'], database };
}

export async function writeRecording(folder: string, { journals, database, ...told }: Recording): Promise<void> {
  await mkdir(folder, { recursive: true });
  const packed = (content: string | Uint8Array): Uint8Array => gzipSync(content, { level: 9 });
  await writeFile(path.join(folder, files.runs), `${JSON.stringify(told, null, 2)}\n`);
  await writeFile(path.join(folder, files.journals), packed(JSON.stringify(journals)));
  await writeFile(path.join(folder, files.database), packed(database));
}
