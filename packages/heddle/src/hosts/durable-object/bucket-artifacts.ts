// BucketArtifacts: artifacts in a bucket (R2), named for their content below a prefix.
//
// Always true: an object under its name is whole, and never changed; what is read is checked against its name. What lies in the
// bucket under other names is not touched.

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

/** What follows the prefix of a store: with anything else it is in a store whose prefix begins like this one. */
const isId = (rest: string): boolean => /^[0-9a-f]{64}$/.test(rest);

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
      const ids: string[] = [];
      for (let startAfter = after === null ? null : keyOf(after); ids.length < limit; ) {
        const place = startAfter === null ? {} : { startAfter };
        const { objects } = await bucket.list({ prefix, limit: listedMax, ...place });
        ids.push(...objects.map(({ key }) => key.slice(prefix.length)).filter(isId));
        if (objects.length < listedMax) break;
        startAfter = objects.at(-1)?.key ?? null;
      }
      return ids.slice(0, limit);
    },
  };
}

function damaged(key: string): StoreError {
  return new StoreError(
    'STORE_DAMAGED',
    `Expected ${key} in the bucket to be as it was put, but its bytes are not. Put the same bytes again, or do without it.`,
  );
}
