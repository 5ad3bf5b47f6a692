// Lives: how long an engine process lives and how it dies, drawn from the dice before it is opened.

import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import { type Dying, fleetPointNames, type Point, pointNames } from './death.ts';
import type { Needed } from './habits.ts';

export interface Life {
  /** Null: at some instant. */
  readonly dying: Dying | null;
  /** It is killed this long after it was told to open, if that is given; else this long after it is open. */
  readonly opensMs: number | null;
  readonly livesMs: number;
  /** It is told to close, and dies at that. */
  readonly closes: boolean;
  /** Inside SQLite: how long after it has come there. */
  readonly killDelayMs: number;
  /** What must be under way for its point to come. */
  readonly needed: Needed | null;
  readonly overlap: Overlap;
}

/**
 * What comes before the kill. A second process opens the file: it waits while the first lives, and if that takes too long
 * it is refused. Or the first is stopped, and goes on as if nothing had happened; or both.
 */
export interface Overlap {
  readonly isStopped: boolean;
  readonly second: 'none' | 'waits' | 'refused';
}

/** Beyond which count a point is hardly ever reached in one life. */
const countsMost: Readonly<Record<Point, number>> = {
  opening: 20,
  recovering: 80,
  'recovery-commit': 4,
  'before-transaction': 20,
  'in-transaction': 120,
  'before-commit': 20,
  committing: 12,
  'after-commit': 20,
  'before-dispatch': 10,
  'before-reply': 20,
  'before-effect': 20,
  'after-effect': 20,
  snapshot: 2,
  checkpoint: 8,
  'file-made': 2,
  'file-written': 2,
  'file-synced': 2,
  'file-renamed': 2,
  deleting: 2,
  removing: 12,
  'removing-file': 1,
  'backup-begun': 2,
  'backup-unnamed': 2,
  closing: 16,
  'closing-file': 1,
  'between-shards': 20,
  'letter-posting': 20,
  'letter-posted': 20,
  'letter-arriving': 20,
  'letter-arrived': 20,
  'letter-leaving': 20,
  'mark-leaving': 120,
  'copy-noted': 6,
  'copy-named': 3,
};

/** How long a process may take to come to its point before it is killed wherever it is. */
const patienceMs = 800;
/** Copies of several files take their time, and marks are removed when there are many. */
const backUpPatienceMs = 5_000;
const marksPatienceMs = 20_000;

/** The first lives of a store are spent on making it; a few later ones are not left to chance. */
const makingLives = 3;
const makingPoints: readonly [Point, ...Point[]] = [
  'opening',
  'file-made',
  'file-written',
  'file-synced',
  'file-renamed',
];
const fixedOverlaps: ReadonlyMap<number, Overlap> = new Map([
  [8, { isStopped: true, second: 'refused' }],
  [12, { isStopped: false, second: 'waits' }],
]);

/** The lives of one round, one after the other. */
export class Lives {
  readonly #dice: Dice;
  readonly #all: readonly Point[];
  /** Points still to come, before any comes again. */
  #points: Point[] = [];
  #drawn = 0;

  constructor(dice: Dice, hasPeers: boolean) {
    this.#dice = dice;
    this.#all = hasPeers ? fleetPointNames : pointNames;
  }

  next(): Life {
    const dice = this.#dice;
    const number = this.#drawn++;
    const overlap = fixedOverlaps.get(number);
    if (overlap) return { ...instantLife, livesMs: dice.draw(120), overlap };
    if (number < makingLives) return atPoint(dice, dice.pick(makingPoints));
    return dice.chance(45, 100) ? atSomeInstant(dice) : atPoint(dice, this.#nextPoint());
  }

  #nextPoint(): Point {
    if (this.#points.length === 0) this.#points = [...this.#all];
    const [point] = this.#points.splice(this.#dice.draw(this.#points.length), 1);
    return point ?? 'opening';
  }
}

function atSomeInstant(dice: Dice): Life {
  if (dice.chance(1, 6)) return { ...instantLife, opensMs: dice.draw(60) };
  // Long enough for a copy of the store, or nearly so.
  if (dice.chance(1, 8)) return { ...instantLife, livesMs: dice.between(150, 1_500), needed: 'back-up' };
  return { ...instantLife, livesMs: dice.draw(120), overlap: drawOverlap(dice) };
}

/** Killed when there is nothing else to do. */
export const instantLife: Life = {
  dying: null,
  opensMs: null,
  livesMs: 0,
  closes: false,
  killDelayMs: 0,
  needed: null,
  overlap: { isStopped: false, second: 'none' },
};

function drawOverlap(dice: Dice): Overlap {
  const isStopped = dice.chance(1, 15);
  if (dice.chance(1, 50)) return { isStopped, second: 'refused' };
  return { isStopped, second: dice.chance(1, 6) ? 'waits' : 'none' };
}

function neededAt(point: Point): Needed | null {
  if (point === 'snapshot') return 'heavy';
  if (point === 'deleting' || point.startsWith('removing')) return 'delete';
  if (point.startsWith('backup-') || point.startsWith('copy-')) return 'back-up';
  if (point.startsWith('letter-') || point === 'mark-leaving') return 'letters';
  return point.startsWith('file-') ? 'file' : null;
}

function patienceFor(point: Point): number {
  if (point === 'mark-leaving') return marksPatienceMs;
  return neededAt(point) === 'back-up' ? backUpPatienceMs : patienceMs;
}

function atPoint(dice: Dice, point: Point): Life {
  const closes = point === 'closing' || point === 'closing-file';
  return {
    dying: { point, count: dice.between(1, countsMost[point]) },
    opensMs: null,
    livesMs: closes ? dice.draw(60) : patienceFor(point),
    closes,
    killDelayMs: dice.pick([0, 0, 0, 1, 2]),
    needed: neededAt(point),
    overlap: { isStopped: false, second: 'none' },
  };
}
