// Simulated calls: what one process of several sees of the calls between them. An exchange fails, or is done and its answer is lost, or
// it is done again long after; news of it are lost, doubled and late.
//
// Always true: a process that has ended says nothing and hears nothing; one that was cut off does not reach them.

import type { Awaitable, Calls } from '../actor/ports.ts';
import type { Dice } from './dice.ts';
import type { Faults } from './faults.ts';
import type { Schedule } from './schedule.ts';
import { simulatedFault } from './simulated-fault.ts';
import type { ProcessLife } from './simulated-store.ts';

export interface CallsWorld {
  readonly calls: Required<Calls>;
  readonly schedule: Schedule;
  readonly faults: Faults;
  readonly dice: Dice;
}

const delaysMs = [0, 10, 200, 3_000] as const;

export function simulatedCalls(life: ProcessLife, { calls, schedule, faults, dice }: CallsWorld): Calls {
  const later = (happen: () => void): void => void schedule.at(schedule.now + dice.pick(delaysMs), life, happen);
  const late = (): Promise<void> => new Promise((resolve) => later(() => resolve()));
  // What fails has not happened; what is in doubt has.
  const ask = async <Answer>(name: string, perform: () => Awaitable<Answer>): Promise<Answer> => {
    if (faults.strikes('late-call')) await late();
    if (life.hasEnded) return new Promise(() => undefined);
    if (life.isZombie || faults.strikes('lost-call'))
      throw simulatedFault('STORE_FAILED', `${name}: the calls cannot be reached`);
    const answer = await perform();
    // As a connection that was lost does: the same bytes once more, when others have come since.
    if (faults.strikes('doubled-call')) later(() => void perform());
    if (faults.strikes('late-call')) await late();
    if (faults.strikes('lost-reply')) throw simulatedFault('STORE_IN_DOUBT', `${name}: the answer was lost`);
    return answer;
  };
  const isTold = dice.chance(1, 2);
  return {
    join: (process, number) => ask('join', () => calls.join(process, number)),
    exchange: (said) => ask('exchange', () => calls.exchange(said)),
    leave: (process) => ask('leave', () => calls.leave(process)),
    listen: (process, onNews) => {
      const { stop } = calls.listen(process, () => {
        if (!isTold || faults.strikes('lost-call')) return;
        schedule.soon(life, onNews);
        if (faults.strikes('doubled-call')) later(onNews);
      });
      return { isTold, stop };
    },
  };
}
