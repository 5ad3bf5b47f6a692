// CheckLog: reads SQLite's write-ahead log before SQLite does. SQLite takes the first frame that does not match its
// checksum for the end of the log: it drops that frame and every commit after it, without a word. After a crash that is
// right for the last commit, which may be half written; in the midst of the log it would lose what was acknowledged.
//
// Always true: a commit begins only when the one before it is on the disk (synchronous = FULL). So whatever lies behind
// a commit proves that it was whole; if it is not whole now, it was damaged since. What lies behind nothing proves
// nothing: a bad place in the newest commit alone cannot be told from one that the power cut off.
//
// The format: https://sqlite.org/fileformat2.html#walformat. A log is left by a
// crash only.

import { closeSync, openSync, readSync } from 'node:fs';
import { endianness } from 'node:os';
import { StoreError } from '../../actor/store-error.ts';
import { isMissing, toFileError } from './file-fault.ts';
import { damagedSentence } from './sqlite-fault.ts';

/** DM2: a log with a bad place that is not its end is refused. `file` is the database, under its real name. */
export function checkLog(file: string): void {
  const bad = findBadFrame(`${file}-wal`);
  // Beside a program that writes, the log may move while it is read; a damaged frame stays where it is.
  if (bad === null || findBadFrame(`${file}-wal`) !== bad) return;
  const found = `its log ${file}-wal was changed at frame ${bad}, and commits lie behind that`;
  throw new StoreError('STORE_DAMAGED', damagedSentence(file, found));
}

/** The number of a frame that commits lie behind, 0 for the log's header; null: there is none such. */
function findBadFrame(log: string): number | null {
  const frames = readFrames(log);
  const last = frames.findLastIndex(({ isOfThisLog }) => isOfThisLog);
  const bad = frames.findIndex(({ isIntact }) => !isIntact);
  if (bad < 0 || bad >= last) return null;
  if (!frames.some((_, index) => index >= bad && index < last && endsCommit(frames, index))) return null;
  // One bad place and no other, and all behind it was written after it. Leftovers of commits that were given up (a
  // crash, a full disk) begin with a bad place of their own, also right behind the torn end of the commit over them.
  const isOfOnePlace = ({ isIntact, fitsBefore }: Frame, index: number): boolean =>
    isIntact || index === bad || (index === bad + 1 && fitsBefore);
  return frames.slice(0, last + 1).every(isOfOnePlace) ? bad : null;
}

interface Frame {
  /** It matches its sum, given the sum that stands in the frame before it. */
  readonly isIntact: boolean;
  /** It matches its sum, given the sum that the frame before it should have: that one's sum alone is bad. */
  readonly fitsBefore: boolean;
  /** It bears the numbers of this log; leftovers of the log that was here before bear others. */
  readonly isOfThisLog: boolean;
  /** What its header says, and whether that lies in one sector, and so was written whole or not at all. */
  readonly saysCommit: boolean;
  readonly isHeaderWhole: boolean;
}

/** The header of a bad frame is believed if it is of this log, as its numbers or the next frame's sum show. */
function endsCommit(frames: readonly Frame[], index: number): boolean {
  const frame = frames[index];
  if (frame === undefined || !frame.saysCommit) return false;
  return frame.isIntact || (frame.isHeaderWhole && (frame.isOfThisLog || frames[index + 1]?.isIntact === true));
}

const headerLength = 32;
const frameHeaderLength = 24;
const sectorLength = 512;
/** The sums go by little-endian words. */
const magic = 0x377f0682;
const version = 3_007_000;
/** What SQLite takes if nobody says otherwise; nobody does. */
const pageLengthUsual = 4096;
const framesPerRead = 256;

/** The log's header counts as frame 0. */
function readFrames(log: string): Frame[] {
  const descriptor = openIfThere(log);
  if (descriptor === null) return [];
  try {
    return endianness() === 'LE' ? [...framesIn(descriptor)] : [];
  } catch (error) {
    throw toFileError(error, log);
  } finally {
    closeSync(descriptor);
  }
}

function* framesIn(descriptor: number): Iterable<Frame> {
  const header = new Piece(headerLength);
  if (header.read(descriptor, 0) < headerLength) return;
  let sum = header.pair(24);
  let sumBefore = header.sum(0, 24, [0, 0]);
  const isSound = isSame(sumBefore, sum);
  const isIntact = isSound && header.number(0) === magic && header.number(4) === version;
  yield { isIntact, fitsBefore: false, isOfThisLog: true, saysCommit: false, isHeaderWhole: true };
  const length = frameHeaderLength + (isIntact ? header.number(8) : pageLengthUsual);
  const piece = new Piece(length * framesPerRead);
  let numbers = isIntact ? header.pair(16) : null;
  for (let place = headerLength; ; ) {
    const count = Math.floor(piece.read(descriptor, place) / length);
    for (let at = 0; at < count * length; at += length, place += length) {
      numbers ??= piece.pair(at + 8);
      const isOfThisLog = isSame(piece.pair(at + 8), numbers);
      const sumFrom = (before: Pair): Pair =>
        piece.sum(at + frameHeaderLength, at + length, piece.sum(at, at + 8, before));
      const own = piece.pair(at + 16);
      const shouldBe = sumFrom(sum);
      const matches = isOfThisLog && isSame(shouldBe, own);
      const fitsBefore = isOfThisLog && !matches && isSame(sumFrom(sumBefore), own);
      const isHeaderWhole = (place % sectorLength) + frameHeaderLength <= sectorLength;
      sum = own;
      sumBefore = shouldBe;
      yield { isIntact: matches, fitsBefore, isOfThisLog, saysCommit: piece.number(at + 4) !== 0, isHeaderWhole };
    }
    if (count < framesPerRead) return;
  }
}

type Pair = readonly [number, number];

const isSame = (one: Pair, other: Pair): boolean => one[0] === other[0] && one[1] === other[1];

/** Bytes of the log. */
class Piece {
  readonly #bytes: Uint8Array;
  readonly #words: Uint32Array;
  readonly #view: DataView;

  constructor(length: number) {
    this.#bytes = new Uint8Array(length);
    this.#words = new Uint32Array(this.#bytes.buffer);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** How many there were. */
  read(descriptor: number, place: number): number {
    return readSync(descriptor, this.#bytes, 0, this.#bytes.length, place);
  }

  number(at: number): number {
    return this.#view.getUint32(at);
  }

  pair(at: number): Pair {
    return [this.number(at), this.number(at + 4)];
  }

  /** Of the bytes from `from` to `to`, going on from `before`. */
  sum(from: number, to: number, before: Pair): Pair {
    let [first, second] = before;
    for (let at = from / 4; at < to / 4; at += 2) {
      first = (first + (this.#words[at] ?? 0) + second) | 0;
      second = (second + (this.#words[at + 1] ?? 0) + first) | 0;
    }
    return [first >>> 0, second >>> 0];
  }
}

function openIfThere(log: string): number | null {
  try {
    return openSync(log, 'r');
  } catch (error) {
    if (isMissing(error)) return null;
    throw toFileError(error, log);
  }
}
