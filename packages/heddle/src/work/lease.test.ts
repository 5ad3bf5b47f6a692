import { describe, expect, test } from 'vitest';
import { leaseText, readLeaseText } from './lease.ts';

const key = new Uint8Array(32).fill(7);
const name = { runId: 'run.with.dots', tokenId: 12, dispatch: 3 };

describe('the text of a lease', () => {
  test('[WK9] names its hand-out, and is another one for every other hand-out and key', () => {
    const text = leaseText(key, name);
    expect(text).toMatch(/^run\.with\.dots\.12\.3\.[\w-]{43}$/);
    expect(readLeaseText(text)).toEqual(name);
    const others = [
      leaseText(key, { ...name, dispatch: 4 }),
      leaseText(key, { ...name, tokenId: 13 }),
      leaseText(key, { ...name, runId: 'run' }),
      leaseText(new Uint8Array(32), name),
    ];
    expect(new Set([text, ...others].map((one) => one.slice(-43))).size).toBe(5);
  });

  test.each([
    '',
    'run',
    'run.1.1',
    `run.1.1.${'x'.repeat(42)}`,
    `.1.1.${'x'.repeat(43)}`,
    `run.-1.1.${'x'.repeat(43)}`,
    `run.1.1.${'='.repeat(43)}`,
    `${'r'.repeat(2_000)}.1.1.${'x'.repeat(43)}`,
  ])('[WK10] %j is none', (text) => {
    expect(readLeaseText(text)).toBeNull();
  });

  test('[WK10] what is no text is none', () => {
    expect([readLeaseText(undefined), readLeaseText(7), readLeaseText({})]).toEqual([null, null, null]);
  });
});
