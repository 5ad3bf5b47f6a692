import { expect, test } from 'vitest';
import { ActionError } from './action-error.ts';
import { failureOf, runOne } from './executor.testsuite.ts';

test.each([
  ['code', 5, '"code" to be a code of 1 to 200 printable characters without spaces'],
  ['code', 'two words', '"code" to be a code'],
  ['retryable', 'no', '"retryable" to be true or false'],
  ['retryAfterMs', 'soon', '"retryAfterMs" to be a number of milliseconds'],
  ['retryAfterMs', Number.NaN, '"retryAfterMs" to be a number'],
  ['retriable', false, 'one of code, retryable, retryAfterMs, details, cause'],
])('[OP10] %s: %j is reported, and the message is not lost', async (name, value, expected) => {
  const make = () => new ActionError('The card was declined', { [name]: value });
  expect(make).toThrow(expected);
  const outcome = await runOne({}, { actions: { work: () => Promise.reject(make()) } });
  const { code, message, thrown } = failureOf(outcome);
  expect([code, message]).toEqual(['OPTION_INVALID', expect.stringContaining('The card was declined')]);
  expect(thrown?.cause).toMatchObject({ name: 'ActionError', message: 'The card was declined' });
});

test('[OP10] what is left out, undefined or null counts as absent', () => {
  const options = { code: undefined, retryable: null, retryAfterMs: null, cause: undefined } as never;
  expect(new ActionError('no', options)).toMatchObject({ code: 'ACTION_FAILED', retryable: true, retryAfterMs: null });
});
