// Test node: runs the suites on another version of Node: `npm run test:node -- 22`, with arguments for vitest behind it.
// The package `node` brings the binary; it is installed into `.heddle/nodes` when it is first needed, and is no dependency
// of the repository.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root, setup } from './setup.mjs';

const [version = '', ...args] = process.argv.slice(2);
if (!/^\d+(\.\d+){0,2}$/.test(version))
  fail(`Expected a version of Node, such as 22 or 20.19.0, but found ${JSON.stringify(version)}.`);

await setup();
const node = binaryOf(version);
console.log(`test:node: ${spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()}`);
const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
// Tests start processes with the Node that runs them; what looks for one in the PATH finds the same.
const env = { ...process.env, PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH ?? ''}` };
process.exitCode = spawnSync(node, [vitest, 'run', ...args], { cwd: root, stdio: 'inherit', env }).status ?? 1;

/** Where the binary is, installed if it is not there yet. */
function binaryOf(wanted) {
  const folder = path.join(root, '.heddle/nodes', wanted);
  const binary = path.join(folder, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(binary)) return binary;
  console.log(`test:node: installing Node ${wanted} into ${path.relative(root, folder)}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n');
  // Its install script links the binary of this machine into place.
  const options = [
    'install',
    `node@${wanted}`,
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--ignore-scripts=false',
  ];
  const { status } = spawnSync('npm', options, { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0 || !existsSync(binary)) fail(`Node ${wanted} could not be installed; read the message above.`);
  return binary;
}

function fail(sentence) {
  console.error(`test:node: ${sentence}`);
  process.exit(1);
}
