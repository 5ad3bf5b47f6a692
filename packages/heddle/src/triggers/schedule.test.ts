import { describe, expect, test } from 'vitest';
import { compileSchedule, dueOccurrences, type Schedule } from './schedule.ts';

function schedule(cron: string, timeZone = 'UTC'): Schedule {
  const compiled = compileSchedule(cron, timeZone);
  if ('problem' in compiled) throw new Error(compiled.problem.message);
  return compiled.schedule;
}

/** Those that come due between two times, each found from the one before. */
function times(cron: string, timeZone: string, from: string, until: string): string[] {
  const found: string[] = [];
  const all = schedule(cron, timeZone);
  for (let at = all.after(Date.parse(from)); at !== null && at <= Date.parse(until); at = all.after(at))
    found.push(new Date(at).toISOString());
  return found;
}

const due = (cron: string, since: string, now: string, max: number): string[] =>
  dueOccurrences(schedule(cron), Date.parse(since), Date.parse(now), max).map((at) => new Date(at).toISOString());

describe('times', () => {
  test.each([
    ['0 9 * * MON-FRI', 'UTC', ['2030-01-04T09:00:00.000Z', '2030-01-07T09:00:00.000Z']],
    ['0 9 * * MON-FRI', 'America/New_York', ['2030-01-04T14:00:00.000Z', '2030-01-07T14:00:00.000Z']],
    ['0 0 6 * *', 'Asia/Kolkata', ['2030-01-05T18:30:00.000Z']],
    ['@weekly', 'UTC', ['2030-01-06T00:00:00.000Z']],
    ['0 0 12 6 1 *', 'UTC', ['2030-01-06T12:00:00.000Z']],
  ])('%s in %s', (cron, timeZone, expected) => {
    expect(times(cron, timeZone, '2030-01-04T00:00:00Z', '2030-01-07T23:00:00Z')).toEqual(expected);
  });

  test('[TR3] in spring an hour is left out: what falls into it comes at its end, every hour comes as it is', () => {
    const spring = ['2030-03-30T12:00:00Z', '2030-04-01T12:00:00Z'] as const;
    // In Berlin 2:00 is followed by 3:00 summer time on the 31st of March.
    expect(times('30 2 * * *', 'Europe/Berlin', ...spring)).toEqual([
      '2030-03-31T01:00:00.000Z',
      '2030-04-01T00:30:00.000Z',
    ]);
    expect(times('0 3 * * *', 'Europe/Berlin', ...spring)).toEqual([
      '2030-03-31T01:00:00.000Z',
      '2030-04-01T01:00:00.000Z',
    ]);
    expect(times('0 * * * *', 'Europe/Berlin', '2030-03-30T23:30:00Z', '2030-03-31T02:30:00Z')).toEqual([
      '2030-03-31T00:00:00.000Z',
      '2030-03-31T01:00:00.000Z',
      '2030-03-31T02:00:00.000Z',
    ]);
  });

  test('[TR3] in autumn an hour comes twice: what falls into it comes once, every half hour comes as it is', () => {
    const autumn = ['2030-10-26T12:00:00Z', '2030-10-28T12:00:00Z'] as const;
    // In Berlin 3:00 summer time is followed by 2:00 on the 27th of October.
    expect(times('30 2 * * *', 'Europe/Berlin', ...autumn)).toEqual([
      '2030-10-27T00:30:00.000Z',
      '2030-10-28T01:30:00.000Z',
    ]);
    expect(times('*/30 * * * *', 'Europe/Berlin', '2030-10-26T23:30:00Z', '2030-10-27T01:30:00Z')).toEqual([
      '2030-10-27T00:00:00.000Z',
      '2030-10-27T00:30:00.000Z',
      '2030-10-27T01:00:00.000Z',
      '2030-10-27T01:30:00.000Z',
    ]);
  });

  test.each([
    ['cron', 'INVALID_CRON', '61 * * * *', 'UTC'],
    ['cron', 'INVALID_CRON', 'every day', 'UTC'],
    ['cron', 'INVALID_CRON', '2031-01-01T00:00:00Z', 'UTC'],
    ['cron', 'INVALID_CRON', '0 0 0 1 1 * 2031', 'UTC'],
    ['timeZone', 'UNKNOWN_TIME_ZONE', '* * * * *', 'Mars/Olympus'],
    ['timeZone', 'UNKNOWN_TIME_ZONE', '* * * * *', ''],
  ])('[TR3] what is wrong with %s: %s', (field, code, cron, timeZone) => {
    expect(compileSchedule(cron, timeZone)).toMatchObject({ problem: { field, code } });
  });
});

describe('what is due', () => {
  test('[TR6] the times after `since` and up to `now`, both ends as they are', () => {
    expect(due('0 * * * *', '2030-01-01T10:00:00Z', '2030-01-01T12:00:00Z', 10)).toEqual([
      '2030-01-01T11:00:00.000Z',
      '2030-01-01T12:00:00.000Z',
    ]);
    expect(due('0 * * * *', '2030-01-01T10:00:00Z', '2030-01-01T10:59:59.999Z', 10)).toEqual([]);
  });

  test('[TR6] the newest, if there are more', () => {
    expect(due('* * * * * *', '2020-01-01T00:00:00Z', '2030-01-01T00:00:00.500Z', 2)).toEqual([
      '2029-12-31T23:59:59.000Z',
      '2030-01-01T00:00:00.000Z',
    ]);
    expect(due('0 * * * *', '2030-01-01T10:00:00Z', '2030-01-01T12:00:00Z', 0)).toEqual([]);
  });

  test('[TR6] across changes of clocks the same as going through them one by one', () => {
    for (const [cron, from, now] of [
      ['30 2 * * *', '2030-03-28T12:00:00Z', '2030-04-02T12:00:00Z'],
      ['*/20 1-3 * * *', '2030-10-25T12:00:00Z', '2030-10-29T12:00:00Z'],
    ] as const) {
      const found = dueOccurrences(schedule(cron, 'Europe/Berlin'), Date.parse(from), Date.parse(now), 100);
      expect(found.map((at) => new Date(at).toISOString())).toEqual(times(cron, 'Europe/Berlin', from, now));
    }
  });
});
