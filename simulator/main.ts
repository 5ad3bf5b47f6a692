// The simulator as a program: `node scripts/prove.mjs run simulator --runs 20000 --seed 1`. One world after the other,
// from the seeds that once found something on, until so many runs were simulated in worlds in which something went wrong.
//
//   --seed S --worlds 1 one seed again, and what happened in it
//   --quick             ends with the first violation, as it is
//   --kind K            only workloads of this kind
//   --faults F,…        only these faults

import { parseArgs } from 'node:util';
import { allFaults, type Fault } from '../packages/heddle/src/simulation/faults.ts';
import { Campaign, describePlayed, type Played } from './campaign.ts';
import { keptSeeds } from './kept-seeds.ts';
import { allKinds, kinds } from './kinds.ts';
import { sometimesNames } from './sometimes.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000' },
    worlds: { type: 'string', default: 'Infinity' },
    seed: { type: 'string', default: '1' },
    kind: { type: 'string' },
    faults: { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
});

/** Worlds with less are too few for everything rare to happen. */
const runsForSometimes = 20_000;
/** Every so many worlds one is played twice: the same seed, the same history (I35). */
const repeatEvery = 50;
const shrinkTriesMax = 300;
const violationsMax = 5;

const tally = { runs: 0, faultyRuns: 0, worlds: 0, violations: 0 };
const reached = new Map<string, number>();

async function main(): Promise<void> {
  const campaign = new Campaign(
    values.kind === undefined ? allKinds : [kindNamed(values.kind)],
    values.faults?.split(',').map(faultNamed),
  );
  const [runsWanted, worldsMax] = [Number(values.runs), Number(values.worlds)];
  const before = process.cpuUsage();
  if (worldsMax > 1 && values.kind === undefined) for (const { seed } of keptSeeds) await playOne(campaign, seed);
  const isEnough = (): boolean =>
    tally.faultyRuns >= runsWanted || tally.worlds >= worldsMax || tally.violations >= violationsMax;
  for (let seed = Number(values.seed); !isEnough(); seed++) {
    await playOne(campaign, seed);
    if (values.quick && tally.violations > 0) break;
  }
  if (runsWanted >= runsForSometimes) tellUnreached();
  const { user, system } = process.cpuUsage(before);
  const seconds = (user + system) / 1_000_000; // of one core: the machine may have others to serve
  const counts = {
    'faulty runs': tally.faultyRuns,
    'runs without a fault': tally.runs - tally.faultyRuns,
    worlds: tally.worlds,
    'faulty runs per second of a core': Math.round(tally.faultyRuns / seconds),
  };
  console.log(JSON.stringify({ proof: 'simulator', counts, violations: tally.violations, seed: Number(values.seed) }));
  process.exitCode = tally.violations > 0 ? 1 : 0;
}

function kindNamed(name: string) {
  const kind = Object.entries(kinds).find(([key]) => key === name)?.[1];
  if (kind) return kind;
  throw new Error(`Expected one of ${Object.keys(kinds).join(', ')}, but found ${name}`);
}

function faultNamed(name: string): Fault {
  const fault = allFaults.find((each) => each === name);
  if (fault) return fault;
  throw new Error(`Expected some of ${allFaults.join(', ')}, but found ${name}`);
}

async function playOne(campaign: Campaign, seed: number): Promise<void> {
  const played = await campaign.play(seed);
  tally.runs += played.runs;
  if (played.isFaulty) tally.faultyRuns += played.runs;
  tally.worlds++;
  for (const mark of played.marks) reached.set(mark, (reached.get(mark) ?? 0) + 1);
  if (played.violation !== null) return tellViolation(campaign, played);
  if (seed % repeatEvery !== 0) return;
  const again = await campaign.play(seed);
  if (again.history === played.history) return;
  tally.violations++;
  console.log(`seed ${seed}: I35 the same seed gave another history`);
}

async function tellViolation(campaign: Campaign, played: Played): Promise<void> {
  tally.violations++;
  const { seed, kind, violation } = played;
  console.log(`seed ${seed} (${kind}): ${violation}`);
  console.log(`again: node scripts/prove.mjs run simulator --worlds 1 --seed ${seed}`);
  if (values.quick) return;
  console.log(describePlayed(await campaign.simplest(played, shrinkTriesMax)));
}

/** Rare states must really be reached. */
function tellUnreached(): void {
  for (const name of sometimesNames) {
    if (reached.has(name)) continue;
    tally.violations++;
    console.log(`never reached: ${name}`);
  }
}

await main();
