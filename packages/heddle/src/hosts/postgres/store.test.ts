import { installedPrograms } from '../../../../../scripts/postgres-server.mjs';
import { describeStore } from '../store.testsuite.ts';
import { testFleets } from './fleet.testsuite.ts';
import { freshShards } from './fresh-shard.testsuite.ts';

describeStore('PostgreSQL', freshShards(testFleets().many));
// Where a server of another version is there.
for (const bin of installedPrograms()) describeStore(`PostgreSQL of ${bin}`, freshShards(testFleets(bin).many));
