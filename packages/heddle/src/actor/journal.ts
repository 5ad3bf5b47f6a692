// Journal: rows of events, chained by their hashes, and what they add up to. Rules JN….

import { apply, emptyState } from '../core/apply/apply.ts';
import { readEvents } from '../core/read-events.ts';
import type { RunState } from '../core/state.ts';
import { JournalError } from './journal-error.ts';
import type { JournalRow, Store, StoredRun } from './ports.ts';
import { atOnce, type Sliced } from './slices.ts';
import { openSnapshot } from './stored-snapshot.ts';
import { bytesEncodedPerStep, bytesLoadedPerStep } from './turn-budget.ts';

/** JN1: the hash of a row covers the hash of the row before it, its number, its time and its events. */
export function chainHash(hash: Store['hash'], before: string, row: Pick<JournalRow, 'seq' | 'at' | 'events'>): string {
  return hash(`${before}\n${row.seq}\n${row.at}\n${row.events}`);
}

/** JN2: a row that is missing, changed or out of order is found before its events are applied. */
export function verifyChain(
  hash: Store['hash'],
  before: { readonly seq: number; readonly head: string },
  rows: readonly JournalRow[],
): string {
  let { seq, head } = before;
  for (const row of rows) {
    seq++;
    if (row.seq !== seq)
      throw new JournalError(`Expected journal row ${seq}, but found row ${row.seq}; rows are missing`);
    if (chainHash(hash, head, row) !== row.hash)
      throw new JournalError(`Expected journal row ${seq} to match its hash, but it was changed`);
    head = row.hash;
  }
  return head;
}

interface Part {
  readonly fromSeq: number;
  readonly limit: number;
}

/** A run that is deleted while it is read is not damaged: nothing more comes of it. */
export async function readVerified(store: Store, runId: string, part: Part): Promise<readonly JournalRow[]> {
  try {
    return await readPart(store, runId, part);
  } catch (error) {
    if (error instanceof JournalError && (await store.readRun(runId)) === null) return [];
    throw error;
  }
}

/** JN5: whoever reads a part of a journal gets it checked: against the row before it, and its end against the run's row. */
async function readPart(store: Store, runId: string, { fromSeq, limit }: Part): Promise<readonly JournalRow[]> {
  const run = await store.readRun(runId); // Before the journal, which may only grow meanwhile.
  if (!run || fromSeq > run.seq + 1) return [];
  const found = await store.readJournal(runId, fromSeq - 1, limit + 1);
  const [before = null] = fromSeq > 1 ? found : [];
  const rows = before === null ? found.slice(0, limit) : found.slice(1);
  const head = verifyChain(store.hash, { seq: before?.seq ?? 0, head: before?.hash ?? '' }, rows);
  const seq = rows.at(-1)?.seq ?? before?.seq ?? 0;
  if (seq === run.seq ? head !== run.head : seq < run.seq && rows.length < limit) throw endsElsewhere(run.seq, seq);
  return rows;
}

function endsElsewhere(expected: number, found: number): JournalError {
  return new JournalError(
    `Expected the journal to end with row ${expected}, but it ends with row ${found}; rows are missing`,
  );
}

export function replay(state: RunState, rows: readonly JournalRow[]): void {
  for (const row of rows) {
    state.at = row.at;
    for (const event of readEvents(row.events)) apply(state, event);
  }
}

/** JN3: a stored run is its newest snapshot and the rows after it; its head must be the head that the run's row names. */
export function* loading(store: Pick<Store, 'hash'>, { row, snapshot, journal }: StoredRun): Sliced<RunState> {
  const state = emptyState();
  let head = snapshot ? yield* openSnapshot(store, snapshot, state) : '';
  let seq = snapshot?.seq ?? 0;
  for (const each of journal) {
    head = verifyChain(store.hash, { seq, head }, [each]);
    seq = each.seq;
    yield each.events.length / bytesEncodedPerStep;
  }
  if (seq !== row.seq || head !== row.head) throw endsElsewhere(row.seq, seq);
  for (const each of journal) {
    replay(state, [each]);
    yield each.events.length / bytesLoadedPerStep;
  }
  return state;
}

export const loadState = (store: Pick<Store, 'hash'>, stored: StoredRun): RunState => atOnce(loading(store, stored));

/** The nearest state that is stored from before a row: from there the rest can be replayed; else from the beginning. */
export function* stateBefore(
  store: Pick<Store, 'hash'>,
  { snapshot }: StoredRun,
  seq: number,
): Sliced<{ state: RunState; seq: number }> {
  const state = emptyState();
  if (!snapshot || snapshot.seq >= seq) return { state, seq: 0 };
  yield* openSnapshot(store, snapshot, state);
  return { state, seq: snapshot.seq };
}
