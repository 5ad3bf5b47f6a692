import { expect, test } from 'vitest';
import { HeddleError } from './heddle-error.ts';
import { printable } from './printable.ts';

test('what cannot be printed is escaped, all else stays', () => {
  expect(printable('plain "text", ünï 💥')).toBe('plain "text", ünï 💥');
  expect(printable('a\u0000b\u001b[2J\n\u202e\u2028\ud800')).toBe('a\\u0000b\\u001b[2J\\u000a\\u202e\\u2028\\ud800');
  expect(printable('\u{e0041}')).toBe('\\u{e0041}');
});

test('[DF57] an error says nothing that could disturb where it is printed, on as many lines as it has', () => {
  const { message } = new HeddleError('RUN_NOT_FOUND', 'Expected a run \u001b[2J,\nbut there is none');
  expect(message).toBe('Expected a run \\u001b[2J,\nbut there is none');
});
