// Journal error: why a journal or a snapshot cannot be trusted.

import { StoreError } from './store-error.ts';

export class JournalError extends StoreError {
  override name = 'JournalError';

  constructor(finding: string) {
    super('STORE_DAMAGED', `${finding}. Put a backup of the store in its place.`);
  }
}
