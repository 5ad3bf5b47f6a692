import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describeStore } from '../store.testsuite.ts';
import { openSqliteStore } from './open.ts';

describeStore('SQLite', () => setUp('never'));
describeStore('SQLite with a writer thread', () => setUp('always'));

async function setUp(writerThread: 'always' | 'never') {
  const folder = await mkdtemp(path.join(tmpdir(), 'heddle-store-'));
  const open = () => openSqliteStore(path.join(folder, 'heddle.db'), { lockWaitMs: 0, writerThread });
  let store = await open();
  const reopen = async () => {
    await store.close();
    store = await open();
    return store;
  };
  const tearDown = async () => {
    await store.close();
    await rm(folder, { recursive: true });
  };
  return { store, reopen, tearDown };
}
