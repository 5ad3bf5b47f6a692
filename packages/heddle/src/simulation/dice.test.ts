import { describe, expect, test } from 'vitest';
import { Dice } from './dice.ts';

const numbers = (dice: Dice): number[] => Array.from({ length: 40 }, (_, index) => dice.draw(2 + index));

describe('dice', () => {
  test('[SM1] the same seed draws the same, its neighbours something else', () => {
    const drawn = numbers(new Dice(7));
    expect(numbers(new Dice(7))).toEqual(drawn);
    expect(numbers(new Dice(8))).not.toEqual(drawn);
    expect(numbers(new Dice(2 ** 40 + 7))).not.toEqual(drawn);
  });

  test('[SM1] a list of choices is drawn as it is, then zeros', () => {
    const first = new Dice(7);
    const drawn = numbers(first);
    expect(first.drawn).toEqual(drawn);
    expect(numbers(new Dice(0, drawn))).toEqual(drawn);
    expect(numbers(new Dice(0, drawn.slice(0, 5)))).toEqual([
      ...drawn.slice(0, 5),
      ...Array.from({ length: 35 }, () => 0),
    ]);
    // A number that is too large for what is asked is made to fit.
    expect(new Dice(0, [9]).draw(4)).toBe(1);
  });

  test('numbers are spread evenly, chances come as often as they are said to', () => {
    const dice = new Dice(1);
    const counts = [0, 0, 0, 0];
    for (let i = 0; i < 40_000; i++) counts[dice.draw(4)]! += 1;
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(400);
    let hits = 0;
    for (let i = 0; i < 40_000; i++) if (dice.chance(30, 1000)) hits++;
    expect(Math.abs(hits - 1_200)).toBeLessThan(150);
  });

  test('zero is the simple case: no chance comes, the first is picked, the smallest number is drawn', () => {
    const dice = new Dice(0, []);
    expect([dice.chance(999, 1000), dice.pick(['a', 'b']), dice.between(3, 9), dice.draw(1)]).toEqual([
      false,
      'a',
      3,
      0,
    ]);
    // What leaves no choice is not written down.
    expect(dice.drawn).toEqual([0, 0, 0]);
  });
});
