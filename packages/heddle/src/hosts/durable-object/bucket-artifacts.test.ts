import { expect, test } from 'vitest';
import { sha256Hex } from '../../base/hash.ts';
import { type Bucket, bucketArtifacts } from './bucket-artifacts.ts';

/** As R2 lists: in the order of keys, at most a thousand at a time. */
function bucketWith(kept = new Map<string, Uint8Array>()): Bucket & { readonly kept: Map<string, Uint8Array> } {
  return {
    kept,
    put: async (key, bytes) => void kept.set(key, bytes),
    get: async (key) => {
      const bytes = kept.get(key);
      return bytes ? { arrayBuffer: async () => new Uint8Array(bytes).buffer } : null;
    },
    head: async (key) => kept.get(key) ?? null,
    delete: async (key) => void kept.delete(key),
    list: async ({ prefix, startAfter = '', limit }) => ({
      objects: [...kept.keys()]
        .filter((key) => key.startsWith(prefix) && key > startAfter)
        .toSorted()
        .slice(0, limit)
        .map((key) => ({ key })),
    }),
  };
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

test('[AR8] a store lists what is its own, and nothing of one whose name begins like its own', async () => {
  const bucket = bucketWith();
  const [acme, other, shard] = ['acme', 'acme-2', 'acme/1'].map((name) => bucketArtifacts(bucket, name));
  const id = await acme?.put(bytesOf('a'));
  await other?.put(bytesOf('b'));
  await shard?.put(bytesOf('c'));
  expect(id).toBe(sha256Hex(bytesOf('a')));
  expect(await acme?.list(null, 10)).toEqual([id]);
  expect(await acme?.list(id ?? '', 10)).toEqual([]);
  await acme?.remove(id ?? '');
  expect([...bucket.kept.keys()]).toEqual([`acme-2/${sha256Hex(bytesOf('b'))}`, `acme%2F1/${sha256Hex(bytesOf('c'))}`]);
});

test('what is its own is listed in order, page by page, also behind more of others than are listed at a time', async () => {
  const bucket = bucketWith(new Map(Array.from({ length: 1_500 }, (_, index) => [`acme-2/${index}`, bytesOf('x')])));
  const acme = bucketArtifacts(bucket, 'acme');
  const ids = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((text) => acme.put(bytesOf(text))));
  const sorted = ids.toSorted();
  expect(await acme.list(null, 3)).toEqual(sorted.slice(0, 3));
  expect(await acme.list(sorted[2] ?? '', 3)).toEqual(sorted.slice(3));
});

test('bytes that are not what they were put as are refused', async () => {
  const bucket = bucketWith();
  const acme = bucketArtifacts(bucket, 'acme');
  const id = await acme.put(bytesOf('a'));
  expect([await acme.has(id), await acme.get(id), await acme.get(sha256Hex(bytesOf('b')))]).toEqual([
    true,
    bytesOf('a'),
    null,
  ]);
  bucket.kept.set(`acme/${id}`, bytesOf('b'));
  await expect(acme.get(id)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
});
