// Stored snapshot: a state as lines of JSON, cut into chunks that every store can hold. Rules JN4 and JN6.
//
// Always true: what was changed in the store is found before anything of it is read.

import type { EncodedState } from '../core/apply/encoded-state.ts';
import { decodeState, encodeState } from '../core/apply/snapshot.ts';
import { decodeLine, encodeLines, type SnapshotLine } from '../core/apply/snapshot-lines.ts';
import type { RunState } from '../core/state.ts';
import { JournalError } from './journal-error.ts';
import type { Snapshot, Store } from './ports.ts';
import type { Sliced } from './slices.ts';
import { bytesEncodedPerStep, bytesLoadedPerStep } from './turn-budget.ts';

interface SnapshotHeader {
  /** The hash of the row that it stands for. */
  readonly head: string;
  /** The hash of each chunk covers the hash of the one before it; this is the last. */
  readonly chain?: string;
  /** The hash of the whole text, in what earlier versions wrote. */
  readonly check?: string;
}

/** What a snapshot stands for. */
interface SnapshotPlace {
  readonly seq: number;
  readonly head: string;
  /** Its state can be encoded at once. */
  readonly isSmall?: boolean;
}

type Hash = Store['hash'];

// JN4: a snapshot tells which row it stands for and carries its own hash.
export function* makeSnapshot(
  { hash }: Pick<Store, 'hash'>,
  runId: string,
  { seq, head, isSmall = false }: SnapshotPlace,
  state: RunState,
): Sliced<Snapshot> {
  const chunks: string[] = [];
  let chain = '';
  let rest = '';
  // One line of everything is half the work of many lines, and short enough for a state that is small.
  for (const line of isSmall ? [encodeState(state)] : encodeLines(state)) {
    const text = `${JSON.stringify(line)}\n`;
    rest += text;
    yield text.length / bytesEncodedPerStep;
    while (rest.length > chunkLength) {
      const chunk = rest.slice(0, cutBefore(rest, chunkLength));
      rest = rest.slice(chunk.length);
      chain = hash(chain + chunk);
      chunks.push(chunk);
      yield chunk.length / bytesEncodedPerStep;
    }
  }
  chain = hash(chain + rest);
  const header: SnapshotHeader = { head, chain };
  return { runId, seq, chunks: [JSON.stringify(header), ...chunks, rest] };
}

const chunkLength = 524_288;

/** JN6: a character of two units is not cut in two: as text of a store neither half could be read again. */
function cutBefore(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

/** Fills an empty state; answers with the hash of the row that the snapshot stands for. */
export function* openSnapshot({ hash }: Pick<Store, 'hash'>, snapshot: Snapshot, state: RunState): Sliced<string> {
  const [first = '{}', ...chunks] = snapshot.chunks;
  const header = readHeader(first);
  if (header === null || !(yield* isUnchanged(hash, header, chunks)))
    throw new JournalError(`Expected the snapshot at row ${snapshot.seq} to match its hash, but it was changed`);
  let isFirst = true;
  for (const text of splitLines(chunks)) {
    const line = JSON.parse(text) as unknown; // `makeSnapshot` wrote it: see the hash
    if (isFirst)
      decodeState(state, line as EncodedState); // the first line
    else decodeLine(state, line as SnapshotLine); // any other
    isFirst = false;
    yield text.length / bytesLoadedPerStep;
  }
  return header.head;
}

function* isUnchanged(hash: Hash, { chain, check }: SnapshotHeader, chunks: readonly string[]): Sliced<boolean> {
  if (chain === undefined) return hash(chunks.join('')) === check;
  let found = '';
  for (const chunk of chunks) {
    found = hash(found + chunk);
    yield chunk.length / bytesEncodedPerStep;
  }
  return found === chain;
}

function* splitLines(chunks: readonly string[]): Generator<string> {
  let begun: string[] = [];
  for (const chunk of chunks) {
    const [end = '', ...others] = chunk.split('\n');
    begun.push(end);
    for (const next of others) {
      yield begun.join('');
      begun = [next];
    }
  }
  const last = begun.join('');
  if (last !== '') yield last;
}

/** Null: it was changed. */
function readHeader(text: string): SnapshotHeader | null {
  try {
    return JSON.parse(text) as SnapshotHeader | null; // `makeSnapshot` made it from one.
  } catch {
    return null;
  }
}
