import { describe, expect, it } from 'vitest';
import { ActionError } from './action-error.ts';
import { runOne } from './executor.testsuite.ts';
import { readRetryAfter, retryAfterMsMax } from './retry-after.ts';

const now = Date.parse('2030-01-01T00:00:00Z');

describe('Retry-After', () => {
  const cases: readonly (readonly [name: string, error: unknown, ms: number | null])[] = [
    ['nothing', new Error('x'), null],
    ['an ActionError', new ActionError('x', { retryAfterMs: 1_500 }), 1_500],
    ['seconds', { retryAfter: 2 }, 2_000],
    ['seconds as text', { retryAfter: ' 2.5 ' }, 2_500],
    ['an HTTP date', { retryAfter: 'Tue, 01 Jan 2030 00:01:00 GMT' }, 60_000],
    ['a date in the past', { retryAfter: 'Mon, 31 Dec 2029 00:00:00 GMT' }, 0],
    ['Headers', { headers: new Headers({ 'Retry-After': '7' }) }, 7_000],
    ['plain headers', { headers: { 'retry-after': '7' } }, 7_000],
    ['the headers of a response', { response: { headers: new Headers({ 'Retry-After': '7' }) } }, 7_000],
    ['too much', { retryAfter: 1e12 }, retryAfterMsMax],
    ['infinity', { retryAfterMs: Infinity }, retryAfterMsMax],
    ['less than nothing', { retryAfter: -5 }, 0],
    ['NaN', { retryAfterMs: Number.NaN }, null],
    ['rubbish', { retryAfter: 'soon', headers: { get: () => ({}) }, response: 'none' }, null],
    ['a getter that throws', { headers: { get: () => JSON.parse('{') } }, null],
  ];

  it.each(cases)('reads %s', (_, error, ms) => {
    expect(readRetryAfter(error, now)).toBe(ms);
  });

  it('[EX9] is told with the failure', async () => {
    const work = async () => {
      throw new ActionError('slow down', { code: 'HTTP_429', retryAfterMs: 3_000 });
    };
    const outcome = await runOne({}, { actions: { work } });
    expect(outcome).toMatchObject({ failure: { code: 'HTTP_429' }, retryable: true, retryAfterMs: 3_000 });
  });
});
