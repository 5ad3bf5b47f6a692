// Schedule: the times of a cron pattern in a time zone. Pure: the same pattern and time always give the same answer.
//
// Always true: times are whole seconds, ascending, and none is given twice. A time that a change of clocks leaves out
// comes at the end of the gap; one that it repeats comes once, unless the pattern asks for every hour or minute.

import { Cron } from 'croner';

export interface Schedule {
  /** The first time after `at`; null if there is none. */
  after(at: number): number | null;
  /** The newest `count` times that are not after `at`, ascending. */
  newestUpTo(at: number, count: number): readonly number[];
}

export type CompiledSchedule =
  | { readonly schedule: Schedule }
  | { readonly problem: { readonly field: 'cron' | 'timeZone'; readonly code: string; readonly message: string } };

export function compileSchedule(cron: string, timeZone: string): CompiledSchedule {
  if (!isTimeZone(timeZone)) {
    const message = `Expected the name of a time zone such as "Europe/Berlin", but found ${JSON.stringify(timeZone)}`;
    return { problem: { field: 'timeZone', code: 'UNKNOWN_TIME_ZONE', message } };
  }
  const pattern = readPattern(cron, timeZone);
  if (typeof pattern !== 'string') return { schedule: makeSchedule(pattern) };
  const message = `Expected a cron pattern (minute, hour, day, month, weekday), but found ${JSON.stringify(cron)}: ${pattern}`;
  return { problem: { field: 'cron', code: 'INVALID_CRON', message } };
}

/**
 * TR6: a schedule that comes due fires for the newest `max` of the times after `since` and up to `now`, in their order;
 * those before them are missed.
 */
export function dueOccurrences(schedule: Schedule, since: number, now: number, max: number): readonly number[] {
  return max === 0 ? [] : schedule.newestUpTo(now, max).filter((at) => at > since);
}

const fieldsPattern = /^(@(yearly|annually|monthly|weekly|daily|midnight|hourly)|\S+(\s+\S+){4,5})$/i;

/** What is wrong, if it is no pattern. */
function readPattern(cron: string, timeZone: string): Cron | string {
  // The library reads more than that: whole dates, and years.
  if (!fieldsPattern.test(cron.trim())) return 'there are not five or six fields';
  try {
    return new Cron(cron, { timezone: timeZone, paused: true });
  } catch (error) {
    return (error instanceof Error ? error.message : String(error)).replace(/^CronPattern: /, '');
  }
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false; // this is how the platform answers the question
  }
}

function makeSchedule(cron: Cron): Schedule {
  return {
    after: (at) => cron.nextRun(new Date(at))?.getTime() ?? null,
    newestUpTo(at, count) {
      // The library looks strictly before a whole second.
      const before = new Date(Math.floor(at / 1_000) * 1_000 + 1_000);
      return cron
        .previousRuns(count, before)
        .map((date) => date.getTime())
        .toSorted((a, b) => a - b);
    },
  };
}
