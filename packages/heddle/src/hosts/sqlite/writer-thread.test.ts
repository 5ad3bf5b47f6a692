import { execFile } from 'node:child_process';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Commit, Store } from '../../actor/ports.ts';
import { sideCommit } from '../../actor/side-writer.ts';
import { openSqliteStore } from './open.ts';
import { WriterThread, type WriterThreadOptions } from './writer-thread.ts';

let folder = '';
let file = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'heddle-thread-'));
  file = path.join(folder, 'heddle.db');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const note = (key: string, value = '1'): Commit => sideCommit({ records: [{ kind: 'k', key, value, dueAt: null }] });
const definition = { id: 'w', version: 1, hash: 'h', body: '{}', createdAt: 1 };
const keysIn = async (store: Store): Promise<string[]> =>
  (await store.listRecords('k', { limit: 100 })).map(({ key }) => key);

describe('a store with a writer thread', () => {
  test('[FS8] a commit is answered later, and stored by then', async () => {
    const store = await openSqliteStore(file, { writerThread: 'always' });
    const written = store.commit(note('a'));
    expect(written).toBeInstanceOf(Promise);
    await written;
    expect(await keysIn(store)).toEqual(['a']);
    await store.close();
  });

  test('[FS8] all that is written is written in the order of asking, whoever writes it', async () => {
    const store = await openSqliteStore(file, { writerThread: 'always' });
    const order: string[] = [];
    const wait = (name: string, done: unknown): Promise<unknown> => Promise.resolve(done).then(() => order.push(name));
    await Promise.all([
      wait('first', store.commit(note('a', '1'))),
      wait('definition', store.saveDefinition(definition)),
      wait('second', store.commit(note('a', '2'))),
      wait('snapshot', store.saveSnapshot({ runId: 'R', seq: 1, chunks: ['{}'] })),
      wait('third', store.commit(note('a', '3'))),
    ]);
    expect(order).toEqual(['first', 'definition', 'second', 'snapshot', 'third']);
    expect((await store.readRecord('k', 'a'))?.value).toBe('3');
    await store.close();
  });

  test('[FS8] one that fails says why, by the same code, and the next is written', async () => {
    const store = await openSqliteStore(file, { writerThread: 'always' });
    const message = { ...note('a'), outboxAdded: [{ id: 'm', to: 'R', message: '{}' }] };
    await store.commit(message);
    const [again, other] = [store.commit({ ...message, records: [] }), store.commit(note('b'))];
    await expect(again).rejects.toMatchObject({ name: 'StoreError', code: 'STORE_CONFLICT' });
    await other;
    expect(await keysIn(store)).toEqual(['a', 'b']);
    await store.close();
  });

  test('[FS8] closing writes what is on its way first, and leaves one whole file', async () => {
    const store = await openSqliteStore(file, { writerThread: 'always' });
    const written = ['a', 'b', 'c'].map(async (key) => store.commit(note(key)));
    await store.close();
    await Promise.all(written);
    const again = await openSqliteStore(file, { writerThread: 'never' });
    expect(await keysIn(again)).toEqual(['a', 'b', 'c']);
    await again.close();
  });

  test('[FS4] the thread too refuses to write to a file that is not in its place', async () => {
    const store = await openSqliteStore(file, { writerThread: 'always' });
    await store.commit(note('a'));
    await rename(file, `${file}.moved`);
    const refused = async (): Promise<string> => {
      for (let tries = 0; tries < 10_000_000; tries++) {
        const code = await Promise.resolve(store.commit(note('b'))).then(
          () => '',
          (error: { code: string }) => error.code,
        );
        if (code !== '') return code;
      }
      return 'never';
    };
    expect(await refused()).toBe('STORE_GONE');
    await rename(`${file}.moved`, file);
    await store.commit(note('c'));
    await store.close();
  });

  test.each([
    ['ends when nothing is left to do', ''],
    ['ends by itself', 'process.exit(0);'],
  ])('[FS6] a process that %s leaves a store that can be opened', async (_, end) => {
    const door = new URL('../../../dist/sqlite.js', import.meta.url).href;
    const program = `
      const { openSqliteStore } = await import(${JSON.stringify(door)});
      const store = await openSqliteStore(${JSON.stringify(file)}, { writerThread: 'always' });
      for (const key of ['a', 'b'])
        await store.commit({ runs: [], journal: [], outboxAdded: [], outboxDone: [], keys: [],
          records: [{ kind: 'k', key, value: '1', dueAt: null }] });
      ${end}`;
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
    const store = await openSqliteStore(file, { writerThread: 'never' });
    expect(await keysIn(store)).toEqual(['a', 'b']);
    await store.close();
  });
});

test('[FS8] a thread that was given nothing keeps no process alive', async () => {
  const door = new URL('../../../dist/sqlite.js', import.meta.url).href;
  const program = `
    const { openSqliteStore } = await import(${JSON.stringify(door)});
    await openSqliteStore(${JSON.stringify(file)}, { writerThread: 'always' });`;
  const end = promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { timeout: 10_000 });
  await expect(end).resolves.toMatchObject({ stdout: '' });
}, 20_000);

/** A program for the thread, as a text. */
const program = (text: string): URL => new URL(`data:text/javascript,${encodeURIComponent(text)}`);
const port = "import { parentPort as port } from 'node:worker_threads';";

function openThread(options: Partial<WriterThreadOptions>) {
  const written: string[] = [];
  const write = ({ records }: Commit): void => void written.push(records[0]?.key ?? '');
  const thread = new WriterThread({ file, files: [], use: 'always', write, isStored: () => false, ...options });
  return { thread, written };
}

describe('a thread that fails', () => {
  test('[FS9] what it had when it died is written here, in order', async () => {
    const dies = `${port} port.postMessage('ready'); port.on('message', () => process.exit(1));`;
    const { thread, written } = openThread({ program: program(dies) });
    await Promise.all(['a', 'b', 'c'].map(async (key) => thread.commit(note(key))));
    expect(written).toEqual(['a', 'b', 'c']);
    await thread.commit(note('d'));
    expect(written).toEqual(['a', 'b', 'c', 'd']);
    await thread.close();
  });

  test('[FS9] but for what it had stored before it could say so', async () => {
    const dies = `${port} port.postMessage('ready'); port.on('message', () => process.exit(1));`;
    const isStored = ({ records }: Commit): boolean => records[0]?.key === 'a';
    const { thread, written } = openThread({ program: program(dies), isStored });
    await Promise.all(['a', 'b'].map(async (key) => thread.commit(note(key))));
    expect(written).toEqual(['b']);
  });

  test.each([
    ['cannot start', program("throw new Error('no')")],
    ['is not to be had', null],
  ])('[FS9] one that %s is done without', async (_, given) => {
    const { thread, written } = openThread({ program: given });
    await Promise.all(['a', 'b'].map(async (key) => thread.commit(note(key))));
    expect(written).toEqual(['a', 'b']);
    await thread.close();
  });

  test('[FS9] one that fails as it is closed is done without', async () => {
    const { thread } = openThread({ program: program("throw new Error('no')") });
    await thread.close();
  });
});
