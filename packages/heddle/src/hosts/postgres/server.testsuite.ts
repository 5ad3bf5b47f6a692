// The PostgreSQL servers of a test process: one for all tests, started when it is first asked for, and one more for each version
// that somebody asks for by its programs.

import pg from 'pg';
import { startPostgres } from '../../../../../scripts/postgres-server.mjs';

type TestServer = Awaited<ReturnType<typeof startPostgres>>;

const known = globalThis as { heddlePostgres?: Map<string | undefined, Promise<TestServer>> };

export function testServer(bin?: string): Promise<TestServer> {
  known.heddlePostgres ??= new Map();
  const server = known.heddlePostgres.get(bin) ?? startPostgres({ bin });
  known.heddlePostgres.set(bin, server);
  return server;
}

/** Statements of somebody else who may do everything. */
export async function askServer<Row extends object>(sql: string, database = 'postgres'): Promise<readonly Row[]> {
  const { url } = await testServer();
  const client = new pg.Client({ connectionString: url(database) });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
