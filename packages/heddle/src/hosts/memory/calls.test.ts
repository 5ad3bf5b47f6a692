import { describeCalls } from '../calls.testsuite.ts';
import { MemoryCalls } from './calls.ts';
import { memoryLeases } from './leases.ts';

describeCalls('a store in memory', async () => {
  let time = 1_000;
  const now = (): number => time;
  const leases = memoryLeases(2, now);
  const pass = (ms: number): void => {
    time += ms;
  };
  return { leases, pass, calls: new MemoryCalls({ leases, now, feedEnd: () => 0 }) };
});
