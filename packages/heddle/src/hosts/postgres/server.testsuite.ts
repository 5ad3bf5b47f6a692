// The PostgreSQL server of a test process: one for all tests, started when it is first asked for.

import pg from 'pg';
import { startPostgres } from '../../../../../scripts/postgres-server.mjs';

type TestServer = Awaited<ReturnType<typeof startPostgres>>;

const known = globalThis as { heddlePostgres?: Promise<TestServer> };

export function testServer(): Promise<TestServer> {
  known.heddlePostgres ??= startPostgres();
  return known.heddlePostgres;
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
