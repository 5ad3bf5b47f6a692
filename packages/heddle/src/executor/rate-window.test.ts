import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RateWindow } from './rate-window.ts';

describe('rate', () => {
  it('[EX4] no window holds more than the limit, and no start waits for nothing', () => {
    const rates = fc.record({ limit: fc.integer({ min: 1, max: 5 }), perMs: fc.integer({ min: 1, max: 50 }) });
    const pauses = fc.array(fc.nat(30), { maxLength: 100, size: 'max' });
    fc.assert(
      fc.property(rates, pauses, ({ limit, perMs }, list) => {
        const window = new RateWindow({ limit, perMs });
        const starts: number[] = [];
        let now = 1_000;
        for (const pause of list) {
          now += pause;
          const recent = starts.filter((at) => at > now - perMs);
          expect(window.isOpen(now)).toBe(recent.length < limit);
          if (window.isOpen(now)) {
            window.record(now);
            starts.push(now);
          } else expect(window.opensAt(now)).toBe((recent[0] as number) + perMs);
        }
      }),
    );
  });

  it('opens again when the wall clock was set back', () => {
    const window = new RateWindow({ limit: 1, perMs: 100 });
    window.record(1_000_000);
    expect(window.isOpen(5_000)).toBe(false);
    expect(window.opensAt(5_000)).toBe(5_100);
    expect(window.isOpen(5_099)).toBe(false);
    expect(window.isOpen(5_100)).toBe(true);
  });
});
