// Time scale: where on a timeline a time stands. Stretches in which nothing works are squeezed to a mark, so that a run that
// worked for two seconds and waited for two days is drawn by its work.
//
// Always true: later times stand further to the right or at the same place; the first is at 0 and the last at 1.

/** A stretch of time, in milliseconds since 1970. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** A part of the scale: within it, places are proportional to times. */
export interface ScalePart extends Stretch {
  readonly start: number;
  readonly end: number;
  /** Nothing worked, and what was drawn is shorter than it lasted. */
  readonly isSqueezed: boolean;
}

/** An idle stretch is squeezed if it lasts longer than this share of all work: shorter ones do not hide it. */
const squeezedFromShare = 0.25;
/** It is then drawn as long as this share of all work, and all of them together as half of it at most. */
const squeezedShare = 0.08;
const squeezedShareOfAll = 0.5;

export class TimeScale {
  readonly parts: readonly ScalePart[];
  readonly from: number;
  readonly to: number;

  /** Of the stretches in which something works, within a whole. */
  constructor(whole: Stretch, working: readonly Stretch[]) {
    this.from = whole.from;
    this.to = Math.max(whole.to, whole.from + 1);
    this.parts = placed(withIdle({ from: this.from, to: this.to }, merged(working)));
  }

  get gaps(): readonly ScalePart[] {
    return this.parts.filter(({ isSqueezed }) => isSqueezed);
  }

  /** From 0 to 1. */
  placeOf(at: number): number {
    const part = this.#find(({ to }) => at < to);
    const share = (at - part.from) / (part.to - part.from);
    return part.start + Math.min(1, Math.max(0, share)) * (part.end - part.start);
  }

  timeAt(place: number): number {
    const part = this.#find(({ end }) => place < end);
    const share = (place - part.start) / (part.end - part.start || 1);
    return part.from + Math.min(1, Math.max(0, share)) * (part.to - part.from);
  }

  /** The first part that goes further; the last one for what lies beyond. By halves: there may be thousands. */
  #find(isBefore: (part: ScalePart) => boolean): ScalePart {
    let [low, high] = [0, this.parts.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      const part = this.parts[middle] as ScalePart; // within the list
      if (isBefore(part)) high = middle;
      else low = middle + 1;
    }
    return this.parts[low] as ScalePart; // there is always one
  }
}

interface Piece extends Stretch {
  readonly isIdle: boolean;
}

/** Overlapping stretches as one, in order. */
function merged(stretches: readonly Stretch[]): readonly Stretch[] {
  const result: { from: number; to: number }[] = [];
  for (const { from, to } of stretches.toSorted((a, b) => a.from - b.from)) {
    const last = result.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else result.push({ from, to });
  }
  return result;
}

/** The whole, cut into pieces that work and pieces that do not. */
function withIdle(whole: Stretch, working: readonly Stretch[]): readonly Piece[] {
  const pieces: Piece[] = [];
  let reached = whole.from;
  const goTo = (to: number, isIdle: boolean): void => {
    if (to <= reached) return;
    pieces.push({ from: reached, to, isIdle });
    reached = to;
  };
  for (const { from, to } of working) {
    goTo(Math.min(from, whole.to), true);
    goTo(Math.min(to, whole.to), false);
  }
  goTo(whole.to, true);
  return pieces;
}

function placed(pieces: readonly Piece[]): readonly ScalePart[] {
  const workedMs = pieces.reduce((sum, { from, to, isIdle }) => sum + (isIdle ? 0 : to - from), 0);
  const isSqueezed = ({ from, to, isIdle }: Piece): boolean =>
    isIdle && workedMs > 0 && to - from > workedMs * squeezedFromShare;
  const share = Math.min(squeezedShare, squeezedShareOfAll / pieces.filter(isSqueezed).length);
  const lengths = pieces.map((piece) => (isSqueezed(piece) ? workedMs * share : piece.to - piece.from));
  const total = lengths.reduce((sum, length) => sum + length, 0);
  let reached = 0;
  return pieces.map((piece, index) => {
    const start = reached / total;
    reached += lengths[index] ?? 0;
    return { from: piece.from, to: piece.to, start, end: reached / total, isSqueezed: isSqueezed(piece) };
  });
}
