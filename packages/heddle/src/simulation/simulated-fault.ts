// Simulated fault: what a store, a wire or a lease of a world throws when a fault strikes it.
//
// Always true: it has no stack. An attempt that fails with it keeps what it was told in the journal (EX20), and the same
// seed gives the same history, whoever plays it.

import { StoreError, type StoreErrorCode } from '../actor/store-error.ts';

export function simulatedFault(code: StoreErrorCode, message: string): StoreError {
  const error = new StoreError(code, message);
  delete error.stack;
  return error;
}
