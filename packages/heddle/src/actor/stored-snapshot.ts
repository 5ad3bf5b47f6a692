// Stored snapshot: a state as lines of JSON, cut into chunks that every store can hold. Rules JN4 and JN6.
//
// Always true: what was changed in the store is found before anything of it is read.

import { cutBefore } from '../base/cut-text.ts';
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
  for (const text of isSmall ? [JSON.stringify(encodeState(state))] : writeLines(state)) {
    rest += `${text}\n`;
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

/**
 * Short lines are written several at a time, as a list of them: one by one takes twice as long. Whether they are short is
 * told by those before, so there are never more of them than could be long all at once.
 */
function* writeLines(state: RunState): Generator<string> {
  let pending: (EncodedState | SnapshotLine)[] = [];
  let atATime = 1;
  for (const line of encodeLines(state)) {
    pending.push(line);
    if (pending.length < atATime) continue;
    const text = JSON.stringify(pending.length === 1 ? line : pending);
    const fitting = Math.floor((pending.length * shortLength) / text.length);
    atATime = Math.max(1, Math.min(fitting, 2 * atATime, linesAtATimeMax));
    pending = [];
    yield text;
  }
  if (pending.length > 0) yield JSON.stringify(pending.length === 1 ? pending[0] : pending);
}

const linesAtATimeMax = 16;
/** Of the lines that are written together. */
const shortLength = 65_536;

const chunkLength = 524_288;

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
    else for (const one of listLines(line)) decodeLine(state, one);
    isFirst = false;
    yield text.length / bytesLoadedPerStep;
  }
  return header.head;
}

/** Any but the first: a list of lines, or one line, which begins with its kind. */
function listLines(line: unknown): readonly SnapshotLine[] {
  const [first] = line as readonly unknown[]; // both are lists
  return typeof first === 'string' ? [line as SnapshotLine] : (line as readonly SnapshotLine[]); // see above
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
