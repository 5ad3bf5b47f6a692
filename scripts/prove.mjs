// Prove: builds the proofs and runs them. They are programs in TypeScript, which the oldest Node that we support cannot
// run as they are, so that each is bundled first, with the engine inside and the packages outside.
//
//   npm run prove                                    the share of every proof that is a part of `npm test`
//   node scripts/prove.mjs run simulator --seed 7    one proof, with arguments of its own
//
// Always true: the last line that a proof prints is one JSON object with its counts; a proof without one has failed.

import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { programs } from '../proof/programs.mjs';
import { commitTurn } from './commit-turn.mjs';
import { root, setup } from './setup.mjs';

/** Below node_modules, so that a bundle finds the packages that stay outside. */
const folder = path.join(root, 'node_modules/.cache/heddle-proof');

/** The longest first, so that the last does not run alone for long. */
const order = ['simulator', 'sweep', 'hostile', 'power', 'served', 'shared', 'tenants', 'kill', 'upgrade'];

/** Runs every proof and prints the table; answers with the names of those that passed and of those that failed. */
export async function prove() {
  const waiting = [...order];
  const results = [];
  const workOff = async () => {
    for (let name = waiting.shift(); name; name = waiting.shift()) results.push(await proveOne(name));
  };
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, workOff));
  // Several at a time by itself; all of them are a command of their own.
  results.push(await finished('mutants', [path.join(root, 'proof/mutants/main.mjs'), '--share', '12', ...turn()]));
  for (const result of results) if (result.isFailed) console.log(`\nprove: ${result.name} FAILED\n${result.output}`);
  printTable(results);
  const named = (wanted) => results.filter(({ isFailed }) => isFailed === wanted).map(({ name }) => name);
  return { passed: named(false), failed: named(true) };
}

async function proveOne(name) {
  const file = await buildProgram(name);
  const { share, takesTurns = false } = programs[name];
  return finished(name, ['--enable-source-maps', file, ...share, ...(takesTurns ? turn() : [])]);
}

const turn = () => ['--turn', String(commitTurn())];

/** Bundles a program; answers with where it is. */
async function buildProgram(name) {
  const { buildMutant } = await import('../proof/mutants/build-mutant.mjs'); // esbuild is not there before the set-up.
  const place = path.join(folder, `${name}-${process.pid}`);
  for (const [part, entry] of Object.entries(programs[name].entries))
    await buildMutant({ entry, outfile: path.join(place, `${part}.mjs`), bug: null });
  return path.join(place, 'main.mjs');
}

function finished(name, args) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const chunks = [];
  child.stdout.on('data', (chunk) => chunks.push(chunk));
  child.stderr.on('data', (chunk) => chunks.push(chunk));
  return new Promise((resolve) => {
    child.on('close', (status) => {
      const output = Buffer.concat(chunks).toString();
      const summary = summaryIn(output);
      const isFailed = status !== 0 || summary === null || summary.violations > 0;
      const seconds = (performance.now() - startedAt) / 1000;
      console.log(`prove: ${name} ${isFailed ? 'FAILED' : 'ok'} (${seconds.toFixed(1)} s)`);
      resolve({ name, isFailed, output, summary, seconds });
    });
  });
}

function summaryIn(output) {
  const line = output.split('\n').findLast((each) => each.startsWith('{"proof":'));
  return line === undefined ? null : JSON.parse(line);
}

/** Of each proof: more is in its own last line. */
const countsMax = 4;

function printTable(results) {
  const rows = results.map(({ name, summary, seconds, isFailed }) => {
    const counts = Object.entries(summary?.counts ?? {}).map(
      ([what, count]) => `${count.toLocaleString('en')} ${what}`,
    );
    const verdict = isFailed ? 'FAILED' : '0';
    return [
      name,
      verdict,
      String(summary?.seed ?? ''),
      `${seconds.toFixed(0)} s`,
      counts.slice(0, countsMax).join(', '),
    ];
  });
  const all = [['proof', 'violations', 'seed', 'time', 'what was tried'], ...rows];
  const widths = all[0].map((_, column) => Math.max(...all.map((row) => row[column].length)));
  console.log();
  for (const row of all)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    );
  console.log();
}

async function main([verb, name, ...args]) {
  await setup();
  if (verb === undefined) {
    if ((await prove()).failed.length > 0) process.exitCode = 1;
    return;
  }
  if (verb !== 'run' || !(name in programs)) {
    console.error(`Expected \`run\` and one of ${Object.keys(programs).join(', ')}, but found ${verb} ${name ?? ''}`);
    process.exitCode = 2;
    return;
  }
  const file = await buildProgram(name);
  const child = spawn(process.execPath, ['--enable-source-maps', file, ...args], { cwd: root, stdio: 'inherit' });
  child.on('close', (status) => process.exit(status ?? 1));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
