import { StoreError } from '../actor/store-error.ts';
import { describeFence } from '../hosts/fence.testsuite.ts';
import { SimulatedFence } from './simulated-fence.ts';

describeFence('a simulated store', async () => {
  const fence = new SimulatedFence();
  const written: string[] = [];
  return {
    fence,
    write: async (stamp, name, contradicts = false) =>
      fence.write(stamp, () => {
        if (contradicts) throw new StoreError('STORE_CONFLICT', 'it is there');
        written.push(name);
      }),
    written: async () => written.toSorted(),
  };
});
