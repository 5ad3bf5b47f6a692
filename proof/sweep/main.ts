// The crash sweep as a program: every message shape, and a crash at every write and every call of a port on its way, on
// the real SQLite host. Options beside `--seed`:
//   --count <n>    the first n shapes only
//   --share <n>    every n-th shape, beginning with that of --turn
//   --only <text>  shapes with this in their name
//   --point <n>    only the crash at this point
//   --second <n>   at most n crashes during each recovery (all of them by default)
//   --repeats <n>  how often it crashes at one place of a recovery, in each shape
//   --verbose      tells of each shape

import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { loadSqlite } from '../../packages/heddle/src/hosts/sqlite/sqlite-module.ts';
import { allShapes } from './all-shapes.ts';
import type { Shape } from './shape.ts';
import { type Swept, sweepShape, type Violation } from './sweep-shape.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: 'Infinity' },
    share: { type: 'string', default: '1' },
    turn: { type: 'string', default: '0' },
    only: { type: 'string', default: '' },
    point: { type: 'string' },
    second: { type: 'string', default: 'Infinity' },
    repeats: { type: 'string', default: '5' },
    verbose: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed);

const share = Number(values.share);
const shapes = allShapes
  .filter(({ name }, place) => name.includes(values.only) && place % share === Number(values.turn) % share)
  .slice(0, Number(values.count));
if (shapes.length === 0) throw new Error(`Expected a shape with "${values.only}" in its name, but there is none`);
const folder = mkdtempSync(path.join(memoryFolder() ?? tmpdir(), 'heddle-sweep-'));
try {
  report(await sweepAll());
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function sweepAll(): Promise<readonly Swept[]> {
  const all: Swept[] = [];
  for (const shape of shapes) {
    const begun = performance.now();
    const swept = await sweep(shape);
    all.push(swept);
    for (const violation of swept.violations) console.log(describe(violation));
    if (!values.verbose) continue;
    const { points, pointsInRecovery, crashes, crashesInRecovery } = swept;
    const took = `${Math.round(performance.now() - begun)} ms`;
    console.error(
      `${shape.name}: ${points} + ${pointsInRecovery} points, ${crashes} + ${crashesInRecovery} crashes, ${took}`,
    );
  }
  return all;
}

/** Half of the shapes, with the next seed the other half, on a store that answers commits later. */
function isAside(shape: Shape): boolean {
  return (allShapes.indexOf(shape) + seed) % 2 === 0;
}

async function sweep(shape: Shape): Promise<Swept> {
  return sweepShape(shape, {
    isAside: isAside(shape),
    Sqlite: await loadSqlite(),
    folder,
    seed,
    secondMax: Number(values.second),
    repeats: Number(values.repeats),
    point: values.point === undefined ? null : Number(values.point),
  });
}

function report(all: readonly Swept[]): void {
  const sum = (of: (swept: Swept) => number): number => all.reduce((total, swept) => total + of(swept), 0);
  const counts = {
    'message shapes': all.length,
    'crash points': sum(({ points, pointsInRecovery }) => points + pointsInRecovery),
    crashes: sum(({ crashes }) => crashes),
    'crashes during recovery': sum(({ crashesInRecovery }) => crashesInRecovery),
    'crashes at one place over and over': sum(({ crashesOverAndOver }) => crashesOverAndOver),
    'lost answers': sum(({ lostAnswers }) => lostAnswers),
  };
  const violations = sum((swept) => swept.violations.length);
  console.log(JSON.stringify({ proof: 'sweep', counts, violations, seed }));
  process.exitCode = violations > 0 ? 1 : 0;
}

/** Files in memory are as good: what is proved here outlives a process, not a power failure. */
function memoryFolder(): string | null {
  try {
    accessSync('/dev/shm', constants.W_OK);
    return '/dev/shm';
  } catch {
    return null;
  }
}

function describe({ shape, point, places, isSilent, differences }: Violation): string {
  const which = point === null ? '' : ` --point ${point}`;
  return [
    `VIOLATION in shape "${shape}"`,
    ...places.map((place, index) => `  died ${index === 0 ? '' : 'again '}at ${place}`),
    ...(isSilent ? ['  and nobody sent the message again'] : []),
    `  repeat: node scripts/prove.mjs run sweep --seed ${seed} --only ${JSON.stringify(shape)}${which}`,
    ...differences.map((line) => `  ${line}`),
  ].join('\n');
}
