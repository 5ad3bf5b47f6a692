// Check: everything that can be known without running the code. The checks run side by side and report in reading order.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { root, setup } from './setup.mjs';

const checks = {
  types: ['typescript/bin/tsc', '-p', 'tsconfig.json'],
  'pure types': ['typescript/bin/tsc', '-p', 'packages/heddle/tsconfig.pure.json'],
  'web types': ['typescript/bin/tsc', '-p', 'apps/web/tsconfig.json'],
  lint: ['oxlint/bin/oxlint', '--type-aware', '--deny-warnings'],
  format: ['@biomejs/biome/bin/biome', 'check', '--error-on-warnings'],
  tidy: ['../scripts/tidy.mjs'],
  unused: ['knip/bin/knip.js', '--no-progress', '--no-config-hints'],
};

/** Runs all checks, prints one line for each and the whole output of those that failed; answers with the names of these. */
export async function check() {
  const runs = Object.entries(checks).map(([name, args]) => run(name, args));
  const failed = [];
  for (const { name, status, output, seconds } of await Promise.all(runs)) {
    console.log(`check: ${name} ${status === 0 ? 'ok' : 'FAILED'} (${seconds.toFixed(1)} s)`);
    if (status === 0) continue;
    failed.push(name);
    console.log(output.trimEnd());
  }
  return failed;
}

function run(name, [program, ...args]) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [`node_modules/${program}`, ...args], { cwd: root });
  const chunks = [];
  child.stdout.on('data', (chunk) => chunks.push(chunk));
  child.stderr.on('data', (chunk) => chunks.push(chunk));
  return new Promise((resolve) => {
    child.on('close', (status) => {
      const seconds = (performance.now() - startedAt) / 1000;
      resolve({ name, status, seconds, output: Buffer.concat(chunks).toString() });
    });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await setup();
  const failed = await check();
  if (failed.length > 0) process.exitCode = 1;
}
