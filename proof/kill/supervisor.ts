// Supervisor: makes rounds until there were enough kills, checks each, tells how it goes, and says in the end what was
// found.
//
// Always true: it is never killed; when it ends, so has every process that it started.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import { bundleWhole } from './bundle-whole.ts';
import { checkBackups } from './check-backups.ts';
import { checkContinuation } from './check-continuations.ts';
import { checkDeletions } from './check-deletions.ts';
import { checkEffects } from './check-effects.ts';
import { checkEnds, endsUndisturbed } from './check-ends.ts';
import { checkLedger } from './check-ledger.ts';
import { gatherEvidence, inspectStore } from './evidence.ts';
import { Nursery } from './line-process.ts';
import { EngineProcess } from './processes.ts';
import { report } from './report.ts';
import { Round } from './round.ts';
import { Tally } from './tally.ts';

/** One store sees so many; then it is checked, and another one made. Fleets come in several sizes. */
const killsPerRound = { file: 250, fleet: 100 } as const;
type Kind = keyof typeof killsPerRound;
const kinds = ['file', 'fleet'] as const;
/** From so many on, whatever can happen must have happened. */
const killsForEverything = 500;
const tellEveryMs = 10_000;
/** How many shards a fleet has, one round after the other; another seed begins elsewhere. */
const sizes = [4, 3, 2, 5, 1] as const;
/** Among what the dice are seeded with: behind all rounds on one file. */
const firstFleet = 500_000;

export interface Plan {
  readonly kills: number;
  /** So many more on fleets of files. */
  readonly fleetKills: number;
  readonly seed: number;
  /** The number of the first round: rounds have nothing to do with each other. */
  readonly round: number;
  /** The files are left where they are; those of a round with violations always are. */
  readonly keep: boolean;
}

export function readPlan(args: readonly string[]): Plan {
  const text = { type: 'string' } as const;
  const options = {
    kills: text,
    'fleet-kills': text,
    count: text,
    seed: text,
    round: text,
    keep: { type: 'boolean' },
  } as const;
  const { values } = parseArgs({ args: [...args], options });
  const { kills, count, 'fleet-kills': fleetKills = '0', seed = '1', round = '0', keep = false } = values;
  return {
    kills: Number(kills ?? count ?? 50),
    fleetKills: Number(fleetKills),
    seed: Number(seed),
    round: Number(round),
    keep,
  };
}

/** Answers with the exit code. */
export async function supervise(plan: Plan): Promise<number> {
  const folder = mkdtempSync(path.join(tmpdir(), 'heddle-kill-'));
  const program = await bundleWhole(import.meta.url, 'engine-process');
  const nursery = new Nursery(() => new EngineProcess(program));
  const tally = new Tally();
  const timer = setInterval(() => process.stderr.write(`${tally.progress()}\n`), tellEveryMs);
  try {
    for (const kind of kinds) await makeRounds({ folder, kind, plan, nursery, tally });
  } finally {
    clearInterval(timer);
    await nursery.endAll();
    rmSync(program);
  }
  if (tally.kills >= killsForEverything) {
    for (const missing of tally.missing) tally.violations.push(`Expected at least one ${missing}, but there was none`);
  }
  const isLeft = plan.keep || tally.violations.length > 0;
  if (!isLeft) rmSync(folder, { recursive: true });
  process.stderr.write(`kill: ${tally.perPoint()}\n`);
  report('kill', plan.seed, tally, isLeft ? folder : null);
  return tally.violations.length === 0 ? 0 : 1;
}

interface Rounds {
  readonly folder: string;
  readonly kind: Kind;
  readonly plan: Plan;
  readonly nursery: Nursery<EngineProcess>;
  readonly tally: Tally;
}

async function makeRounds(rounds: Rounds): Promise<void> {
  const { kind, plan, tally } = rounds;
  const end = tally.kills + (kind === 'fleet' ? plan.fleetKills : plan.kills);
  for (let number = plan.round; tally.kills < end && !tally.isHopeless; number++)
    await makeRound(rounds, number, Math.min(killsPerRound[kind], end - tally.kills));
}

async function makeRound(
  { kind, plan, nursery, tally, ...rounds }: Rounds,
  number: number,
  kills: number,
): Promise<void> {
  const folder = path.join(rounds.folder, `${kind}-${number}`);
  mkdirSync(folder);
  const known = tally.violations.length;
  const dice = new Dice(plan.seed * 1_000_003 + (kind === 'fleet' ? firstFleet : 0) + number);
  const shards = kind === 'fleet' ? (sizes[(plan.seed + number) % sizes.length] ?? 1) : null;
  const round = new Round({ folder, shards, dice, nursery, tally });
  tally.begin(round.client, shards !== null);
  await round.kill(kills);
  await round.finish();
  // What went wrong before would show here once more, and often.
  if (tally.violations.length === known) await checkRound(round, tally);
  if (tally.violations.length === known) {
    if (!plan.keep) rmSync(folder, { recursive: true });
    return;
  }
  const counts = kind === 'fleet' ? `--kills 0 --fleet-kills ${kills}` : `--kills ${kills}`;
  const repeat = `node scripts/prove.mjs run kill ${counts} --seed ${plan.seed} --round ${number} --keep`;
  tally.hints.push(`Round ${number} again: ${repeat}\n  its last lives:\n  ${tally.recent.join('\n  ')}`);
}

async function checkRound({ client, files, logBytesMost }: Round, tally: Tally): Promise<void> {
  const complain = (complaint: string): void => void tally.violations.push(complaint);
  const { place } = files;
  const { ledger } = client;
  for (const complaint of await inspectStore(place, logBytesMost)) complain(complaint);
  const evidence = await gatherEvidence(files, ledger);
  checkLedger(ledger, evidence, complain);
  await checkDeletions(ledger, evidence, { place, complain });
  const copies = await checkBackups({ ledger, evidence, place, complain });
  tally.repeatedEffects += checkEffects(evidence, complain);
  const undisturbed = await endsUndisturbed(ledger);
  checkEnds(evidence, undisturbed, complain);
  for (const copy of copies) await checkContinuation(copy, { ledger, undisturbed, complain });
  tally.continued += copies.length;
}
