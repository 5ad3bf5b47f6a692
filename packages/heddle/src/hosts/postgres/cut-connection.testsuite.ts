// A connection that is cut: a relay to the server for tests, gone with the test.

import { connect } from 'node:net';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { openRelay, type Relay } from './relay.testsuite.ts';
import { testServer } from './server.testsuite.ts';

export async function cutConnection(): Promise<Relay> {
  const { folder } = await testServer();
  const relay = await openRelay(() => connect(path.join(folder, '.s.PGSQL.5432')));
  onTestFinished(() => relay.drop());
  return relay;
}
