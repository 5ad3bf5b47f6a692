// Process clock: the clock of one simulated process. It may stand wrong, and its alarms may be lost, early or doubled.

import type { Clock } from '../actor/ports.ts';
import type { Dice } from './dice.ts';
import type { Faults } from './faults.ts';
import type { Life, Schedule } from './schedule.ts';

export interface ClockWorld {
  readonly schedule: Schedule;
  readonly faults: Faults;
  readonly dice: Dice;
  /** By how much its clock stands wrong now. */
  skewMs: number;
}

export function processClock(life: Life, world: ClockWorld): Clock {
  const { schedule, faults, dice } = world;
  return {
    now: () => schedule.now + world.skewMs,
    elapsed: () => schedule.now,
    schedule: arm,
    wakeAt: arm,
    defer: (callback) => schedule.soon(life, callback),
    random: () => dice.draw(1 << 30) / (1 << 30),
  };

  function arm(at: number, callback: () => void): () => void {
    const due = Math.max(schedule.now, at - world.skewMs);
    if (!faults.strikes('bad-alarms')) return schedule.at(due, life, callback);
    return [lose, comeEarly, comeTwice][dice.draw(3)]?.(due, callback) ?? lose();
  }

  function lose(): () => void {
    return () => undefined;
  }

  function comeEarly(due: number, callback: () => void): () => void {
    return schedule.at(schedule.now + Math.floor((due - schedule.now) / 2), life, callback);
  }

  function comeTwice(due: number, callback: () => void): () => void {
    const cancels = [due, due].map((at) => schedule.at(at, life, callback));
    return () => {
      for (const cancel of cancels) cancel();
    };
  }
}
