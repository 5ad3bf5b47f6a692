// Fleets for tests, on the server for tests. All are closed when their file is done.

import { afterAll } from 'vitest';
import type { FencedStore } from '../../actor/write-queue.ts';
import { shardsMax } from '../../base/shard.ts';
import { newSchema, nextShards, type OpenShard, testKey } from './fresh-shard.testsuite.ts';
import { type PostgresOptions, type PostgresStores, postgresStores } from './open.ts';
import { testServer } from './server.testsuite.ts';

export interface TestFleet extends PostgresStores {
  readonly schema: string;
  /** The same fleet as another process has it. */
  readonly again: (options?: PostgresOptions) => Promise<PostgresStores>;
}

export function testFleets(bin?: string) {
  const opened: PostgresStores[] = [];
  afterAll(async () => {
    await Promise.all(opened.map((stores) => stores.close()));
  });
  /** In a schema of its own, which takes longer to make than most tests. */
  const make = async (shards: number, options: PostgresOptions = {}): Promise<TestFleet> => {
    const { url } = await testServer(bin);
    const schema = newSchema();
    const again = async (other: PostgresOptions = {}): Promise<PostgresStores> => {
      const stores = await postgresStores({ url: url(), schema, shards, secretKey: testKey, ...options, ...other });
      opened.push(stores);
      return stores;
    };
    return { ...(await again()), schema, again };
  };
  const many = async (): Promise<OpenShard> => (await make(shardsMax)).openStore;
  const next = nextShards(many);
  /** A store of a shard that is new. */
  const freshStore = async (): Promise<FencedStore> => (await (await next())()) as FencedStore; // it has a fence
  return { make, many, freshStore };
}
