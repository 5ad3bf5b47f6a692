// The part of the stores' conformance suite that is about what lies beside their rows: artifacts, and the secret key.

import { expect, it } from 'vitest';
import type { Store } from '../actor/ports.ts';

const hello = new TextEncoder().encode('hello');
const helloId = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';
const emptyId = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

export function describeArtifacts(store: () => Store, reopen: () => Promise<void>): void {
  it('keeps bytes under the SHA-256 of their content', async () => {
    const { artifacts } = store();
    expect(await artifacts.get(helloId)).toBeNull();
    expect(await artifacts.has(helloId)).toBe(false);
    expect(await artifacts.put(hello)).toBe(helloId);
    expect(await artifacts.put(new Uint8Array())).toBe(emptyId);
    await reopen();
    expect(await store().artifacts.get(helloId)).toStrictEqual(hello);
    expect(await store().artifacts.get(emptyId)).toStrictEqual(new Uint8Array());
    expect(await store().artifacts.has(helloId)).toBe(true);
  });

  it('keeps the same bytes once, however often and at the same time they are put', async () => {
    const { artifacts } = store();
    const ids = await Promise.all(Array.from({ length: 8 }, () => artifacts.put(new Uint8Array(hello))));
    expect(new Set(ids)).toEqual(new Set([helloId]));
    expect(await artifacts.put(hello)).toBe(helloId);
    expect(await artifacts.get(helloId)).toStrictEqual(hello);
  });

  it('keeps many bytes whole, and many artifacts apart', async () => {
    const large = new Uint8Array(3_000_000).map((_, at) => (at * 7919) % 251);
    const small = Array.from({ length: 40 }, (_, at) => new Uint8Array([at, 255 - at]));
    const ids = await Promise.all([large, ...small].map((bytes) => store().artifacts.put(bytes)));
    await reopen();
    const [foundLarge, ...foundSmall] = await Promise.all(ids.map((id) => store().artifacts.get(id)));
    expect(Buffer.from(foundLarge ?? []).equals(large)).toBe(true);
    expect(foundSmall).toStrictEqual(small);
  });

  it('is not altered through the bytes that it was given or gave', async () => {
    const given = new Uint8Array(hello);
    await store().artifacts.put(given);
    given.fill(0);
    (await store().artifacts.get(helloId))?.fill(0);
    expect(await store().artifacts.get(helloId)).toStrictEqual(hello);
  });

  it.each(['', 'x', '../../secret', helloId.toUpperCase(), `${helloId}/`, `${helloId}\n`])(
    'has nothing under what is no id: %j',
    async (id) => {
      await store().artifacts.put(hello);
      expect(await store().artifacts.get(id)).toBeNull();
      expect(await store().artifacts.has(id)).toBe(false);
    },
  );

  it('removes artifacts', async () => {
    const id = await store().artifacts.put(new Uint8Array([1, 2, 3]));
    await store().artifacts.remove(id);
    await store().artifacts.remove(id);
    await store().artifacts.remove('../../nothing');
    expect([await store().artifacts.has(id), await store().artifacts.get(id)]).toEqual([false, null]);
    expect(await store().artifacts.put(new Uint8Array([1, 2, 3]))).toBe(id);
    expect(await store().artifacts.has(id)).toBe(true);
  });

  it('lists artifacts in the order of their ids, page by page', async () => {
    expect(await store().artifacts.list(null, 10)).toEqual([]);
    const ids = await Promise.all(Array.from({ length: 30 }, (_, at) => store().artifacts.put(new Uint8Array([at]))));
    const found: string[] = [];
    for (let page = await store().artifacts.list(null, 7); page.length > 0; ) {
      found.push(...page);
      page = await store().artifacts.list(found.at(-1)!, 7);
    }
    expect(found).toEqual(ids.toSorted());
  });

  it('[SC3] has a key of 32 bytes, one and the same as long as it is', async () => {
    const key = await store().secretKey();
    expect(key).toHaveLength(32);
    expect(new Set(key).size).toBeGreaterThan(8);
    expect(await store().secretKey()).toStrictEqual(key);
    await reopen();
    expect(await store().secretKey()).toStrictEqual(key);
  });
}
