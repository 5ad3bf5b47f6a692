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
import { checkDeletions } from './check-deletions.ts';
import { checkEffects } from './check-effects.ts';
import { checkEnds } from './check-ends.ts';
import { checkLedger } from './check-ledger.ts';
import { gatherEvidence, inspectStore } from './evidence.ts';
import { Nursery } from './line-process.ts';
import { EngineProcess } from './processes.ts';
import { report } from './report.ts';
import { Round } from './round.ts';
import { Tally } from './tally.ts';

/** One store sees so many; then it is checked, and another one made. */
const killsPerRound = 250;
/** From so many on, whatever can happen must have happened. */
const killsForEverything = 500;
const tellEveryMs = 10_000;

export interface Plan {
  readonly kills: number;
  readonly seed: number;
  /** The number of the first round: rounds have nothing to do with each other. */
  readonly round: number;
  /** The files are left where they are; those of a round with violations always are. */
  readonly keep: boolean;
}

export function readPlan(args: readonly string[]): Plan {
  const text = { type: 'string' } as const;
  const options = { kills: text, count: text, seed: text, round: text, keep: { type: 'boolean' } } as const;
  const { kills, count, seed = '1', round = '0', keep = false } = parseArgs({ args: [...args], options }).values;
  return { kills: Number(kills ?? count ?? 50), seed: Number(seed), round: Number(round), keep };
}

/** Answers with the exit code. */
export async function supervise(plan: Plan): Promise<number> {
  const folder = mkdtempSync(path.join(tmpdir(), 'heddle-kill-'));
  const program = await bundleWhole(import.meta.url, 'engine-process');
  const nursery = new Nursery(() => new EngineProcess(program));
  const tally = new Tally();
  const timer = setInterval(() => process.stderr.write(`${tally.progress()}\n`), tellEveryMs);
  try {
    for (let number = plan.round; tally.kills < plan.kills && !tally.isHopeless; number++) {
      const kills = Math.min(killsPerRound, plan.kills - tally.kills);
      await makeRound({ folder: path.join(folder, `round-${number}`), number, kills, plan, nursery, tally });
    }
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

interface RoundPlan {
  readonly folder: string;
  readonly number: number;
  readonly kills: number;
  readonly plan: Plan;
  readonly nursery: Nursery<EngineProcess>;
  readonly tally: Tally;
}

async function makeRound({ folder, number, kills, plan, nursery, tally }: RoundPlan): Promise<void> {
  mkdirSync(folder);
  const known = tally.violations.length;
  const round = new Round({ folder, dice: new Dice(plan.seed * 1_000_003 + number), nursery, tally });
  tally.begin(round.client);
  await round.kill(kills);
  await round.finish();
  // What went wrong before would show here once more, and often.
  if (tally.violations.length === known) await checkRound(round, tally);
  if (tally.violations.length === known) {
    if (!plan.keep) rmSync(folder, { recursive: true });
    return;
  }
  const repeat = `node scripts/prove.mjs run kill --kills ${kills} --seed ${plan.seed} --round ${number} --keep`;
  tally.hints.push(`Round ${number} again: ${repeat}\n  its last lives:\n  ${tally.recent.join('\n  ')}`);
}

async function checkRound({ client, files, logBytesMost }: Round, tally: Tally): Promise<void> {
  const complain = (complaint: string): void => void tally.violations.push(complaint);
  for (const complaint of await inspectStore(files.file, logBytesMost)) complain(complaint);
  const evidence = await gatherEvidence(files, client.ledger);
  checkLedger(client.ledger, evidence, complain);
  await checkDeletions(client.ledger, evidence, { file: files.file, complain });
  await checkBackups({ ledger: client.ledger, evidence, file: files.file, complain });
  tally.repeatedEffects += checkEffects(evidence, complain);
  await checkEnds(client.ledger, evidence, complain);
}
