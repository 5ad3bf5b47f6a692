// What the store does with a file that is not as it wrote it: a row that somebody changed, a bit that turned over in the
// log.

import { readFileSync, writeFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../actor/ports.ts';
import { makeCommit, makeJournalRow, makeRun, refusalOf } from '../store-fixtures.testsuite.ts';
import { openNodeDriver } from './node-driver.ts';
import { openSqliteStore } from './open.ts';
import { loadSqlite } from './sqlite-module.ts';
import { prepareCommit } from './write-commit.ts';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'heddle-damage-'));
  file = path.join(folder, 'heddle.db');
});
afterEach(() => rm(folder, { recursive: true }));

async function fill(): Promise<void> {
  const store = await openSqliteStore(file);
  const runs = ['run-a', 'run-b'].map((runId) => ({ row: makeRun(runId, { tags: { team: runId } }), isNew: true }));
  const outboxAdded = ['m-1', 'm-2'].map((id) => ({ id, to: 'run-a', message: '{}' }));
  const keys = [{ scope: 'start', key: 'k', fingerprint: 'f', runId: 'run-a', at: 1 }];
  await store.commit(makeCommit({ runs, outboxAdded, keys, records: [note] }));
  await store.saveDefinition({ id: 'w', version: 1, hash: 'h', body: '{}', createdAt: 5 });
  await store.close();
}

const note = { kind: 'note', key: 'a', value: '1', dueAt: 1 };

async function harm(sql: string): Promise<void> {
  const Sqlite = await loadSqlite();
  const database = new Sqlite(file, { readOnly: false, enableForeignKeyConstraints: false, defensive: true });
  database.exec(sql);
  database.close();
}

/** Lends the store to a test, and closes it. */
async function withStore<T>(body: (store: Store) => Promise<T>): Promise<T> {
  const store = await openSqliteStore(file);
  try {
    return await body(store);
  } finally {
    await store.close();
  }
}

describe('a row that was changed', () => {
  beforeEach(fill);

  it.each([
    ['runs', "UPDATE runs SET status = 'completed' WHERE run_id = 'run-a'", 'run-a', (s: Store) => s.readRun('run-a')],
    ['runs', "UPDATE runs SET head = 'x' WHERE run_id = 'run-a'", 'run-a', (s: Store) => s.loadRun('run-a')],
    ['keys', "UPDATE keys SET run_id = 'run-b'", 'start k', (s: Store) => s.findKey('start', 'k')],
    ['records', "UPDATE records SET value = '2'", 'note a', (s: Store) => s.readRecord('note', 'a')],
    ['definitions', "UPDATE definitions SET body = '[]'", 'w version 1', (s: Store) => s.findDefinition('w', null)],
    ['definitions', 'UPDATE definitions SET created_at = 6', 'w version 1', (s: Store) => s.listDefinitions()],
  ])('[DM1] of %s is refused when it is read, by its table and key: %s', async (table, sql, key, read) => {
    await harm(sql);
    const refusal = await withStore((store) => refusalOf(() => read(store)));
    expect(refusal.code).toBe('STORE_DAMAGED');
    const found = `row ${key} of its table ${table} was changed, and does not match its checksum`;
    expect(refusal.message).toContain(`to be a whole Heddle database, but ${found}. Put a backup in its place`);
  });

  it('[DM1] shows up in a list of runs as set aside, and the others as they are', async () => {
    await harm("UPDATE runs SET tags = 'rubbish' WHERE run_id = 'run-a'");
    const listed = await withStore(async (store) => store.pageRuns({ limit: 9 }));
    expect(listed.rows.map(({ runId, quarantine }) => [runId, quarantine])).toEqual([
      ['run-b', null],
      ['run-a', expect.stringContaining('row run-a of its table runs was changed')],
    ]);
  });

  it('[DM1] of records has no value in a stretch of them, and is never due', async () => {
    const others = ['b', 'c'].map((key) => ({ ...note, key }));
    await withStore(async (store) => store.commit(makeCommit({ records: others })));
    await harm("UPDATE records SET due_at = 0 WHERE key = 'a'");
    await withStore(async (store) => {
      expect(await store.listRecords('note', { limit: 9 })).toEqual([{ ...note, value: '', dueAt: null }, ...others]);
      expect(await store.dueRecords('note', 5, 1)).toEqual([others[0]]);
      expect(await store.dueRecords('note', 5, 9)).toEqual(others);
      expect(await store.nextDueAt('note')).toBe(1);
    });
  });

  it('[DM1] of records is passed over if its very name was changed into none', async () => {
    await harm("UPDATE records SET key = 'a!00zz'");
    expect(await withStore(async (store) => store.listRecords('note', { limit: 9 }))).toEqual([]);
    expect(await withStore(async (store) => store.findDamage())).toHaveLength(1);
  });

  it('[DM1] in the outbox comes back as no message at all, between the others', async () => {
    await harm("UPDATE outbox SET recipient = 'run-b' WHERE id = 'm-1'");
    const messages = await withStore(async (store) => store.readOutbox(null, 9));
    expect(messages.map(({ id, message }) => [id, message])).toEqual([
      ['m-1', ''],
      ['m-2', '{}'],
    ]);
  });

  it('[DM1] stays damaged when the run is written again', async () => {
    await harm("UPDATE runs SET workflow = 'other' WHERE run_id = 'run-a'");
    const row = makeRun('run-a', { tags: { team: 'run-a' }, seq: 2, head: 'h2' });
    const refusal = await withStore(async (store) => {
      await store.commit(makeCommit({ runs: [{ row, isNew: false }] }));
      return refusalOf(() => store.readRun('run-a'));
    });
    expect(refusal.code).toBe('STORE_DAMAGED');
  });

  it.each([
    ['a row', "UPDATE records SET value = '2'", null, 'row note a of its table records was changed'],
    ['a run', "UPDATE runs SET result = '{}' WHERE run_id = 'run-b'", 'run-b', 'row run-b of its table runs'],
    ['a tag', "UPDATE tags SET value = '\"x\"' WHERE run_id = 'run-a'", 'run-a', 'to be found by its tag team'],
    ['a missing tag', "DELETE FROM tags WHERE run_id = 'run-a'", null, 'Expected 2 rows in its table tags'],
  ])('[AU2] is found by looking at everything: %s', async (_, sql, runId, message) => {
    await harm(sql);
    const damage = await withStore(async (store) => store.findDamage());
    expect(damage).toContainEqual({ runId, message: expect.stringContaining(message) });
  });

  it.each([
    ['runs_by_timer', 'UPDATE runs SET next_timer_at = 7', 'UPDATE runs SET next_timer_at = NULL'],
    ['runs_with_work', 'UPDATE runs SET has_work = 1', 'UPDATE runs SET has_work = 0'],
    ['sub_runs_by_workflow_and_status', "UPDATE runs SET parent_run_id = 'x'", 'UPDATE runs SET parent_run_id = NULL'],
    ['sub_runs_by_status', "UPDATE runs SET parent_run_id = 'x'", 'UPDATE runs SET parent_run_id = NULL'],
    ['runs_by_parent', "UPDATE runs SET parent_run_id = 'x'", 'UPDATE runs SET parent_run_id = NULL'],
    ['records_by_due_time', 'UPDATE records SET due_at = 7', 'UPDATE records SET due_at = NULL'],
  ])('[AU2] is found in the index %s, which has what its table has no more', async (index, before, after) => {
    await harm(before);
    const old = readFileSync(file);
    await harm(after);
    const bytes = readFileSync(file);
    const place = (await rootOf(index)) * 4096;
    old.copy(bytes, place, place, place + 4096);
    writeFileSync(file, bytes);
    const damage = await withStore(async (store) => store.findDamage());
    expect(damage).toContainEqual({ runId: null, message: expect.stringContaining(`in its index ${index}, but`) });
  });

  /** The number of an index's first page, from 0. */
  async function rootOf(index: string): Promise<number> {
    const Sqlite = await loadSqlite();
    const database = new Sqlite(file, { readOnly: true, enableForeignKeyConstraints: false, defensive: true });
    const [found] = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').all(index);
    database.close();
    return (found as { rootpage: number }).rootpage - 1;
  }

  it('[AU2] nothing is found in a store that is as it was written', async () => {
    expect(await withStore(async (store) => store.findDamage())).toEqual([]);
  });
});

describe('a log', () => {
  const frameLength = 24 + 4096;

  /** How many frames of the log are in use; behind them lie those of the log that was there before, with other numbers. */
  function framesOf(bytes: Buffer): number {
    let frames = 0;
    const placeOf = (frame: number) => 32 + frame * frameLength;
    const isUsed = (place: number) => bytes.subarray(16, 24).equals(bytes.subarray(place + 8, place + 16));
    while (placeOf(frames + 1) <= bytes.length && isUsed(placeOf(frames))) frames += 1;
    return frames;
  }

  const readLog = (log: string): Buffer => {
    const bytes = readFileSync(log);
    return bytes.subarray(0, 32 + framesOf(bytes) * frameLength);
  };

  /** A store whose process died after four commits, and where each of them ends in the log, in frames. */
  async function crash(): Promise<{ log: string; ends: number[] }> {
    const store = await openSqliteStore(file);
    const ends: number[] = [];
    for (let seq = 1; seq <= 4; seq += 1) {
      const runs = [{ row: makeRun('run-a', { seq }), isNew: seq === 1 }];
      await store.commit(makeCommit({ runs, journal: [makeJournalRow('run-a', seq)] }));
      ends.push(framesOf(readFileSync(`${file}-wal`)));
    }
    const copy = path.join(folder, 'copy.db');
    for (const ending of ['', '.key']) await cp(`${file}${ending}`, `${copy}${ending}`);
    writeFileSync(`${copy}-wal`, readLog(`${file}-wal`));
    await store.close();
    file = copy;
    return { log: `${copy}-wal`, ends };
  }

  function turnBit(log: string, place: number): void {
    const bytes = readFileSync(log);
    bytes[place]! ^= 16;
    writeFileSync(log, bytes);
  }

  async function seqOf(options = {}, name = file): Promise<number | undefined> {
    const store = await openSqliteStore(name, options);
    const row = await store.readRun('run-a');
    await store.close();
    return row?.seq;
  }

  it.each([
    ['its page', 24 + 900],
    ['its sum', 18],
    ['its page number', 3],
    ['its length of the file', 7],
    ['its numbers', 9],
  ])('[DM2] with a bad frame and a commit behind it is refused, for writing and for reading: %s', async (_, place) => {
    const { log, ends } = await crash();
    const [, second = 0, third = 0] = ends;
    for (const frame of [second + 1, third]) {
      const bytes = readFileSync(log);
      turnBit(log, 32 + (frame - 1) * frameLength + place);
      for (const options of [{}, { readOnly: true }]) {
        const refusal = await refusalOf(() => openSqliteStore(file, options));
        expect(refusal.code).toBe('STORE_DAMAGED');
        expect(refusal.message).toContain(
          `-wal was changed at frame ${frame}, and commits lie behind that. Put a backup`,
        );
      }
      writeFileSync(log, bytes);
    }
    expect(await seqOf()).toBe(4);
  });

  it.each([0, 5, 10, 17, 25])('[DM2] with a bad header is refused: byte %d', async (place) => {
    const { log } = await crash();
    turnBit(log, place);
    expect((await refusalOf(() => openSqliteStore(file))).message).toContain('-wal was changed at frame 0');
  });

  it('[DM2] that ends in the midst of a commit opens to what was committed before', async () => {
    const { log, ends } = await crash();
    const [, , third = 0, fourth = 0] = ends;
    const whole = readFileSync(log);
    /** Each under a name of its own: a connection lives on for a while after it was closed. */
    const openCopy = async (bytes: Uint8Array, name: string): Promise<number | undefined> => {
      await cp(file, path.join(folder, name));
      writeFileSync(path.join(folder, `${name}-wal`), bytes);
      return seqOf({ readOnly: true }, path.join(folder, name));
    };
    expect(await openCopy(whole, 'whole.db')).toBe(4);
    for (let frame = third; frame < fourth; frame += 1) {
      const place = 32 + frame * frameLength;
      expect(await openCopy(whole.subarray(0, place + 1000), `cut-${frame}.db`)).toBe(3);
      expect(await openCopy(Buffer.from(whole).fill(0, place, place + 512), `torn-${frame}.db`)).toBe(3);
    }
  });

  /** The log as a process leaves it that had `before` and committed these messages. */
  async function commitAfter(before: Buffer, letters: readonly string[]): Promise<Buffer> {
    const copy = path.join(folder, `${letters.join('')}.db`);
    await cp(file, copy);
    writeFileSync(`${copy}-wal`, before);
    const driver = openNodeDriver(await loadSqlite(), copy, false);
    const outboxAdded = letters.map((id) => ({ id, to: 'run-a', message: id.repeat(9_000) }));
    prepareCommit(driver)(makeCommit({ outboxAdded }));
    const bytes = readFileSync(`${copy}-wal`);
    driver.close();
    return bytes;
  }

  it('[DM2] with a bad frame and commits behind it is refused, whatever else was cut off behind those', async () => {
    const { log, ends } = await crash();
    const [, second = 0] = ends;
    const whole = readFileSync(log);
    const long = await commitAfter(whole, ['a', 'b', 'c']);
    long.fill(0, whole.length, whole.length + frameLength); // Given up: its first frame did not get to the disk.
    writeFileSync(log, long);
    turnBit(log, 32 + second * frameLength + 900);
    expect((await refusalOf(() => openSqliteStore(file))).message).toContain(`-wal was changed at frame ${second + 1}`);
    turnBit(log, 32 + second * frameLength + 900);
    expect(await seqOf()).toBe(4);
  });

  it('[DM2] with a frame that was never written and commits behind it is refused', async () => {
    const { log, ends } = await crash();
    const [, second = 0] = ends;
    const bytes = readFileSync(log);
    writeFileSync(log, bytes.fill(0, 32 + second * frameLength, 32 + (second + 1) * frameLength));
    expect((await refusalOf(() => openSqliteStore(file))).message).toContain(`-wal was changed at frame ${second + 1}`);
  });

  /** A log whose last commit but one ends with that frame. */
  async function crashBehind(frame: number): Promise<string> {
    for (let pages = 1; pages < frame; pages += 1) {
      file = path.join(folder, `${pages}.db`);
      const store = await openSqliteStore(file);
      await store.commit(makeCommit({ outboxAdded: [{ id: 'm-1', to: 'a', message: 'x'.repeat(pages * 4_000) }] }));
      const end = framesOf(readFileSync(`${file}-wal`));
      await store.commit(makeCommit({ outboxAdded: [{ id: 'm-2', to: 'a', message: '' }] }));
      const files = [readFileSync(file), readLog(`${file}-wal`)];
      await store.close();
      if (end !== frame) continue;
      file = path.join(folder, 'crashed.db');
      for (const [index, ending] of ['', '-wal'].entries()) writeFileSync(`${file}${ending}`, files[index]!);
      return `${file}-wal`;
    }
    throw new Error(`Expected a commit to end with frame ${frame}, but none did`);
  }

  it('[DM2] with a bit turned over where the last commit but one ends is refused, wherever that lies', async () => {
    const frame = 63; // Its header lies in two sectors, and might be of two writes.
    const log = await crashBehind(frame);
    for (const place of [3, 7, 9, 18, 24, 24 + 900, frameLength - 1]) {
      turnBit(log, 32 + (frame - 1) * frameLength + place);
      expect((await refusalOf(() => openSqliteStore(file))).message).toContain(`at frame ${frame}`);
      turnBit(log, 32 + (frame - 1) * frameLength + place);
    }
    const whole = readFileSync(log);
    const torn = 32 + (frame - 1) * frameLength + 16; // Where its second sector begins.
    writeFileSync(log, Buffer.from(whole).fill(0, torn + 512, torn + 1024));
    await withStore(async (store) => expect(await store.readOutbox(null, 9)).toEqual([]));
  });

  it('[DM2] that was cut off twice at one place, first in a long commit, opens to what was committed before', async () => {
    const { log, ends } = await crash();
    const before = readFileSync(log).subarray(0, 32 + (ends[2] ?? 0) * frameLength);
    const long = await commitAfter(before, ['a', 'b', 'c', 'd', 'e']);
    const short = await commitAfter(before, ['x']);
    for (let left = short.length; left < long.length; left += frameLength) {
      const torn = short.length - 4096; // Behind the header of its last frame, which says that the commit is whole.
      const name = path.join(folder, `left-${left}.db`);
      await cp(file, name);
      writeFileSync(`${name}-wal`, Buffer.concat([short.subarray(0, torn), long.subarray(torn, left)]));
      expect(await seqOf({}, name)).toBe(3);
    }
  });
});
