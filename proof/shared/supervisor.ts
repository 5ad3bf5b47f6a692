// Supervisor: makes rounds until there were enough faults, checks each, tells how it goes, and says in the end what was found.
//
// Always true: it is never killed; when it ends, so has every process that it started.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import { bundleWhole } from '../kill/bundle-whole.ts';
import { Nursery } from '../kill/line-process.ts';
import { EngineProcess } from '../kill/processes.ts';
import { report } from '../kill/report.ts';
import { checkRound } from './check-round.ts';
import { TestDatabase } from './database.ts';
import type { Opening } from './protocol.ts';
import { Round } from './round.ts';
import { Tally } from './tally.ts';

/** One database sees so many. */
const faultsPerRound = 40;
const tellEveryMs = 10_000;
/** How many shards a fleet has, one round after the other. */
const sizes = [4, 3, 6, 2] as const;
const ways = 3;

export interface Plan {
  readonly faults: number;
  readonly seed: number;
  /** The number of the first round: rounds have nothing to do with each other. */
  readonly round: number;
  /** The longest that a database is stopped. */
  readonly awayMsMost: number;
  readonly keep: boolean;
}

export function readPlan(args: readonly string[]): Plan {
  const text = { type: 'string' } as const;
  const options = { faults: text, seed: text, round: text, 'away-ms': text, keep: { type: 'boolean' } } as const;
  const { values } = parseArgs({ args: [...args], options });
  const { faults = '20', seed = '1', round = '0', 'away-ms': awayMs = '5000', keep = false } = values;
  return { faults: Number(faults), seed: Number(seed), round: Number(round), awayMsMost: Number(awayMs), keep };
}

/** Answers with the exit code. */
export async function supervise(plan: Plan): Promise<number> {
  const folder = mkdtempSync(path.join(tmpdir(), 'heddle-shared-'));
  const program = await bundleWhole(import.meta.url, 'engine-process');
  const nursery = new Nursery(() => new EngineProcess<Opening>(program));
  const tally = new Tally();
  const timer = setInterval(() => process.stderr.write(`${tally.progress()}\n`), tellEveryMs);
  try {
    for (let number = plan.round; tally.faults < plan.faults && !tally.isHopeless; number++)
      await makeRound({ folder, plan, nursery, tally }, number);
  } finally {
    clearInterval(timer);
    await nursery.endAll();
    rmSync(program);
  }
  const isLeft = plan.keep || tally.violations.length > 0;
  if (!isLeft) rmSync(folder, { recursive: true });
  report('shared', plan.seed, tally, isLeft ? folder : null);
  return tally.violations.length === 0 ? 0 : 1;
}

interface Surroundings {
  readonly folder: string;
  readonly plan: Plan;
  readonly nursery: Nursery<EngineProcess<Opening>>;
  readonly tally: Tally;
}

/** Of every two one has a pooler between; of every four two have a database that dies. */
async function makeRound({ folder, plan, nursery, tally }: Surroundings, number: number): Promise<void> {
  const faults = Math.min(faultsPerRound, plan.faults - tally.faults);
  const known = tally.violations.length;
  const hasPooler = number % 2 === 1;
  const isDatabaseMortal = number % 4 >= 2;
  const database = await TestDatabase.start({ ways, hasPooler, isDurable: isDatabaseMortal });
  try {
    const round = new Round({
      database,
      isDatabaseMortal,
      awayMsMost: plan.awayMsMost,
      schema: `round_${number}`,
      shards: sizes[(plan.seed + number) % sizes.length] ?? 1,
      effects: path.join(folder, `effects-${number}.log`),
      dice: new Dice(plan.seed * 1_000_003 + number),
      nursery,
      tally,
    });
    tally.begin(round.client);
    await round.strike(faults);
    await round.finish();
    // What went wrong before would show here once more, and often.
    if (tally.violations.length === known) await checkRound(round, round.place, tally);
  } finally {
    database.stop();
  }
  tally.rounds++;
  if (hasPooler) tally.roundsWithPooler++;
  if (tally.violations.length === known) return;
  const repeat = `node scripts/prove.mjs run shared --faults ${faults} --seed ${plan.seed} --round ${number} --keep`;
  tally.hints.push(`Round ${number} again: ${repeat} --away-ms ${plan.awayMsMost}`);
}
