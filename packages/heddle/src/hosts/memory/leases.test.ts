import { describeLeases } from '../leases.testsuite.ts';
import { memoryLeases } from './leases.ts';

describeLeases('memory', async () => {
  const leases = memoryLeases(3, () => 0);
  return [leases, leases];
});
