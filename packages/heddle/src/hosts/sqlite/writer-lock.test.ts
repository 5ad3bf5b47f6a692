import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { makeCommit, makeRun, refusalOf } from '../store-fixtures.testsuite.ts';
import { checkFile, migrate, schemaVersion } from './migrations.ts';
import { openNodeDriver } from './node-driver.ts';
import { hasWriter, openSqliteStore } from './open.ts';
import { loadSqlite } from './sqlite-module.ts';
import { buildWriter, startWriter, type WriterProcess } from './writer-process.testsuite.ts';

let tools: string;
let writerProgram: string;
let folder: string;
let file: string;
let writers: WriterProcess[];

beforeAll(async () => {
  tools = await mkdtemp(path.join(tmpdir(), 'heddle-writer-'));
  writerProgram = await buildWriter(tools);
});
afterAll(() => rm(tools, { recursive: true }));
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'heddle-lock-'));
  file = path.join(folder, 'heddle.db');
  writers = [];
});
afterEach(async () => {
  await Promise.all(writers.map((writer) => writer.kill()));
  await rm(folder, { recursive: true });
});

function write(options: { commits?: number; pauseMs?: number } = {}): WriterProcess {
  const writer = startWriter(writerProgram, file, options);
  writers.push(writer);
  return writer;
}

it('refuses a second writer with a sentence that says what to do', async () => {
  const other = write();
  expect(await other.nextLine()).toBe('open');
  const refusal = await refusalOf(() => openSqliteStore(file, { lockWaitMs: 0 }));
  expect(refusal.code).toBe('STORE_LOCKED');
  expect(refusal.message).toBe(
    `Expected to be the only one that writes to ${file}, but another engine (of this or another process) has it open ` +
      'for writing. Stop that one, or open the file for reading only (readOnly: true; heddle runs, show and audit do).',
  );
});

it('tells whether somebody writes now, in whichever process, and leaves no trace of having looked', async () => {
  const store = await openSqliteStore(file);
  expect([await hasWriter(file), await hasWriter(file)]).toEqual([true, true]);
  expect(await write().nextLine()).toBe('STORE_LOCKED'); // Looking has not let it go.
  await store.close();
  expect(await hasWriter(file)).toBe(false);
  const other = write();
  expect(await other.nextLine()).toBe('open');
  expect(await hasWriter(file)).toBe(true);
  await other.kill();
  expect(await hasWriter(file)).toBe(false);
  await rm(`${file}-lock`);
  expect(await hasWriter(file)).toBe(false);
  expect(existsSync(`${file}-lock`)).toBe(false);
});

it('refuses a second writer in the same process, and under another name of the file', async () => {
  const store = await openSqliteStore(file);
  const link = path.join(folder, 'link.db');
  await symlink(file, link);
  expect((await refusalOf(() => openSqliteStore(file, { lockWaitMs: 0 }))).code).toBe('STORE_LOCKED');
  expect((await refusalOf(() => openSqliteStore(link, { lockWaitMs: 0 }))).code).toBe('STORE_LOCKED');
  await store.commit(makeCommit({ runs: [{ row: makeRun('run-a'), isNew: true }] })); // It is not disturbed.
  const process = write();
  expect(await process.nextLine()).toBe('STORE_LOCKED');
  await store.close();
  await (await openSqliteStore(link, { lockWaitMs: 0 })).close();
});

it('refuses through a link that was there before the file', async () => {
  const link = path.join(folder, 'link.db');
  await symlink(file, link);
  const store = await openSqliteStore(link);
  expect((await refusalOf(() => openSqliteStore(file, { lockWaitMs: 0 }))).code).toBe('STORE_LOCKED');
  await store.close();
});

it('lets exactly one of many win that create the file at the same time', async () => {
  const racing = [write(), write(), write(), write()];
  const answers = await Promise.all(racing.map((writer) => writer.nextLine()));
  expect(answers.filter((answer) => answer === 'open')).toHaveLength(1);
  expect(answers.filter((answer) => answer === 'STORE_LOCKED')).toHaveLength(3);
});

it('waits for a writer that leaves, and finds no stale lock after SIGKILL', async () => {
  const other = write();
  await other.nextLine();
  const opening = openSqliteStore(file, { lockWaitMs: 10_000 });
  await other.kill();
  const store = await opening;
  await store.close();
  expect((await stat(`${file}-lock`)).size).toBe(0);
  expect(existsSync(`${file}-lock-journal`)).toBe(false);
  expect(existsSync(`${file}-wal`)).toBe(false); // All of it is in the file once the last one has closed it.
});

it('lets readers look on while another process writes', async () => {
  const other = write({ commits: 1000, pauseMs: 5 });
  while ((await other.nextLine()) !== '3');
  const reader = await openSqliteStore(file, { readOnly: true });
  const seen: number[] = [];
  for (let turn = 0; turn < 5; turn += 1) {
    const run = await reader.loadRun('run-a');
    expect(run?.journal.at(-1)?.seq).toBe(run?.row.seq); // Row and journal of one moment.
    seen.push(run?.row.seq ?? 0);
    await other.nextLine();
    await other.nextLine();
  }
  expect(seen[0]).toBeGreaterThanOrEqual(3);
  expect(seen.at(-1)).toBeGreaterThan(seen[0]!);
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  expect((await refusalOf(() => reader.commit(makeCommit({ outboxDone: ['x'] })))).code).toBe('STORE_UNWRITABLE');
  await reader.close();
});

it('keeps every acknowledged commit whole through SIGKILL at any moment', async () => {
  for (const linesBefore of [1, 2, 40, 300]) {
    const other = write({ commits: 100_000 });
    for (let line = 0; line < linesBefore; line += 1) await other.nextLine();
    const acknowledged = Number((await other.kill()).at(-1));
    const store = await openSqliteStore(file, { lockWaitMs: 0 });
    const run = await store.loadRun('run-a');
    const seqs = run?.journal.map(({ seq }) => seq) ?? [];
    const messages = await store.readOutbox(null, 1_000_000);
    await store.close();
    if (linesBefore > 1) expect(run?.row.seq).toBeGreaterThanOrEqual(acknowledged);
    expect(seqs).toEqual(Array.from({ length: run?.row.seq ?? 0 }, (_, index) => index + 1));
    expect(messages).toHaveLength(seqs.length);
  }
});

it('is not mistaken about a file whose tables another makes while it looks', async () => {
  const Sqlite = await loadSqlite();
  const [driver, other] = [openNodeDriver(Sqlite, file, false), openNodeDriver(Sqlite, file, false)];
  let isMade = false;
  const looking: typeof driver = {
    ...driver,
    prepare(sql) {
      if (!isMade && sql.includes('sqlite_schema')) migrate(other, file);
      isMade ||= sql.includes('sqlite_schema');
      return driver.prepare(sql);
    },
  };
  expect(checkFile(looking, file)).toBe(schemaVersion);
  driver.close();
  other.close();
});
