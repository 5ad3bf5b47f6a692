// Dice: chance for searches through what nobody thought of, the same for the same seed.

/** A chance that is the same every time: `draw(n)` gives 0 … n - 1. */
export function dice(seed: number): (below: number) => number {
  let state = seed * 2_654_435_769;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
