// Mutants: do the proofs notice planted bugs? Each bug of `list.mjs` is built into the bundle of the proof that is to
// catch it, and that proof must fail: a bug that survives is a hole in a checker.
//
//   node proof/mutants/main.mjs [--only <id>,…] [--proof <name>] [--share 1] [--turn 0] [--jobs 2]
//
// Always true: a mutant is caught only by what its proof says (exit code 1 and a count of violations); a crash or a hang
// counts where the list says so.

import { spawn } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { programs } from '../programs.mjs';
import { attempts } from './attempts.mjs';
import { buildMutant } from './build-mutant.mjs';
import { mutants } from './list.mjs';
import { plantBug, root } from './plant-bug.mjs';
import { readSources } from './sources.mjs';

/** Below node_modules, so that a bundle finds what it imports; of this process, so that two do not spoil each other. */
const folder = path.join(root, `node_modules/.cache/heddle-proof/mutants-${process.pid}`);
const tryTests = path.join(root, 'proof/mutants/try-tests.mjs');
const outputLengthMax = 65_536;
/** A proof that takes longer hangs, where a hang is what the bug does; elsewhere the machine may just be busy. */
const hangMs = 60_000;
const slowMsMost = 900_000;

const say = (line) => process.stdout.write(`${line}\n`);
const tell = (line) => process.stderr.write(`${line}\n`);

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    proof: { type: 'string' },
    /** Every so many-th of them. */
    share: { type: 'string', default: '1' },
    /** Beginning with this one. */
    turn: { type: 'string', default: '0' },
    jobs: { type: 'string', default: '2' },
    seed: { type: 'string', default: '1' },
  },
});

const share = Number(options.share);
const chosen = mutants.filter(({ id, caughtBy }, place) => {
  if (place % share !== Number(options.turn) % share) return false;
  if (options.only !== undefined) return options.only.split(',').includes(id);
  return options.proof === undefined || caughtBy === options.proof;
});
const startedAt = performance.now();
const sources = readSources(root);
await mkdir(folder, { recursive: true });
const verdicts = await judgeAll(chosen.filter(({ equivalent }) => equivalent === undefined));
await rm(folder, { recursive: true, force: true });
report(verdicts);

/** A few at a time, each as soon as there is room. */
async function judgeAll(list) {
  const waiting = [...list];
  const judged = [];
  const workOff = async () => {
    for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) judged.push(await judge(mutant));
  };
  await Promise.all(Array.from({ length: Number(options.jobs) }, workOff));
  return judged;
}

async function judge(mutant) {
  const began = performance.now();
  const found = await tryOut(mutant);
  const isCaught = found.how === 'violation' || (mutant.alsoCaughtBy ?? []).includes(found.how);
  const ms = Math.round(performance.now() - began);
  if (options.only !== undefined || found.how === 'stale') tell(found.output);
  tell(`${isCaught ? 'caught' : 'SURVIVED'} ${mutant.id} (${mutant.caughtBy}, ${found.how}, ${ms} ms)`);
  return { mutant, isCaught, ms, how: found.how };
}

async function tryOut(mutant) {
  const { program = mutant.caughtBy, argsFor } = attempts[mutant.caughtBy];
  const patienceMs = (mutant.alsoCaughtBy ?? []).includes('hang') ? hangMs : slowMsMost;
  if (mutant.caughtBy === 'tests') return run(tryTests, argsFor(mutant), patienceMs);
  const place = path.join(folder, mutant.id);
  try {
    const bug = plantBug(mutant, sources);
    let isIn = false;
    for (const [name, entry] of Object.entries(programs[program].entries))
      isIn = (await buildMutant({ entry, outfile: path.join(place, `${name}.mjs`), bug })) || isIn;
    if (!isIn) throw new Error(`Expected ${bug.file} of mutant ${mutant.id} to be in ${program}, but it is not`);
  } catch (error) {
    return { how: 'stale', output: error.message };
  }
  let found = { how: 'survived', output: '' };
  for (const args of argsFor(mutant.hint ?? {})) {
    found = await run(path.join(place, 'main.mjs'), [...args, ...seedOf(args)], patienceMs);
    if (found.how !== 'survived') break;
  }
  return found;
}

function seedOf(args) {
  return args.includes('--seed') ? [] : ['--seed', options.seed];
}

/** What a proof with a bug in it comes to: `violation`, `survived`, `crash` or `hang`; `stale` if it cannot be built. */
function run(program, args, patienceMs) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--enable-source-maps', program, ...args], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const keep = (chunk) => {
      output = (output + chunk).slice(-outputLengthMax);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    let isHanging = false;
    const alarm = setTimeout(() => {
      isHanging = true;
      child.kill('SIGKILL');
    }, patienceMs);
    child.on('close', (code) => {
      clearTimeout(alarm);
      const how = isHanging
        ? 'hang'
        : code === 0
          ? 'survived'
          : code === 1 && violationsIn(output) > 0
            ? 'violation'
            : 'crash';
      resolve({ how, output });
    });
  });
}

/** As its last line says; 0 if that is none of a proof. */
function violationsIn(output) {
  const lines = output.split('\n').filter((line) => line.startsWith('{"proof":'));
  try {
    return JSON.parse(lines.at(-1) ?? '{}').violations ?? 0;
  } catch {
    return 0; // cut off: the program died while it wrote it
  }
}

function report(judged) {
  const survivors = judged.filter(({ isCaught }) => !isCaught);
  for (const { mutant, how } of survivors.toSorted((a, b) => (a.mutant.id < b.mutant.id ? -1 : 1)))
    say(`${mutant.id.padEnd(40)} ${mutant.caughtBy.padEnd(10)} ${how.padEnd(10)} ${mutant.what}`);
  const slowest = judged.toSorted((a, b) => b.ms - a.ms).slice(0, 5);
  tell(`slowest: ${slowest.map(({ mutant, ms }) => `${mutant.id} ${ms} ms`).join(', ')}`);
  tell(`${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  const counts = {
    mutants: chosen.length,
    caught: judged.length - survivors.length,
    equivalent: chosen.filter(({ equivalent }) => equivalent !== undefined).length,
  };
  say(JSON.stringify({ proof: 'mutants', counts, violations: survivors.length, seed: Number(options.seed) }));
  if (survivors.length > 0) process.exitCode = 1;
}
