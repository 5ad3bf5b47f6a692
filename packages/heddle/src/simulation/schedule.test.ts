import { describe, expect, test } from 'vitest';
import { virtualStart } from '../testing/virtual-clock.ts';
import { Dice } from './dice.ts';
import { type Life, Schedule, worldLife } from './schedule.ts';

/** With dice that always say the simplest. */
const plain = () => new Schedule(new Dice(0, []));

function stepAll(schedule: Schedule): void {
  while (schedule.step(false));
}

describe('the schedule of a world', () => {
  test('what can happen now comes before time goes on; times in order, equal ones as they were set', () => {
    const schedule = plain();
    const happened: [string, number][] = [];
    const happen = (name: string) => () => void happened.push([name, schedule.now - virtualStart]);
    schedule.at(virtualStart + 20, worldLife, happen('c'));
    schedule.at(virtualStart + 10, worldLife, happen('a'));
    schedule.at(virtualStart + 10, worldLife, happen('b'));
    schedule.soon(worldLife, happen('now'));
    expect([schedule.isQuiet, schedule.nextAt]).toEqual([false, virtualStart + 10]);
    stepAll(schedule);
    expect(happened).toEqual([
      ['now', 0],
      ['a', 10],
      ['b', 10],
      ['c', 20],
    ]);
    expect([schedule.isQuiet, schedule.nextAt, schedule.step(false)]).toEqual([true, null, false]);
  });

  test('what has become due happens before or after whatever else can, as the dice say', () => {
    const orders = new Set<string>();
    for (let seed = 0; seed < 20; seed++) {
      const schedule = new Schedule(new Dice(seed));
      let order = '';
      schedule.at(schedule.now, worldLife, () => (order += 'due '));
      schedule.soon(worldLife, () => (order += 'soon '));
      stepAll(schedule);
      orders.add(order);
    }
    expect([...orders].toSorted()).toEqual(['due soon ', 'soon due ']);
  });

  test('[SM2] what was cancelled, or belongs to a life that has ended, never happens', () => {
    const schedule = plain();
    const life: Life = { hasEnded: false };
    const happened: string[] = [];
    schedule.soon(life, () => void happened.push('soon'));
    schedule.at(schedule.now, life, () => void happened.push('at'));
    schedule.at(schedule.now + 5, worldLife, () => void happened.push('cancelled'))();
    schedule.at(schedule.now + 9, worldLife, () => void happened.push('world'));
    life.hasEnded = true;
    expect(schedule.isQuiet).toBe(true);
    stepAll(schedule);
    expect(happened).toEqual(['world']);
  });

  test('in a slow world time may go on although something could happen', () => {
    const orderOf = (isSlow: boolean): string => {
      const schedule = plain();
      let order = '';
      schedule.soon(worldLife, () => (order += 'now '));
      schedule.at(schedule.now + 10, worldLife, () => (order += 'later '));
      while (schedule.step(isSlow));
      return order;
    };
    expect([orderOf(false), orderOf(true)]).toEqual(['now later ', 'later now ']);
  });
});
