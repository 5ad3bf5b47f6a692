import { describe, expect, it } from 'vitest';
import { describeThrown } from './describe-thrown.ts';

/** An error with a stack of its own, so that tests can compare it. */
const made = (message: string, more: object = {}): Error =>
  Object.assign(new Error(message), { stack: `Error: ${message}\n    at place`, ...more });

describe('what was thrown', () => {
  it('[EX20] has its stack, its causes and its parts', () => {
    const reset = made('reset', { code: 'ECONNRESET', name: 'SystemError' });
    const parts = Object.assign(new AggregateError([made('first'), 'second'], 'all failed'), { stack: 'S' });
    const error = made('fetch failed', { cause: Object.assign(parts, { cause: reset }) });
    expect(describeThrown(error)).toEqual({
      name: 'Error',
      stack: 'Error: fetch failed\n    at place',
      cause: {
        name: 'AggregateError',
        message: 'all failed',
        stack: 'S',
        cause: { name: 'SystemError', message: 'reset', code: 'ECONNRESET', stack: 'Error: reset\n    at place' },
        errors: [{ name: 'Error', message: 'first', stack: 'Error: first\n    at place' }, { message: 'second' }],
      },
    });
  });

  it.each([
    ['a text', 'no'],
    ['undefined', undefined],
    ['an object', { message: 'no', code: 'X' }],
    ['an error without a stack', Object.assign(new Error('no'), { stack: '' })],
    ['a cause that is no error', Object.assign(new Error('no'), { stack: 5, cause: 7 })],
    ['a hostile proxy', new Proxy({}, { get: () => JSON.parse('{') })],
  ])('[EX20] is nothing of %s', (_, error) => expect(describeThrown(error)).toBeUndefined());

  it('[EX20] is bounded, and cut in the same way each time', () => {
    const long = (depth: number): Error =>
      made('m'.repeat(2_000), {
        stack: 's'.repeat(9_000),
        name: 'n'.repeat(1_000),
        ...(depth === 0 ? {} : { cause: long(depth - 1), errors: Array.from({ length: 40 }, () => long(0)) }),
      });
    const thrown = describeThrown(long(12));
    expect(describeThrown(long(12))).toEqual(thrown);
    expect(JSON.stringify(thrown).length).toBeLessThan(32_000);
    expect(thrown?.stack).toBe(`${'s'.repeat(3_999)}…`);
    expect(thrown?.cause?.cause?.cause?.cause).toMatchObject({ name: `${'n'.repeat(99)}…` });
    expect(thrown?.cause?.cause?.cause?.cause?.cause).toBeUndefined();
    expect(describeThrown(made('x', { errors: Array.from({ length: 40 }, () => made('part')) }))?.errors).toHaveLength(
      8,
    );
  });

  it('[EX20] a cause that is its own cause ends', () => {
    const error = made('again');
    error.cause = error;
    expect(describeThrown(error)?.cause?.cause?.cause?.cause).toBeDefined();
    expect(describeThrown(error)?.cause?.cause?.cause?.cause?.cause).toBeUndefined();
  });

  it('[EX20] a long message leaves room for the places', () => {
    expect(describeThrown(made('m'.repeat(5_000)))?.stack).toBe('Error: …\n    at place');
  });
});
