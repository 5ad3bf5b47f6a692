// The file of a store: whose it is, under how many names, with or without its log, in its place or not, on a full disk.

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { cp, type FileHandle, link, mkdir, mkdtemp, open, readFile, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeCommit, makeJournalRow, makeRun, refusalOf } from '../store-fixtures.testsuite.ts';
import { openSqliteStore, openStoreWith, type SqliteStoreOptions } from './open.ts';
import { loadSqlite, type SqliteConstructor } from './sqlite-module.ts';

let folder: string;
let file: string;
const umask = process.umask();
const realNow = performance.now.bind(performance);

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'heddle-file-'));
  file = path.join(folder, 'heddle.db');
});
afterEach(async () => {
  vi.restoreAllMocks();
  process.umask(umask);
  await rm(folder, { recursive: true });
});

const commitOf = (runId: string) => makeCommit({ runs: [{ row: makeRun(runId), isNew: true }] });

async function runIn(name: string, options: SqliteStoreOptions = {}): Promise<string[]> {
  const store = await openSqliteStore(name, options);
  const { rows } = await store.pageRuns({ limit: 100 });
  await store.close();
  return rows.map(({ runId }) => runId).toSorted();
}

/** Database, log and key as a process leaves them that is killed; some may be left out. */
async function crashed(endings: readonly string[]): Promise<string> {
  const store = await openSqliteStore(file);
  await store.commit(commitOf('early'));
  const copy = path.join(folder, `crashed-${endings.join('')}.db`);
  for (const ending of endings) await cp(`${file}${ending}`, `${copy}${ending}`);
  await store.close();
  return copy;
}

describe.skipIf(process.platform === 'win32')('who may read it', () => {
  const modeOf = (name: string) => (statSync(name).mode & 0o777).toString(8);

  it.each([0, 0o022, 0o077])('[FS1] all that a store makes is for its owner alone, with umask %i', async (mask) => {
    process.umask(mask);
    const store = await openSqliteStore(file);
    await store.commit(commitOf('a'));
    const id = await store.artifacts.put(new Uint8Array([1]));
    await store.upkeep?.backup(path.join(folder, 'copies', 'copy.db'));
    const modes = Object.fromEntries(
      readdirSync(folder, { recursive: true }).map((name) => [name, modeOf(path.join(folder, String(name)))]),
    );
    await store.close();
    const artifact = path.join(id.slice(0, 2), id.slice(2));
    expect(modes).toEqual({
      'heddle.db': '600',
      'heddle.db-wal': '600',
      'heddle.db-shm': '600',
      'heddle.db-lock': '600',
      'heddle.db.key': '600',
      'heddle.db-artifacts': '700',
      [path.join('heddle.db-artifacts', id.slice(0, 2))]: '700',
      [path.join('heddle.db-artifacts', artifact)]: '600',
      copies: '700',
      [path.join('copies', 'copy.db')]: '600',
      [path.join('copies', 'copy.db.key')]: '600',
      [path.join('copies', 'copy.db-artifacts')]: '700',
      [path.join('copies', 'copy.db-artifacts', id.slice(0, 2))]: '700',
      [path.join('copies', 'copy.db-artifacts', artifact)]: '600',
    });
  });

  it('[FS1] a file that is there stays as it is, and one that a link leads to is made like any other', async () => {
    await (await openSqliteStore(file)).close();
    chmodSync(file, 0o640);
    await (await openSqliteStore(file)).close();
    expect(modeOf(file)).toBe('640');
    await symlink(path.join(folder, 'target.db'), path.join(folder, 'link.db'));
    await (await openSqliteStore(path.join(folder, 'link.db'))).close();
    expect(modeOf(path.join(folder, 'target.db'))).toBe('600');
  });
});

describe('its names', () => {
  it('[FS2] a file with a second name is not written to, by either', async () => {
    const store = await openSqliteStore(file);
    const other = path.join(folder, 'other.db');
    await link(file, other);
    const refusal = await refusalOf(() => openSqliteStore(other, { lockWaitMs: 0 }));
    expect(refusal.code).toBe('STORE_UNWRITABLE');
    expect(refusal.message).toBe(
      `Expected ${other} to have one name, but it has 2 (hard links), and each would have a log of its own. Remove the ` +
        `other names, or copy the file and open the copy.`,
    );
    await store.commit(commitOf('a'));
    await store.close();
    expect((await refusalOf(() => openSqliteStore(file))).code).toBe('STORE_UNWRITABLE');
    await rm(other);
    expect(await runIn(file)).toEqual(['a']);
  });

  it('[FS3] a second name has not the log of the first: it is not read either', async () => {
    const store = await openSqliteStore(file);
    const other = path.join(folder, 'other.db');
    await link(file, other);
    const refusal = await refusalOf(() => openSqliteStore(other, { readOnly: true }));
    expect(refusal.message).toContain(`it was last open as ${file}`);
    await store.close();
  });

  it('[FS3] a file that was renamed while it is open cannot be opened by its new name', async () => {
    const store = await openSqliteStore(file);
    await store.commit(commitOf('a'));
    const moved = path.join(folder, 'moved.db');
    await rename(file, moved);
    expect((await refusalOf(() => openSqliteStore(moved, { lockWaitMs: 0 }))).code).toBe('STORE_DAMAGED');
    await rename(moved, file);
    await store.close();
    expect(await runIn(file)).toEqual(['a']);
  });
});

describe('its log', () => {
  it.each([{}, { readOnly: true }])(
    '[FS3] a file that a crash left is refused without its log: %j',
    async (options) => {
      const copy = await crashed(['', '.key']);
      for (const log of [null, '']) {
        if (log !== null) writeFileSync(`${copy}-wal`, log);
        const refusal = await refusalOf(() => openSqliteStore(copy, options));
        expect(refusal.code).toBe('STORE_DAMAGED');
        expect(refusal.message).toBe(
          `Expected the log ${copy}-wal, which holds what was committed last, but it is missing or empty, for it was last ` +
            `open as ${file}. Put it back beside the file, or put a backup in the place of both. If another SQLite program ` +
            `has opened and closed the file since, nothing is lost: open it once with withoutLog: true, or with \`heddle db accept-missing-log\`.`,
        );
      }
    },
  );

  it('[FS3] with its log it opens, wherever both were moved; and without it, if that is asked for', async () => {
    const whole = await crashed(['', '-wal', '.key']);
    const bare = path.join(folder, 'bare.db');
    for (const ending of ['', '.key']) await cp(`${whole}${ending}`, `${bare}${ending}`);
    expect(await runIn(whole)).toEqual(['early']);
    expect(await runIn(bare, { withoutLog: true })).toEqual([]);
    expect(await runIn(bare)).toEqual([]);
  });

  it.skipIf(!existsSync('/proc/self/fd'))(
    '[DM2] what a killed process left in it is synced before more is written',
    async () => {
      const copy = await crashed(['', '-wal', '.key']);
      const left = await readFile(`${copy}-wal`);
      const handle = await open(copy, 'r');
      const prototype = Object.getPrototypeOf(handle) as { sync(this: FileHandle): Promise<void> };
      const original = Reflect.get(prototype, 'sync');
      await handle.close();
      const sync = (target: FileHandle): Promise<void> => original.call(target);
      const wasUntouched: boolean[] = [];
      vi.spyOn(prototype, 'sync').mockImplementation(function (this: FileHandle) {
        const isLog = readlinkSync(`/proc/self/fd/${this.fd}`) === `${copy}-wal`;
        if (isLog) wasUntouched.push(readFileSync(`${copy}-wal`).equals(left));
        return sync(this);
      });
      expect(await runIn(copy)).toEqual(['early']);
      expect(wasUntouched).toEqual([true]);
    },
  );

  it('[FS3] a file that was closed needs none, nor does a backup', async () => {
    const store = await openSqliteStore(file);
    await store.commit(commitOf('a'));
    await store.upkeep?.vacuum();
    const copy = path.join(folder, 'copy.db');
    await store.upkeep?.backup(copy);
    await store.close();
    expect(existsSync(`${file}-wal`)).toBe(false);
    expect([await runIn(copy), await runIn(file), await runIn(file, { readOnly: true })]).toEqual([
      ['a'],
      ['a'],
      ['a'],
    ]);
  });

  it('[FS3] a log that is lost after a vacuum is missed too', async () => {
    const store = await openSqliteStore(file);
    await store.upkeep?.vacuum();
    const [whole, bare] = ['whole.db', 'bare.db'].map((name) => path.join(folder, name)) as [string, string];
    for (const ending of ['', '-wal', '.key']) await cp(`${file}${ending}`, `${whole}${ending}`);
    await cp(file, bare);
    await store.close();
    expect(await runIn(whole)).toEqual([]);
    expect((await refusalOf(() => openSqliteStore(bare))).code).toBe('STORE_DAMAGED');
  });

  it('[FS3] an empty file with a key beside it is not taken for a new store', async () => {
    await (await openSqliteStore(file)).close();
    writeFileSync(file, '');
    const refusal = await refusalOf(() => openSqliteStore(file));
    expect(refusal.code).toBe('STORE_DAMAGED');
    expect(refusal.message).toContain(`it holds nothing, although ${file}.key was made for what it held`);
    await rm(file);
    expect(await runIn(file)).toEqual([]);
  });
});

/** As if so much time had passed: how often a store looks is its own affair. */
function later(ms: number): void {
  vi.spyOn(performance, 'now').mockImplementation(() => realNow() + ms);
}

describe('its place', () => {
  /** All but the index of the log: it holds nothing, and newer versions of SQLite remove it with the last connection. */
  const filesThatLast = () => readdirSync(folder).filter((name) => !name.endsWith('-shm'));
  const losses: Readonly<Record<string, () => void | Promise<void>>> = {
    deleted: () => rm(file),
    moved: () => rename(file, path.join(folder, 'moved.db')),
    'replaced by a copy of itself': async () => {
      const bytes = await readFile(file);
      await rm(file);
      writeFileSync(file, bytes);
    },
    'without its log': () => rm(`${file}-wal`),
  };

  it.each(Object.entries(losses))('[FS4] a file that was %s acknowledges nothing a second later', async (_, lose) => {
    const store = await openSqliteStore(file);
    await store.commit(commitOf('a'));
    await lose();
    later(1_000);
    for (let turn = 0; turn < 2; turn += 1) {
      const refusal = await refusalOf(() => store.commit(commitOf('b')));
      expect(refusal.code).toBe('STORE_GONE');
      expect(refusal.message).toMatch(
        /^Expected .*heddle\.db(-wal)? to be the file that was opened, but it was deleted/,
      );
    }
    const left = filesThatLast();
    await store.close();
    expect(filesThatLast()).toEqual(left); // What lies under its names is another's now.
  });

  it('[FS4] a file that is back in its place is written to again', async () => {
    const store = await openSqliteStore(file);
    renameSync(file, path.join(folder, 'moved.db'));
    later(1_000);
    expect((await refusalOf(() => store.commit(commitOf('a')))).code).toBe('STORE_GONE');
    renameSync(path.join(folder, 'moved.db'), file);
    await store.commit(commitOf('b'));
    await store.close();
    expect(await runIn(file)).toEqual(['b']);
  });
});

describe('a full disk', () => {
  /** SQLite on a disk that is full, for commits, while that is so. */
  async function fullWhile(isFull: () => boolean): Promise<SqliteConstructor> {
    const Sqlite = await loadSqlite();
    return class extends Sqlite {
      override exec(sql: string): void {
        if (sql === 'COMMIT' && isFull()) throw Object.assign(new Error('database or disk is full'), { errcode: 13 });
        super.exec(sql);
      }
    };
  }

  it('[FS5] gets the room of the log, and the write goes on', async () => {
    let isFull = false;
    const Sqlite = await fullWhile(() => isFull);
    class Emptied extends Sqlite {
      override prepare(sql: string) {
        if (sql.includes('wal_checkpoint(RESTART)')) isFull = false;
        return super.prepare(sql);
      }
    }
    const store = await openStoreWith(Emptied, file);
    isFull = true;
    await store.commit(commitOf('a'));
    await store.close();
    expect(await runIn(file)).toEqual(['a']);
  });

  it('[FS5] refuses what does not fit even then, and goes on as soon as there is room', async () => {
    let isFull = false;
    const store = await openStoreWith(await fullWhile(() => isFull), file);
    isFull = true;
    expect((await refusalOf(() => store.commit(commitOf('a')))).code).toBe('STORE_FULL');
    isFull = false;
    await store.commit(commitOf('b'));
    await store.close();
    expect(await runIn(file)).toEqual(['b']);
  });

  /** A disk of its own: needs Linux, and the right to mount. */
  function mounted(megabytes: number): string | null {
    const place = path.join(folder, 'disk');
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'none', place], { stdio: 'ignore' });
      return place;
    } catch {
      return null;
    }
  }

  it('[FS5] filled by the store itself, a little room helps at once, and nothing is lost', async (context) => {
    await mkdir(path.join(folder, 'disk'));
    const disk = mounted(48);
    if (disk === null) return context.skip('needs the right to mount a small disk');
    try {
      writeFileSync(path.join(disk, 'other'), Buffer.alloc(1_048_576));
      const name = path.join(disk, 'heddle.db');
      const store = await openSqliteStore(name);
      const text = 'x'.repeat(200_000);
      const write = async (seq: number) => {
        const journal = [makeJournalRow('a', seq, JSON.stringify([text]))];
        later(seq * 1_000);
        await store.commit(makeCommit({ runs: [{ row: makeRun('a', { seq }), isNew: seq === 1 }], journal }));
      };
      let seq = 1;
      const fill = async (): Promise<number> => {
        const from = seq;
        for (;;) {
          try {
            await write(seq);
            seq += 1;
          } catch (error) {
            expect(error).toMatchObject({ code: 'STORE_FULL' });
            return seq - from;
          }
        }
      };
      expect(await fill()).toBeGreaterThan(100);
      expect(statSync(`${name}-wal`).size).toBeLessThan(1_048_576);
      await rm(path.join(disk, 'other'));
      expect(await fill()).toBeGreaterThan(1);
      expect((await store.readRun('a'))?.seq).toBe(seq - 1);
      await store.close();
      expect(await runIn(name, { readOnly: true })).toEqual(['a']);
    } finally {
      execFileSync('umount', ['-l', disk]); // A connection lives on for a while after it was closed.
    }
  });
});
