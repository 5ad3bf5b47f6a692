import { describeStore } from '../store.testsuite.ts';
import { memoryStore } from './store.ts';

describeStore('memory', async () => {
  const store = memoryStore();
  const reopen = async () => {
    await store.close();
    return store;
  };
  return { store, reopen, tearDown: async () => {} };
});
