// Dice: every choice of a simulation comes from here, so that a seed repeats it and a shorter list of choices is a
// simpler one.
//
// Always true: the same seed draws the same numbers for ever; with a list of choices, what the list does not have is 0,
// which is to mean the simplest case wherever something is drawn.

export class Dice {
  /** Everything drawn so far. */
  readonly drawn: number[] = [];
  #state: number;
  readonly #choices: readonly number[] | null;

  constructor(seed: number, choices: readonly number[] | null = null) {
    this.#state = scramble(seed);
    this.#choices = choices;
  }

  /** SM1: a whole number from 0 to below `below`, the same for the same seed or list. */
  draw(below: number): number {
    if (below <= 1) return 0;
    const number =
      this.#choices === null ? Math.floor(this.#next() * below) : (this.#choices[this.drawn.length] ?? 0) % below;
    this.drawn.push(number);
    return number;
  }

  /** True in `count` of `outOf` cases. False is the simple case. */
  chance(count: number, outOf: number): boolean {
    return this.draw(outOf) >= outOf - count;
  }

  /** One of them; the first is the simplest. */
  pick<T>(list: readonly [T, ...T[]]): T;
  pick<T>(list: readonly T[]): T | undefined;
  pick<T>(list: readonly T[]): T | undefined {
    return list[this.draw(list.length)];
  }

  /** From `from` to `to`, both included. */
  between(from: number, to: number): number {
    return from + this.draw(to - from + 1);
  }

  /** mulberry32. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
}

/** Neighbouring seeds draw nothing alike. */
function scramble(seed: number): number {
  let mixed = Math.imul(seed ^ (seed >>> 16), 0x45d9f3b);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b);
  return (mixed ^ (mixed >>> 16) ^ Math.floor(seed / 4_294_967_296)) >>> 0;
}
