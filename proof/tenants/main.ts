// Hostile tenants: one server process, several tenants, some of whom mean harm. `--rounds N --seed S`; `--part` plays one
// part only: `forge`, `revoke` or `crowd`.
//
// Always true: what is drawn is a function of the seed and the round; only a pace depends on the machine, and no verdict
// depends on a pace.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import { report } from '../kill/report.ts';
import { crowd } from './crowd.ts';
import { forge } from './forge.ts';
import { revokeKeys } from './revoke.ts';
import { Server } from './server.ts';
import { Tally } from './tally.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    round: { type: 'string', default: '0' },
    part: { type: 'string' },
  },
});
const seed = Number(values.seed);
const program = fileURLToPath(new URL('server-process.mjs', import.meta.url));
const tally = new Tally();

/** Each on files of its own. */
const parts: Readonly<Record<string, (open: () => Promise<Server>, dice: Dice) => Promise<void>>> = {
  forge: (open, dice) => withOne(open, (server) => forge(server, dice, 300)),
  revoke: (open, dice) => withOne(open, (server) => revokeKeys(server, dice, 12)),
  crowd: (open, dice) => crowd(open, dice, 20),
};

async function withOne(open: () => Promise<Server>, play: (server: Server) => Promise<void>): Promise<void> {
  const server = await open();
  await play(server);
  await server.kill();
}

async function playRound(number: number): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'heddle-tenants-'));
  for (const [index, name] of Object.keys(parts).entries()) {
    if (values.part !== undefined && values.part !== name) continue;
    const known = tally.violations.length;
    const dice = new Dice(seed * 1_000_003 + number * 101 + index);
    const from = performance.now();
    await (parts[name] as (typeof parts)[string])(
      () => Server.open(program, path.join(folder, `${name}.db`), tally),
      dice,
    );
    process.stderr.write(`tenants: ${name} of round ${number} took ${Math.round(performance.now() - from)} ms\n`);
    if (tally.violations.length > known)
      tally.hints.push(`Again: node scripts/prove.mjs run tenants --seed ${seed} --round ${number} --part ${name}`);
  }
  rmSync(folder, { recursive: true, force: true });
}

const first = Number(values.round);
for (let number = first; number < first + Number(values.rounds) && !tally.isHopeless; number++) await playRound(number);
report('tenants', seed, tally, null);
process.exit(tally.violations.length === 0 ? 0 : 1);
