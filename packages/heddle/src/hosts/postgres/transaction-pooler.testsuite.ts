// A transaction pooler before the server for tests, gone with the test.

import { connect } from 'node:net';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { openPooler } from './pooler.testsuite.ts';
import { testServer } from './server.testsuite.ts';

export interface TransactionPooler {
  readonly url: string;
  /** How many transactions each connection of the server had. */
  readonly transactions: () => readonly number[];
}

export async function transactionPooler(backends: number): Promise<TransactionPooler> {
  const { folder } = await testServer();
  const pooler = await openPooler(() => connect(path.join(folder, '.s.PGSQL.5432')), backends);
  onTestFinished(() => pooler.close());
  return { url: `postgres://postgres@127.0.0.1:${pooler.port}/postgres`, transactions: pooler.transactions };
}
