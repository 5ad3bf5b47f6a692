// The part of the stores' conformance suite that is about records: what stands beside the runs, by kind and key.

import { expect, it } from 'vitest';
import type { RecordQuery, RecordRow, RecordWrite, Store } from '../actor/ports.ts';
import { makeCommit, refusalOf } from './store-fixtures.testsuite.ts';

/** Texts in JavaScript's order, which every host keeps, with all that a host may stumble over. */
const awkwardKeys = [
  ['', '\u0000', '\u0000a', '\t', ' ', '!', '"', '%', '*', 'A', '_', 'a', 'a\u0000', 'a b', 'a!', 'a"', 'a/', 'a/1'],
  ['a/10', 'a/2', 'a\\', 'a~', 'a~b', 'aé', 'a\ud800', 'a\ud83d', 'a😀', 'a😀b', 'a\ud83e', 'a\uffff', 'b', '{', '}'],
  ['~', '~0020', '\u007f', '\u0080', 'é', '\ud7ff', '\ud800', '😀', '\udfff', '\ue000', '\uffff'],
].flat();

const record = (kind: string, key: string, dueAt: number | null = null): RecordRow => {
  return { kind, key, value: JSON.stringify({ of: key }), dueAt };
};
const removal = ({ kind, key }: RecordRow): RecordWrite => ({ kind, key, value: null, dueAt: null });

export function describeRecords(store: () => Store, reopen: () => Promise<void>): void {
  const write = (...records: RecordWrite[]) => store().commit(makeCommit({ records }));
  const keysOf = async (query: Partial<RecordQuery>) =>
    (await store().listRecords('note', { limit: 1000, ...query })).map(({ key }) => key);

  it('keeps a record until it is written over or removed', async () => {
    await write(record('note', 'a', 5), record('note', 'b'), record('other', 'a'));
    await write({ ...record('note', 'b'), value: '"new"', dueAt: 7 }, removal(record('other', 'a')));
    await write(removal(record('other', 'a')), removal(record('none', 'x'))); // Removed twice: nothing happens.
    await reopen();
    expect(await store().readRecord('note', 'a')).toStrictEqual(record('note', 'a', 5));
    expect(await store().readRecord('note', 'b')).toStrictEqual({ kind: 'note', key: 'b', value: '"new"', dueAt: 7 });
    expect(await store().readRecord('other', 'a')).toBeNull();
    expect(await store().readRecord('unknown', 'a')).toBeNull();
    expect(await store().listRecords('other', { limit: 10 })).toEqual([]);
    expect(await store().listRecords('unknown', { limit: 10 })).toEqual([]);
  });

  it('writes the records of a commit in their order', async () => {
    const twice = { ...record('note', 'a'), value: '2' };
    await write(record('note', 'a', 1), twice, record('note', 'b', 1), removal(record('note', 'b')));
    await write(removal(record('note', 'c')), record('note', 'c'));
    expect(await store().listRecords('note', { limit: 10 })).toStrictEqual([twice, record('note', 'c')]);
    expect(await store().nextDueAt('note')).toBeNull();
  });

  it('lists records in the order of their keys, whatever they hold, from any place', async () => {
    await write(
      ...awkwardKeys.toReversed().map((key) => record('note', key)),
      record('nota', 'a'),
      record('notf', 'a'),
    );
    await reopen();
    const whole = awkwardKeys.map((key) => record('note', key));
    expect(await store().listRecords('note', { limit: 1000 })).toStrictEqual(whole);
    for (const key of awkwardKeys) {
      expect(await store().readRecord('note', key)).toStrictEqual(record('note', key));
      expect(await keysOf({ after: key })).toEqual(awkwardKeys.filter((other) => other > key));
      expect(await keysOf({ prefix: key })).toEqual(awkwardKeys.filter((other) => other.startsWith(key)));
    }
  });

  it('lists the records that begin with a prefix and come after a key, page by page', async () => {
    await write(...awkwardKeys.map((key) => record('note', key)));
    for (const prefix of ['', 'a', 'a/', 'a\ud83d', 'none'])
      for (const after of ['', ' ', 'a', 'a/1', 'a\uffff', 'b']) {
        const expected = awkwardKeys.filter((key) => key.startsWith(prefix) && key > after);
        expect(await keysOf({ prefix, after })).toEqual(expected);
        expect(await keysOf({ prefix, after, limit: 2 })).toEqual(expected.slice(0, 2));
      }
    expect(await keysOf({ prefix: 'a', limit: 1 })).toEqual(['a']);
    expect(await keysOf({ limit: 0 })).toEqual([]);
  });

  it('knows which records of a kind are due, earliest first, and when the next one is', async () => {
    expect(await store().nextDueAt('note')).toBeNull();
    await write(record('other', 'x', 1), record('note', 'c', 20), record('note', 'b', 10), record('note', 'never'));
    await write(record('note', 'a', 20), record('note', 'd', 30));
    await reopen();
    const due = async (at: number, limit = 10) => (await store().dueRecords('note', at, limit)).map(({ key }) => key);
    expect(await store().nextDueAt('note')).toBe(10);
    expect(await due(9)).toEqual([]);
    expect(await due(20)).toEqual(['b', 'a', 'c']);
    expect(await due(99, 2)).toEqual(['b', 'a']);
    await write(
      removal(record('note', 'b')),
      record('note', 'a'),
      record('note', 'c', 40),
      record('note', 'never', 30),
    );
    expect(await store().nextDueAt('note')).toBe(30);
    expect(await store().dueRecords('note', 99, 10)).toStrictEqual([
      record('note', 'd', 30),
      record('note', 'never', 30),
      record('note', 'c', 40),
    ]);
    expect(await store().nextDueAt('unknown')).toBeNull();
    expect(await store().dueRecords('unknown', 99, 10)).toEqual([]);
  });

  it('stores nothing of a commit with a due time that is no whole number', async () => {
    await write(record('note', 'a', 1));
    const refusal = await refusalOf(() =>
      write(record('note', 'b'), removal(record('note', 'a')), record('note', 'c', 1.5)),
    );
    expect(refusal.code).toBe('STORE_CONFLICT');
    await reopen();
    expect(await keysOf({})).toEqual(['a']);
    expect(await store().nextDueAt('note')).toBe(1);
  });
}
