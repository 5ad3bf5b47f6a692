// BucketArtifacts: artifacts in a bucket (R2), named for their content below a prefix.
//
// Always true: an object under its name is whole, and never changed; what is read is checked against its name.

import type { ArtifactStore } from '../../actor/ports.ts';
import { StoreError } from '../../actor/store-error.ts';
import { sha256Hex } from '../../base/hash.ts';

/** The part of a bucket of the platform that is used. */
export interface Bucket {
  put(key: string, bytes: Uint8Array): Promise<unknown>;
  get(key: string): Promise<{ arrayBuffer(): Promise<ArrayBuffer> } | null>;
  head(key: string): Promise<unknown>;
  delete(key: string): Promise<unknown>;
  list(options: { prefix: string; startAfter?: string; limit: number }): Promise<{
    readonly objects: readonly { readonly key: string }[];
  }>;
}

/** What the platform lists at a time, at most. */
const listedMax = 1_000;

/** Each store needs a prefix of its own: what it does not know is removed from it. */
export function bucketArtifacts(bucket: Bucket, prefix: string): ArtifactStore {
  const keyOf = (id: string): string => `${prefix}${id}`;
  return {
    async put(bytes) {
      const id = sha256Hex(bytes);
      await bucket.put(keyOf(id), bytes);
      return id;
    },
    async get(id) {
      const found = await bucket.get(keyOf(id));
      if (found === null) return null;
      const bytes = new Uint8Array(await found.arrayBuffer());
      if (sha256Hex(bytes) !== id) throw damaged(keyOf(id));
      return bytes;
    },
    has: async (id) => (await bucket.head(keyOf(id))) !== null,
    async remove(id) {
      await bucket.delete(keyOf(id));
    },
    async list(after, limit) {
      const place = after === null ? {} : { startAfter: keyOf(after) };
      const { objects } = await bucket.list({ prefix, limit: Math.min(limit, listedMax), ...place });
      return objects.map(({ key }) => key.slice(prefix.length));
    },
  };
}

function damaged(key: string): StoreError {
  return new StoreError(
    'STORE_DAMAGED',
    `Expected ${key} in the bucket to be as it was put, but its bytes are not. Put the same bytes again, or do without it.`,
  );
}
