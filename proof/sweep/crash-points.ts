// CrashPoints: every place at which the process could die while it is watched: before and after each call of a port,
// each statement and each step of writing a file, and after each answer that got out. At each one the store is kept as
// another process would find it, with what the world outside had heard by then.
//
// Always true: points at which neither the files nor what was heard differ are one death, since nothing else outlives a
// process; they are counted one by one and died at once.

import { type Image, isSameImage, takeImage, tornImages } from './image.ts';
import { hasHeardTheSame, type Outside } from './outside.ts';

export interface Death {
  /** The points that are this death, by number, and where the first and the last one are. */
  readonly from: number;
  to: number;
  readonly place: string;
  lastPlace: string;
  readonly image: Image;
  /** As of the last of its points: what had been heard by then may only make the demands harder. */
  outside: Outside;
}

export class CrashPoints {
  readonly deaths: Death[] = [];
  readonly #folder: string;
  readonly #look: () => Outside;
  #count = 0;
  #isWatching = false;
  #isChanged = true;
  #isTorn = false;

  /** `look` tells what the world outside has heard. */
  constructor(folder: string, look: () => Outside) {
    this.#folder = folder;
    this.#look = look;
  }

  /** From now on points count. The answer ends it. */
  watch(): () => void {
    this.#isWatching = true;
    this.#isChanged = true;
    this.pass('at the beginning');
    return () => {
      this.#isWatching = false;
    };
  }

  get count(): number {
    return this.#count;
  }

  /** The files may not be what they were at the point before; `bit by bit` if a death could have left a part of it. */
  change(how: 'at once' | 'bit by bit'): void {
    this.#isChanged = true;
    this.#isTorn = how === 'bit by bit';
  }

  pass(place: string): void {
    if (!this.#isWatching) return;
    this.#count++;
    const last = this.deaths.at(-1);
    const outside = this.#look();
    const image = this.#imageAfter(last);
    if (last && image === last.image && hasHeardTheSame(outside, last.outside)) {
      last.to = this.#count;
      last.lastPlace = place;
      last.outside = outside;
      return;
    }
    if (last && image !== last.image && this.#isTorn) this.#tear(last, image, place);
    this.deaths.push({ from: this.#count, to: this.#count, place, lastPlace: place, image, outside });
  }

  #imageAfter(last: Death | undefined): Image {
    if (last && !this.#isChanged) return last.image;
    this.#isChanged = false;
    const image = takeImage(this.#folder);
    return last && isSameImage(image, last.image) ? last.image : image;
  }

  /** In the midst of what led to the new image nothing more is heard. */
  #tear(last: Death, after: Image, place: string): void {
    for (const image of tornImages(last.image, after)) {
      const where = `in the midst of the write ${place}`;
      this.deaths.push({
        from: this.#count,
        to: this.#count,
        place: where,
        lastPlace: where,
        image,
        outside: last.outside,
      });
      this.#count++;
    }
  }
}
