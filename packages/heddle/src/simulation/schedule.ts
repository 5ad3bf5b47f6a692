// Schedule: everything that can happen in a simulated world, and when. Time is virtual and moves only when nothing is
// left to be done at its present instant, or when the dice say that the world is slow.
//
// Always true: one thing happens at a time, and everything that follows from it by promises alone has happened before
// the next; what belongs to a life that has ended never happens.

import { deferForReal, virtualStart } from '../testing/virtual-clock.ts';
import type { Dice } from './dice.ts';

/** One process, from its start to its end. What happens in it carries it, so that it can be called off. */
export interface Life {
  hasEnded: boolean;
  /** Until then it stands still: what happens in it happens afterwards. */
  stillUntil?: number;
}

/** The world itself, its clients and workers: they do not die. */
export const worldLife: Life = { hasEnded: false };

interface Entry {
  readonly life: Life;
  readonly at: number;
  readonly happen: () => void;
  isCancelled: boolean;
}

export class Schedule {
  now = virtualStart;
  readonly #dice: Dice;
  /** What can happen now, oldest first. */
  #ready: Entry[] = [];
  /** In the order of their times, and of their setting where times are equal. */
  readonly #later: Entry[] = [];

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  /** It can happen at once, before or after whatever else can. */
  soon(life: Life, happen: () => void): void {
    this.#ready.push({ life, at: this.now, happen, isCancelled: false });
  }

  /** It happens at its time; the answer cancels it. */
  at(at: number, life: Life, happen: () => void): () => void {
    const entry: Entry = { life, at, happen, isCancelled: false };
    let place = this.#later.length;
    while (place > 0 && (this.#later[place - 1] as Entry).at > at) place--; // below its length
    this.#later.splice(place, 0, entry);
    return () => {
      entry.isCancelled = true;
    };
  }

  get isQuiet(): boolean {
    this.#gather();
    return this.#ready.length === 0;
  }

  /** When something is to happen that cannot yet; null if nothing is. */
  get nextAt(): number | null {
    this.#gather();
    return this.#later[0]?.at ?? null;
  }

  /** Lets one thing happen; false if there is nothing. `isSlow`: time passes although something could. */
  step(isSlow: boolean): boolean {
    this.#gather();
    const next = this.#later[0];
    if (this.#ready.length === 0 || (isSlow && next !== undefined)) {
      if (next === undefined) return false;
      this.#later.shift();
      this.now = Math.max(this.now, next.at);
      this.#happen(next);
      return true;
    }
    const [entry] = this.#ready.splice(this.#dice.draw(this.#ready.length), 1) as [Entry]; // there is one
    this.#happen(entry);
    return true;
  }

  #happen(entry: Entry): void {
    const { life } = entry;
    if ((life.stillUntil ?? 0) <= this.now) entry.happen();
    else
      this.at(life.stillUntil ?? 0, life, () => {
        if (!entry.isCancelled) this.#happen(entry);
      });
  }

  /** What has become due can happen now; what cannot happen any more is forgotten. */
  #gather(): void {
    if (this.#ready.some(isOff)) this.#ready = this.#ready.filter((entry) => !isOff(entry));
    for (let next = this.#later[0]; next && (isOff(next) || next.at <= this.now); next = this.#later[0]) {
      this.#later.shift();
      if (!isOff(next)) this.#ready.push(next);
    }
  }
}

const isOff = ({ life, isCancelled }: Entry): boolean => isCancelled || life.hasEnded;

/** Lets everything that follows by promises happen. */
export const microtasks = (): Promise<void> => new Promise(deferForReal);
