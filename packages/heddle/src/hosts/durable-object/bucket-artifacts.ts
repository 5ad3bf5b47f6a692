// BucketArtifacts: artifacts in a bucket (R2), named for their content below the name of their store.
//
// Always true: no store's name is the beginning of another's place, for what a store does not know in its place it removes; an object under its name is whole, and never changed; what is read is checked against its name.

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

/** `store`: a name of its own, as that of the object. */
export function bucketArtifacts(bucket: Bucket, store: string): ArtifactStore {
  const prefix = `${encodeURIComponent(store)}/`;
  const keyOf = (id: string): string => `${prefix}${id}`;
  /** The platform takes one write of a key in a second. */
  const putting = new Map<string, Promise<unknown>>();
  const putOnce = async (id: string, bytes: Uint8Array): Promise<void> => {
    if ((await bucket.head(keyOf(id))) === null) await bucket.put(keyOf(id), bytes);
  };
  return {
    async put(bytes) {
      const id = sha256Hex(bytes);
      const known = putting.get(id) ?? putOnce(id, bytes).finally(() => putting.delete(id));
      putting.set(id, known);
      await known;
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
    `Expected ${key} in the bucket to be as it was put, but its bytes are not. Remove that object and put the same bytes again, or do without it.`,
  );
}
