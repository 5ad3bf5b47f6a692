// CheckLog: reads SQLite's write-ahead log before SQLite does. SQLite takes the first frame that does not match its
// checksum for the end of the log: it drops that frame and every commit after it, without a word. After a crash that is
// right for the last commit, which may be half written; in the midst of the log it would lose what was acknowledged.
//
// Always true: a commit begins only when the one before it is on the disk (synchronous = FULL; what a process left that was
// killed, the next one syncs first). So whatever lies behind a commit proves that it was whole; if it is not whole now, it
// was damaged since. What lies behind nothing proves nothing: a bad place in the newest commit alone cannot be told from
// one that the power cut off.
//
// The format: https://sqlite.org/fileformat2.html#walformat. A log is left by a crash only.

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
  const bad = frames.findIndex(({ isIntact }) => !isIntact);
  if (bad < 0) return null;
  return frames.some((frame, index) => index >= bad && isBehindCommit(frames[index + 1], frame)) ? bad : null;
}

interface Frame {
  /** It matches its sum, given the sum that stands in the frame before it. */
  readonly isIntact: boolean;
  /** It matches its sum, given the sum that the frame before it should have: that one's sum alone is bad. */
  readonly fitsBefore: boolean;
  readonly saysCommit: boolean;
  /** Its header is of one write, whatever happened to its page: it lies in one sector, or it matches its sum. */
  readonly isHeaderSure: boolean;
}

/**
 * A frame that continues from the sum of one that ends a commit was written when that commit was on the disk. Leftovers of
 * commits that were given up (a crash, a full disk) do not: each was the newest, and nothing continues from its end.
 */
function isBehindCommit(frame: Frame | undefined, before: Frame): boolean {
  if (frame === undefined || !before.saysCommit) return false;
  return frame.isIntact ? before.isHeaderSure : frame.fitsBefore;
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
  yield { isIntact, fitsBefore: false, saysCommit: false, isHeaderSure: true };
  const length = frameHeaderLength + (isIntact ? header.number(8) : pageLengthUsual);
  const piece = new Piece(length * framesPerRead);
  let numbers = isIntact ? header.pair(16) : null;
  for (let place = headerLength; ; ) {
    const count = Math.floor(piece.read(descriptor, place) / length);
    for (let at = 0; at < count * length; at += length, place += length) {
      numbers ??= piece.pair(at + 8);
      // Leftovers of the log that was here before bear other numbers.
      const isOfThisLog = isSame(piece.pair(at + 8), numbers);
      const sumFrom = (before: Pair): Pair =>
        piece.sum(at + frameHeaderLength, at + length, piece.sum(at, at + 8, before));
      const own = piece.pair(at + 16);
      const shouldBe = sumFrom(sum);
      const matches = isOfThisLog && isSame(shouldBe, own);
      const fitsBefore = isOfThisLog && !matches && isSame(sumFrom(sumBefore), own);
      const isInOneSector = (place % sectorLength) + frameHeaderLength <= sectorLength;
      const isHeaderSure = isInOneSector || isOneBitOff(shouldBe, own, length / 4);
      sum = own;
      sumBefore = shouldBe;
      yield { isIntact: matches, fitsBefore, saysCommit: piece.number(at + 4) !== 0, isHeaderSure };
    }
    if (count < framesPerRead) return;
  }
}

type Pair = readonly [number, number];

const isSame = (one: Pair, other: Pair): boolean => one[0] === other[0] && one[1] === other[1];

/**
 * Whether one bit of what was summed up, or none, makes all the difference; after a torn write it is many. Counted from
 * the end, each word is in the two sums as often as two Fibonacci numbers that follow each other say.
 */
function isOneBitOff(one: Pair, other: Pair, words: number): boolean {
  const [first, second] = [(one[0] - other[0]) | 0, (one[1] - other[1]) | 0];
  if (first === 0 && second === 0) return true;
  let [often, oftener] = [0, 1];
  for (let word = 0; word < words; word++) {
    for (let bit = 0; bit < 32; bit++) {
      const [low, high] = [often << bit, oftener << bit];
      if ((low === first && high === second) || ((-low | 0) === first && (-high | 0) === second)) return true;
    }
    [often, oftener] = [oftener, (often + oftener) | 0];
  }
  return false;
}

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
