// Artifacts in a bucket of the platform's own runtime: the conformance suite of artifacts, and an action that puts one.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ArtifactStore, Store } from '../../packages/heddle/src/actor/ports.ts';
import { describeArtifacts } from '../../packages/heddle/src/hosts/artifact.testsuite.ts';
import { type Bucket, bucketArtifacts } from '../../packages/heddle/src/hosts/durable-object/bucket-artifacts.ts';
import { memoryStore } from '../../packages/heddle/src/hosts/memory/store.ts';
import { Workerd } from './workerd.testsuite.ts';

const text = (content: string): Uint8Array => new TextEncoder().encode(content);

describe('artifacts in a bucket', () => {
  let workerd: Workerd;
  let bucket: Bucket;
  let artifacts: ArtifactStore;
  let secretKey: Store['secretKey'];
  let stores = 0;

  beforeAll(async () => {
    workerd = await Workerd.open({ program: 'bucket.worker.ts', more: { r2Buckets: ['FILES'], serviceBindings: {} } });
    bucket = (await workerd.runtime.getR2Bucket('FILES')) as unknown as Bucket; // as Workers see it
  });
  afterAll(() => workerd.close());
  beforeEach(() => {
    stores += 1;
    const beside = memoryStore();
    secretKey = () => beside.secretKey();
    artifacts = bucketArtifacts(bucket, `store ${stores}`);
  });
  describeArtifacts(
    () => ({ artifacts, secretKey }) as Store, // of which the suite asks nothing else
    async () => {
      artifacts = bucketArtifacts(bucket, `store ${stores}`);
    },
  );

  it('lists ids in their order, a page at a time, and removes what is to be removed', async () => {
    const ids = await Promise.all(Array.from({ length: 7 }, (_, at) => artifacts.put(text(`artifact ${at}`))));
    const listed: string[] = [];
    for (;;) {
      const page = await artifacts.list(listed.at(-1) ?? null, 3);
      if (page.length === 0) break;
      listed.push(...page);
    }
    expect(listed).toEqual(ids.toSorted());
    await artifacts.remove(ids[0] as string);
    await artifacts.remove(ids[0] as string);
    expect(await artifacts.has(ids[0] as string)).toBe(false);
    expect(await artifacts.list(null, 1_000)).toHaveLength(6);
  });

  it('sees nothing of a store whose name begins with its own, as that of a shard does', async () => {
    const open = (name: string): ArtifactStore => bucketArtifacts(bucket, name);
    const [tenant, shard, other] = [open('acme'), open('acme/1'), open('acme2')];
    const id = await tenant.put(text('the same'));
    for (const store of [shard, other]) {
      expect(await store.list(null, 10)).toEqual([]);
      expect(await store.put(text('the same'))).toBe(id);
    }
    expect(await tenant.list(null, 10)).toEqual([id]);
    await tenant.remove(id);
    expect(await shard.has(id)).toBe(true);
    expect(await other.has(id)).toBe(true);
  });

  it('refuses bytes that are not those that were put', async () => {
    const id = await artifacts.put(text('as it was'));
    await bucket.put(`${encodeURIComponent(`store ${stores}`)}/${id}`, text('as it is'));
    await expect(artifacts.get(id)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
  });

  it('has what an action has put, for the next one and for whoever asks the engine', async () => {
    const run = await workerd.client().start('draw', {});
    const result = await run.result();
    expect(result).toMatchObject({ status: 'completed', output: { bytes: 6, picture: { mimeType: 'image/svg+xml' } } });
    const [listed] = await workerd.client().artifacts.list(run.id);
    const { id } = (result.output as { picture: { id: string } }).picture;
    expect(listed).toMatchObject({ id });
    expect(await bucketArtifacts(bucket, 'default').has(id)).toBe(true);
    await run.delete();
    await expect.poll(() => bucketArtifacts(bucket, 'default').has(id)).toBe(false);
  });
});
