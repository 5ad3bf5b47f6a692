import { describeCalls } from '../calls.testsuite.ts';
import { testFleets } from './fleet.testsuite.ts';
import { askServer } from './server.testsuite.ts';

const { make } = testFleets();
let fleet: ReturnType<typeof make> | null = null;

describeCalls('PostgreSQL', async () => {
  fleet ??= make(2);
  const { schema, leases, calls } = await fleet;
  await askServer(
    `UPDATE ${schema}.owners SET process = NULL; DELETE FROM ${schema}.processes;
     DELETE FROM ${schema}.askers; DELETE FROM ${schema}.calls`,
  );
  const pass = (ms: number) =>
    askServer(
      `UPDATE ${schema}.processes SET lease_until = lease_until - interval '${ms} ms';
       UPDATE ${schema}.askers SET seen_at = seen_at - interval '${ms} ms'`,
    );
  return { leases, calls, pass };
});
