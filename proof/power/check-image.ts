// CheckImage: opens what a loss of power left, with the real store and the real engine, and asks whether it is a moment
// of the recorded history: at least everything that was acknowledged, and nothing that was not sent.

import path from 'node:path';
import type { Store } from '../../packages/heddle/src/actor/ports.ts';
import { auditStore } from '../../packages/heddle/src/engine/audit.ts';
import { openStoreWith } from '../../packages/heddle/src/hosts/sqlite/open.ts';
import type { SqliteDatabase } from '../../packages/heddle/src/hosts/sqlite/sqlite-module.ts';
import { Fingerprints } from './fingerprint.ts';
import { goOn } from './go-on.ts';
import { type Files, writeFiles } from './loss.ts';
import type { Recording } from './recording.ts';
import type { Knowledge } from './walk.ts';
import { watchSqlite } from './watch-sqlite.ts';

export interface Image {
  readonly files: Files;
  readonly knowledge: Knowledge;
  readonly recording: Recording;
  /** Whether the engine shall also go on to the end. */
  readonly goesOn: boolean;
}

/** What is wrong, if anything. */
export async function checkImage(image: Image, folder: string): Promise<string | null> {
  const { recording } = image;
  writeFiles(image.files, folder);
  try {
    const { Sqlite, database } = await watchSqlite({});
    const store = await openStoreWith(Sqlite, path.join(folder, 'heddle.db'));
    try {
      return (
        (await checkStore(image, store, database())) ??
        (await checkCopies(image, folder)) ??
        (image.goesOn ? await goOn(recording, store) : null)
      );
    } finally {
      await store.close();
    }
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}

async function checkStore(image: Image, store: Store, database: SqliteDatabase): Promise<string | null> {
  return (
    checkMoment(image, new Fingerprints(database).next()) ??
    checkNonces(image.knowledge, database) ??
    (await checkFiles({ isOpened: image.knowledge.opened, recording: image.recording }, store)) ??
    (await checkAudit(store))
  );
}

function checkMoment({ knowledge, recording }: Image, found: string): string | null {
  const { committed, begun } = knowledge;
  const { fingerprints } = recording;
  if (fingerprints.slice(committed, begun + 1).includes(found)) return null;
  const moment = fingerprints.lastIndexOf(found);
  const what = moment < 0 ? 'no moment of its history' : `as after commit ${moment}`;
  return `Expected the store as after commit ${committed} to ${begun}, but it is ${what}`;
}

function checkNonces({ sent, acknowledged }: Knowledge, database: SqliteDatabase): string | null {
  const rows = database.prepare('SELECT events AS text FROM journal UNION ALL SELECT key || value FROM records').all();
  const found = new Set((rows as { text: string }[]).flatMap(({ text }) => text.match(/<[a-z0-9-]+>/g) ?? []));
  const lost = [...acknowledged].filter((nonce) => !found.has(nonce));
  const invented = [...found].filter((nonce) => !sent.has(nonce));
  if (lost.length + invented.length === 0) return null;
  return `Expected what was acknowledged and nothing but what was sent, but lost is ${lost.join()}, unsent ${invented.join()}`;
}

/** A backup that was said to be there is there; and whatever lies under the name of one is whole. */
async function checkCopies({ files, knowledge, recording }: Image, folder: string): Promise<string | null> {
  const lost = [...knowledge.copies].filter((name) => !files.has(name));
  if (lost.length > 0) return `Expected the backups that were made, but lost is ${lost.join()}`;
  for (const name of files.keys()) {
    if (!/^copy-[a-z-]+\.db$/.test(name)) continue;
    const wrong = await checkCopy(recording, path.join(folder, name));
    if (wrong !== null) return `Expected backup ${name} to be whole, but: ${wrong}`;
  }
  return null;
}

async function checkCopy(recording: Recording, file: string): Promise<string | null> {
  const { Sqlite, database } = await watchSqlite({});
  const store = await openStoreWith(Sqlite, file);
  try {
    if (!recording.fingerprints.includes(new Fingerprints(database()).next())) return 'it is no moment of the history';
    return (await checkFiles({ isOpened: true, recording }, store)) ?? (await checkAudit(store));
  } finally {
    await store.close();
  }
}

interface Beside {
  /** The key was made. */
  readonly isOpened: boolean;
  readonly recording: Recording;
}

async function checkFiles({ isOpened, recording }: Beside, store: Store): Promise<string | null> {
  const key = await store.secretKey();
  if (isOpened && !recording.key.subarray(0, key.length).equals(key))
    return 'Expected the key with which the store was first opened, but it is another';
  for (const { key: name } of await store.listRecords('artifact', { limit: 1_000 })) {
    if ((await store.artifacts.get(name.slice(name.indexOf('/') + 1))) === null)
      return `Expected artifact ${name}, of which the store tells, but its bytes are missing`;
  }
  return null;
}

async function checkAudit(store: Store): Promise<string | null> {
  const { problems } = await auditStore(store);
  return problems.length === 0 ? null : `Expected a clean audit, but: ${JSON.stringify(problems)}`;
}
