// Simulated leases: what one process of several sees of the leases that they share. They fail, and their answers are lost or
// late.
//
// Always true: a process that has ended asks nothing and hears nothing; one that was cut off does not reach them.

import type { Awaitable, Leases } from '../actor/ports.ts';
import type { Dice } from './dice.ts';
import type { Faults } from './faults.ts';
import type { Schedule } from './schedule.ts';
import { simulatedFault } from './simulated-fault.ts';
import type { ProcessLife } from './simulated-store.ts';

export interface LeaseWorld {
  readonly leases: Leases;
  readonly schedule: Schedule;
  readonly faults: Faults;
  readonly dice: Dice;
}

/** Longer than a lease. */
const outageMs = 14_000;

export function simulatedLeases(life: ProcessLife, { leases, schedule, faults, dice }: LeaseWorld): Leases {
  let downUntil = Number.NEGATIVE_INFINITY;
  const late = (): Promise<void> =>
    new Promise((resolve) => void schedule.at(schedule.now + dice.pick([10, 500, 4_000]), life, resolve));
  // SM12: what fails has not happened; what is in doubt has.
  const ask = async <Answer>(name: string, perform: () => Awaitable<Answer>): Promise<Answer> => {
    if (faults.strikes('late-lease')) await late();
    if (life.hasEnded) return new Promise(() => undefined);
    if (faults.strikes('lease-fails')) downUntil = schedule.now + dice.pick([0, 0, outageMs]);
    if (life.isZombie || schedule.now <= downUntil)
      throw simulatedFault('STORE_FAILED', `${name}: the leases cannot be reached`);
    const answer = await perform();
    if (faults.strikes('late-lease')) await late();
    if (faults.strikes('lost-lease')) throw simulatedFault('STORE_IN_DOUBT', `${name}: the answer was lost`);
    return answer;
  };
  return {
    renew: (process, forMs) => ask('renew', () => leases.renew(process, forMs)),
    claim: (process, shard) => ask('claim', () => leases.claim(process, shard)),
    release: (process, shard) => ask('release', () => leases.release(process, shard)),
    leave: (process) => ask('leave', () => leases.leave(process)),
  };
}
