import { hash } from 'node:crypto';
import { afterAll } from 'vitest';
import { shardsMax } from '../../base/shard.ts';
import { describeStore } from '../store.testsuite.ts';
import type { Database } from './database.ts';
import { freshShards, newSchema } from './fresh-shard.testsuite.ts';
import { makeCurrent } from './migrations.ts';
import { openPglite } from './pglite.testsuite.ts';
import { createPostgresStore } from './store.ts';

let opened: Database | null = null;
afterAll(() => opened?.close());

const secretKey = new Uint8Array(hash('sha256', 'a key', 'buffer'));

const setUp = freshShards(async () => {
  const schema = newSchema();
  await opened?.close();
  const database = await openPglite(schema);
  opened = database;
  await makeCurrent(database, schema, { shards: shardsMax, newShards: shardsMax, keyFingerprint: 'k' }, 'make');
  return (shard) => createPostgresStore({ database, urgent: database, secretKey }, shard);
});

describeStore('PGlite', setUp);
