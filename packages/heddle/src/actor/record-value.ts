// RecordValue: what a record holds. One that was damaged is refused by its name: it is no JSON (see `RecordRow`).

import type { RecordRow } from './ports.ts';
import { StoreError } from './store-error.ts';

/** Whoever reads it knows who wrote it, and so what it is. */
export function valueOf({ kind, key, value }: RecordRow): unknown {
  try {
    return JSON.parse(value);
  } catch (cause) {
    const message = `Expected the ${kind} ${key} to be JSON, but it is damaged. Put a backup of the store in its place.`;
    throw new StoreError('STORE_DAMAGED', message, { cause });
  }
}
