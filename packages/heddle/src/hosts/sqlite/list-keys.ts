// List keys: the idempotency keys of a file that is no store of an engine now.

import type { KeyRow } from '../../actor/ports.ts';
import { toStoredText } from '../sql/stored-run.ts';
import { openSqliteDriver } from './open.ts';

/** Of one scope. */
export async function listKeys(file: string, scope: string): Promise<readonly Pick<KeyRow, 'key' | 'fingerprint'>[]> {
  const driver = await openSqliteDriver(file, { readOnly: true });
  try {
    const rows = driver.prepare<Pick<KeyRow, 'key' | 'fingerprint'>>(
      'SELECT key, fingerprint FROM keys WHERE scope = ? ORDER BY key',
    );
    return rows
      .all(toStoredText(scope))
      .map(({ key, fingerprint }) => ({ key: JSON.parse(key) as string, fingerprint })); // as it was stored
  } finally {
    driver.close();
  }
}
