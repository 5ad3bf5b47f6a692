// Snapshot seal: the HMAC that tells a snapshot that a store has taken from one that somebody has written. Rules TH44, TH45.
//
// Always true: the seal covers every member of the snapshot but itself, whatever the order of keys.

import type { Store } from '../actor/ports.ts';
import { equalTexts, hmacSha256 } from '../base/hash.ts';
import type { JsonObject } from '../base/json.ts';
import { stableStringify } from '../base/stable-json.ts';

/** Made from the store's own key: whoever has it can seal snapshots, and open nothing else. */
export async function snapshotKeyOf(store: Store): Promise<string> {
  return hmacSha256(await store.secretKey(), 'snapshot');
}

/** TH44: a seal is the HMAC of everything that the snapshot says, under a key that nobody else has. */
export function sealOf({ seal: _, ...snapshot }: JsonObject, key: string): string {
  return hmacSha256(new TextEncoder().encode(key), stableStringify(snapshot));
}

/** TH45: a seal counts if this store made it, or a store whose snapshots the engine was told to believe. */
export function isSealed(snapshot: JsonObject, keys: readonly string[]): boolean {
  const { seal } = snapshot;
  return typeof seal === 'string' && keys.some((key) => equalTexts(seal, sealOf(snapshot, key)));
}
