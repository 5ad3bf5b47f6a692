// Test Cloudflare: all that is tested of the host on Durable Objects, in workerd, of which `npm test` has a share: every crash point,
// every size, the stores' suite, and every acceptance suite on objects. Arguments go to vitest.

import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { root, setup } from './setup.mjs';

const suites = [
  'tests/cloudflare',
  'tests/cli/cloudflare.test.ts',
  'tests/acceptance',
  'packages/heddle/src/cloudflare',
  'packages/heddle/src/hosts/durable-object',
];

await setup();
const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
const args = process.argv.slice(2);
const env = { ...process.env, HEDDLE_EVERYTHING: '1', HEDDLE_HOSTS: 'object' };
const ran = spawnSync(process.execPath, [vitest, 'run', ...(args.length > 0 ? args : suites)], {
  cwd: root,
  stdio: 'inherit',
  env,
});
process.exitCode = ran.status ?? 1;
