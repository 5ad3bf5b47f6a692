import { describe, expect, test } from 'vitest';
import { encodeState } from '../core/apply/snapshot.ts';
import { memoryStore } from '../hosts/memory/store.ts';
import { flow, openRunner, task } from './actor.testsuite.ts';
import { chainHash, loadState, verifyChain } from './journal.ts';
import { JournalError } from './journal-error.ts';
import type { JournalRow, StoredRun } from './ports.ts';
import { atOnce } from './slices.ts';
import { makeSnapshot } from './stored-snapshot.ts';

const { hash } = memoryStore();
const begin = { seq: 0, head: '' };

function chain(...texts: string[]): JournalRow[] {
  let head = '';
  return texts.map((events, index) => {
    const row = { seq: index + 1, at: 100 + index, events };
    head = chainHash(hash, head, row);
    return { ...row, hash: head };
  });
}

describe('the chain', () => {
  test('[JN1] the hash of a row covers the row before it, its number, its time and its events', () => {
    const row = { seq: 2, at: 5, events: '[]' };
    const hashes = [
      chainHash(hash, 'x', row),
      chainHash(hash, 'y', row),
      chainHash(hash, 'x', { ...row, seq: 3 }),
      chainHash(hash, 'x', { ...row, at: 6 }),
      chainHash(hash, 'x', { ...row, events: '[1]' }),
    ];
    expect(new Set(hashes).size).toBe(5);
    expect(chainHash(hash, 'x', { ...row })).toBe(hashes[0]);
  });

  test('[JN2] a row that is missing, changed or out of order is found', () => {
    const rows = chain('["a"]', '["b"]', '["c"]');
    const [first, second, third] = rows as [JournalRow, JournalRow, JournalRow];
    expect(verifyChain(hash, begin, rows)).toBe(third.hash);
    expect(verifyChain(hash, { seq: 1, head: first.hash }, [second, third])).toBe(third.hash);
    for (const broken of [
      [first, third],
      [second, third],
      [second, first, third],
      [first, { ...second, events: '["B"]' }, third],
      [first, { ...second, at: 9 }, third],
      [first, second, { ...third, hash: first.hash }],
    ]) {
      expect(() => verifyChain(hash, begin, broken)).toThrow(JournalError);
    }
  });
});

describe('a stored run', () => {
  const line = flow(
    [task('a', { outputMapping: { 'state.n': 'result.n' } }), task('b'), task('c')],
    [
      { from: 'a', to: 'b' },
      { from: 'b', to: 'c' },
    ],
  );

  async function storedRun() {
    const opened = await openRunner({ definitions: [line] });
    await opened.start('R1', 'trial');
    opened.executor.complete(1, { n: 'first' });
    await opened.settle();
    const halfway = (await opened.store.loadRun('R1')) as StoredRun;
    opened.executor.complete(2, { n: 'second' });
    await opened.settle();
    return { ...opened, halfway, stored: (await opened.store.loadRun('R1')) as StoredRun };
  }

  test('[JN3] it is its newest snapshot and the rows after it', async () => {
    const { store, halfway, stored } = await storedRun();
    const whole = loadState(store, stored);
    const snapshot = atOnce(makeSnapshot(store, 'R1', halfway.row, loadState(store, halfway)));
    const rest = stored.journal.filter(({ seq }) => seq > halfway.row.seq);
    expect(rest).toHaveLength(1);
    expect(encodeState(loadState(store, { row: stored.row, snapshot, journal: rest }))).toEqual(encodeState(whole));
  });

  test('[JN3] its head must be the one that its row names: a cut-off end is found', async () => {
    const { store, stored } = await storedRun();
    const cut = { ...stored, journal: stored.journal.slice(0, -1) };
    expect(() => loadState(store, cut)).toThrow('Expected the journal to end with row 3, but it ends with row 2');
    expect(() => loadState(store, { ...stored, row: { ...stored.row, head: 'other' } })).toThrow(JournalError);
  });

  test('[JN4] a snapshot tells which row it stands for, comes in pieces, and a change in it is found', async () => {
    const { store, stored } = await storedRun();
    const state = loadState(store, stored);
    state.root.context = { state: { long: 'x'.repeat(1_200_000) }, output: {} };
    const snapshot = atOnce(makeSnapshot(store, 'R1', stored.row, state));
    expect(snapshot.seq).toBe(3);
    expect(snapshot.chunks.length).toBeGreaterThan(3);
    expect(Math.max(...snapshot.chunks.map(({ length }) => length))).toBeLessThanOrEqual(524_288);
    expect(encodeState(loadState(store, { row: stored.row, snapshot, journal: [] }))).toEqual(encodeState(state));
    const chunks = snapshot.chunks.with(2, `y${snapshot.chunks[2]?.slice(1)}`);
    expect(() => loadState(store, { row: stored.row, snapshot: { ...snapshot, chunks }, journal: [] })).toThrow(
      'Expected the snapshot at row 3 to match its hash, but it was changed',
    );
  });

  test('[JN4] a snapshot that an earlier version wrote, as one text, is opened, and a change in it is found', async () => {
    const { store, stored } = await storedRun();
    const state = loadState(store, stored);
    const text = JSON.stringify(encodeState(state));
    const header = JSON.stringify({ head: stored.row.head, check: store.hash(text) });
    const loaded = (chunks: readonly string[]) =>
      loadState(store, { row: stored.row, snapshot: { runId: 'R1', seq: 3, chunks }, journal: [] });
    const halves = [text.slice(0, 100), text.slice(100)];
    expect(encodeState(loaded([header, ...halves]))).toEqual(encodeState(state));
    expect(() => loaded([header, text.replace('first', 'FIRST')])).toThrow(JournalError);
    expect(() => loaded(['{', text])).toThrow(JournalError);
  });

  test('[AP4] short lines are written together; a snapshot of single lines is read too', async () => {
    const { store, stored } = await storedRun();
    const state = loadState(store, stored);
    const members = Array.from({ length: 100 }, (_, n) => [`k${n}`, n % 50 === 49 ? 'x'.repeat(200_000) : n]);
    state.root.context = { state: Object.fromEntries(members), output: {} };
    const loaded = (values: readonly unknown[]) => {
      const text = values.map((value) => `${JSON.stringify(value)}\n`).join('');
      const chunks = [JSON.stringify({ head: stored.row.head, chain: store.hash(text) }), text];
      return encodeState(loadState(store, { row: stored.row, snapshot: { runId: 'R1', seq: 3, chunks }, journal: [] }));
    };
    const { chunks } = atOnce(makeSnapshot(store, 'R1', stored.row, state));
    const [first, ...written] = chunks
      .slice(1)
      .join('')
      .trim()
      .split('\n')
      .map((text): unknown => JSON.parse(text));
    const singles = (written as unknown[][]).flatMap((value) => (typeof value[0] === 'string' ? [value] : value));
    expect(written.length).toBeLessThan(singles.length / 4);
    expect(loaded([first, ...written])).toEqual(encodeState(state));
    expect(loaded([first, ...singles])).toEqual(encodeState(state));
  });

  test('[JN6] no chunk ends or begins within a character', async () => {
    const { store, stored } = await storedRun();
    const state = loadState(store, stored);
    for (const before of ['', 'x']) {
      state.root.context = { state: { long: before + '😀'.repeat(600_000) }, output: {} };
      const snapshot = atOnce(makeSnapshot(store, 'R1', stored.row, state));
      expect(snapshot.chunks.length).toBeGreaterThan(3);
      expect(snapshot.chunks.map((chunk) => Buffer.from(chunk).toString())).toEqual(snapshot.chunks);
      expect(encodeState(loadState(store, { row: stored.row, snapshot, journal: [] }))).toEqual(encodeState(state));
    }
  });
});
