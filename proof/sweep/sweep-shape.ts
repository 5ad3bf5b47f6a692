// SweepShape: one shape, and the process dying everywhere on its way: once, again while it recovers from that, and at one
// place of the recovery over and over. However it died, the story must end as if it had not.

import { hash } from 'node:crypto';
import path from 'node:path';
import type { SqliteConstructor } from '../../packages/heddle/src/hosts/sqlite/sqlite-module.ts';
import { LostAnswer } from '../lost-answer.ts';
import { compareEndings } from './compare-endings.ts';
import type { Death } from './crash-points.ts';
import type { Ending } from './ending.ts';
import { isSameImage } from './image.ts';
import { type Life, type Lived, live } from './live.ts';
import { hasHeardTheSame } from './outside.ts';
import type { Shape } from './shape.ts';

export interface SweepOptions {
  readonly Sqlite: SqliteConstructor;
  /** For the files. */
  readonly folder: string;
  readonly seed: number;
  /** Commits are answered later. */
  readonly isAside: boolean;
  /** How many deaths of each recovery are died. */
  readonly secondMax: number;
  /** How often the process dies at one place of a recovery before it may go on. */
  readonly repeats: number;
  /** Only the death of this point. */
  readonly point: number | null;
}

export interface Violation {
  readonly shape: string;
  /** The number of the first crash point; null if there was no crash. */
  readonly point: number | null;
  /** Where it died, one place for each time. */
  readonly places: readonly string[];
  /** Nobody sent the message again. */
  readonly isSilent: boolean;
  readonly differences: readonly string[];
}

export interface Swept {
  /** Places at which the process could die: while the message is under way, and while it recovers. */
  readonly points: number;
  readonly pointsInRecovery: number;
  /** Times that it did: once for all places that leave the same behind. */
  readonly crashes: number;
  readonly crashesInRecovery: number;
  readonly crashesOverAndOver: number;
  /** Writes whose answer was lost. */
  readonly lostAnswers: number;
  readonly violations: readonly Violation[];
}

export async function sweepShape(shape: Shape, options: SweepOptions): Promise<Swept> {
  const sweep = new ShapeSweep(shape, options);
  await sweep.run();
  return sweep.swept;
}

/** Of one shape: more would say the same. */
const violationsMax = 3;

/** Each has a folder of its own, for SQLite closes a connection whenever it is collected. */
let lives = 0;

class ShapeSweep {
  readonly swept = {
    points: 0,
    pointsInRecovery: 0,
    crashes: 0,
    crashesInRecovery: 0,
    crashesOverAndOver: 0,
    lostAnswers: 0,
    violations: [] as Violation[],
  };
  readonly #shape: Shape;
  readonly #options: SweepOptions;
  /** How the story ends: undisturbed; and if the message is never sent. */
  #whole: Ending | null = null;
  #without: Ending | null = null;
  #answers: Lived['answers'] = new Map();

  constructor(shape: Shape, options: SweepOptions) {
    this.#shape = shape;
    this.#options = options;
  }

  async run(): Promise<void> {
    const { deaths, faults, ending, points, answers, answersToMessage } = await this.#live([], { isWatched: true });
    this.swept.points = points;
    this.#whole = ending;
    this.#answers = answers;
    this.#report([], [...faults, ...this.#wrongEnds()]);
    const [first] = deaths;
    if (!ending || !first) return;
    if (answersToMessage === 1) this.#without = (await this.#live([first], { isSilent: true })).ending;
    const { point } = this.#options;
    const wanted = deaths.filter(({ from, to }) => point === null || (from <= point && point <= to));
    for (const death of wanted) {
      if (this.swept.violations.length >= violationsMax) return;
      await this.#die(death);
    }
    if (point === null) await this.#loseAnswers();
    // A place of its own for each seed.
    const again = wanted[this.#options.seed % wanted.length];
    if (again) await this.#dieOverAndOver(again);
  }

  /**
   * Of each write, one at a time: whether it was done is not known, until it is found out. Compared with a life on the same
   * store that loses none: it draws the same ids, and with them the same delays.
   */
  async #loseAnswers(): Promise<void> {
    const all = new LostAnswer(null);
    const undisturbed = await this.#live([], { lost: all });
    this.#report([], undisturbed.faults);
    for (let at = 1; at <= all.writes && this.swept.violations.length < violationsMax; at++) {
      this.swept.lostAnswers++;
      const lived = await this.#live([], { lost: new LostAnswer(at) });
      const differences = [...this.#differences(lived, [undisturbed.ending]), ...this.#otherAnswers(lived)];
      const found = [...lived.faults, ...differences];
      if (found.length > 0) this.#report([], [`the answer to write ${at} was lost`, ...found]);
    }
  }

  /** Once, and again wherever it could die while it recovers. */
  async #die(death: Death): Promise<void> {
    this.swept.crashes++;
    const { deaths, points } = await this.#recover([death]);
    this.swept.pointsInRecovery += points;
    if (this.#without && !this.#shape.isSaidOnce && !hasAnswered(death)) await this.#recoverInSilence([death]);
    for (const second of newOnes(deaths, death).slice(0, this.#options.secondMax)) {
      if (this.swept.violations.length >= violationsMax) return;
      this.swept.crashesInRecovery++;
      await this.#recover([death, second]);
    }
  }

  /** At one place of the recovery, again and again, and at last not. */
  async #dieOverAndOver(death: Death): Promise<void> {
    const { repeats, seed } = this.#options;
    const places = [death];
    for (let time = 0; time < repeats; time++) {
      const last = places.at(-1) as Death;
      const { deaths } = await this.#live(places, {
        isBrief: true,
        isSilent: this.#mustNotRepeat(last),
        isWatched: true,
      });
      const next = newOnes(deaths, last);
      const again = next[seed % Math.max(1, next.length)];
      if (!again) return; // It has nothing to recover.
      this.swept.crashesOverAndOver++;
      places.push(again);
    }
    await this.#recover(places);
  }

  /** Without an answer, what must not be said twice is not. */
  #mustNotRepeat(death: Death): boolean {
    return this.#shape.isSaidOnce === true && !hasAnswered(death);
  }

  /** Goes on from the last of these deaths. */
  async #recover(places: readonly Death[]): Promise<Lived> {
    const last = places.at(-1) as Death;
    if (this.#mustNotRepeat(last)) return this.#recoverInSilence(places);
    const lived = await this.#live(places, { isWatched: places.length === 1 });
    const differences = [...this.#differences(lived, [this.#whole]), ...this.#otherAnswers(lived)];
    this.#report(places, [...lived.faults, ...differences]);
    return lived;
  }

  /** The caller died as well: it happened, or it did not, and nothing in between. */
  async #recoverInSilence(places: readonly Death[]): Promise<Lived> {
    const lived = await this.#live(places, { isSilent: true, isWatched: places.length === 1 });
    this.#report(places, [...lived.faults, ...this.#differences(lived, [this.#whole, this.#without])], true);
    return lived;
  }

  /** From the last of these deaths. */
  #live(
    places: readonly Death[],
    { lost = null, ...how }: Partial<Pick<Life, 'isSilent' | 'isBrief' | 'isWatched' | 'lost'>>,
  ): Promise<Lived> {
    const { Sqlite, folder, seed, isAside } = this.#options;
    lives++;
    // Each process draws ids of its own, and the same ones whatever else is swept.
    const story = `${seed} ${this.#shape.name} ${places.map(({ from }) => from).join(' ')} ${JSON.stringify(how)}`;
    const life = { shape: this.#shape, Sqlite, folder: path.join(folder, String(lives)), seed: seedFrom(story) };
    return live({
      ...life,
      isAside,
      lost,
      from: places.at(-1) ?? null,
      isSilent: false,
      isBrief: false,
      isWatched: false,
      ...how,
    });
  }

  /** From the ending that is nearest. */
  #differences({ ending }: Lived, expected: readonly (Ending | null)[]): readonly string[] {
    if (!ending) return []; // The fault that kept it from ending was told.
    const all = expected.flatMap((one) => (one ? [compareEndings(one, ending)] : []));
    return all.toSorted((one, other) => one.length - other.length)[0] ?? [];
  }

  /** I36: the same order, the same answer. */
  #otherAnswers({ answers, ending }: Lived): readonly string[] {
    if (!ending) return [];
    return [...this.#answers].flatMap(([order, expected]) => {
      const found = answers.get(order) ?? 'no answer';
      const isExpected = found === expected || found === this.#shape.repeatedAs;
      return isExpected ? [] : [`order ${order}: expected the answer ${expected}, but found ${found}`];
    });
  }

  #wrongEnds(): readonly string[] {
    const runs = this.#whole?.get('runs') ?? [];
    const ends = runs.map((run) => {
      const [, workflow, , status] = JSON.parse(run) as string[]; // as `readEnding` made it
      return `${workflow} ${status}`;
    });
    const found = ends.toSorted().join(', ');
    return found === this.#shape.ends ? [] : [`expected the runs to end so: ${this.#shape.ends}; but found: ${found}`];
  }

  #report(deaths: readonly Death[], differences: readonly string[], isSilent = false): void {
    if (differences.length === 0) return;
    const point = deaths[0]?.from ?? null;
    this.swept.violations.push({ shape: this.#shape.name, point, places: deaths.map(placeOf), isSilent, differences });
  }
}

const placeOf = ({ from, to, place, lastPlace }: Death): string =>
  from === to ? `point ${from}, ${place}` : `points ${from} to ${to}, ${place} … ${lastPlace}`;

const seedFrom = (text: string): number => Number.parseInt(hash('sha256', text, 'hex').slice(0, 8), 16);

/** Whether a caller was answered since the message was sent. */
const hasAnswered = ({ outside }: Death): boolean => outside.answers.size > outside.answersBefore;

/** Without those at which the store is as it was found, and nobody has heard more: that death was died. */
const newOnes = (deaths: readonly Death[], before: Death): readonly Death[] =>
  deaths.filter(({ image, outside }) => !isSameImage(image, before.image) || !hasHeardTheSame(outside, before.outside));
