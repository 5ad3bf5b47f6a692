import { expect, test } from 'vitest';
import { memoryStore } from '../hosts/memory/store.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { SideWriter } from './side-writer.ts';
import { StoreError } from './store-error.ts';

const record = (key: string) => ({ kind: 'note', key, value: '1', dueAt: null });

/** A writer, and what its store was asked to commit. */
function openWriter(isDoomed: (key: string) => boolean = () => false) {
  const store = memoryStore();
  const commits: string[][] = [];
  const commit = store.commit.bind(store);
  store.commit = (one) => {
    const keys = one.records.map(({ key }) => key);
    commits.push(keys);
    if (keys.some(isDoomed)) throw new StoreError('STORE_FAILED', 'on fire');
    return commit(one);
  };
  return { writer: new SideWriter(store, new VirtualClock()), commits, store };
}

test('writes that come together share a commit, in their order', async () => {
  const { writer, commits } = openWriter();
  await Promise.all(['c', 'a', 'b'].map((key) => writer.write({ records: [record(key)] })));
  await writer.write({ records: [record('d')] });
  expect(commits).toEqual([['c', 'a', 'b'], ['d']]);
});

test('one that cannot be committed hurts only itself', async () => {
  const { writer, commits, store } = openWriter((key) => key === 'bad');
  const written = ['a', 'bad', 'b'].map((key) => writer.write({ records: [record(key)] }));
  expect((await Promise.allSettled(written)).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
  expect(commits).toEqual([['a', 'bad', 'b'], ['a'], ['bad'], ['b']]);
  expect((await store.listRecords('note', { limit: 9 })).map(({ key }) => key)).toEqual(['a', 'b']);
});
