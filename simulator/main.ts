// The simulator as a program: `node scripts/prove.mjs run simulator --runs 20000 --seed 1`. One world after the other,
// from the seeds that once found something on, until so many runs were simulated in worlds in which something went wrong.
//
//   --seed S --worlds 1 one seed again, and what happened in it
//   --quick             ends with the first violation, as it is
//   --kind K            only workloads of this kind
//   --faults F,…        only these faults
//   --fleet             only worlds of several shards
//   --shards N          only worlds of N shards
//   --processes N       only worlds of several shards, which N processes share

import { parseArgs } from 'node:util';
import { type AnyFault, allFaults, processFaults, wireFaults } from '../packages/heddle/src/simulation/faults.ts';
import { Campaign, describePlayed, type Played } from './campaign.ts';
import { keptSeeds } from './kept-seeds.ts';
import { allKinds, fleetKinds, kinds } from './kinds.ts';
import { sometimesNames } from './sometimes.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000' },
    worlds: { type: 'string', default: 'Infinity' },
    seed: { type: 'string', default: '1' },
    kind: { type: 'string' },
    faults: { type: 'string' },
    fleet: { type: 'boolean', default: false },
    shards: { type: 'string' },
    processes: { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
});

/** Worlds with less are too few for everything rare to happen. */
const runsForSometimes = 20_000;
/** Every so many worlds one is played twice: the same seed, the same history (I35). */
const repeatEvery = 50;
const shrinkTriesMax = 300;
const violationsMax = 5;

/** How many shards, in worlds of several; of every so many seeds one is played in such a world too. */
const fleets = [2, 3, 5] as const;
const fleetEvery = 2;
/** How many processes share them. */
const sharing = [1, 2, 1, 3] as const;

const tally = { runs: 0, faultyRuns: 0, worlds: 0, fleets: 0, runsInFleets: 0, sharedRuns: 0, violations: 0 };
const reached = new Map<string, number>();
/** The arguments that play the world of now again. */
let playing = '';
// An error that nobody hears would end the process of a user, and says nothing of where it came from.
process.on('unhandledRejection', (reason) => {
  console.log(`an error that nobody heard: ${String(reason)}\nagain: ${playing}`);
  process.exit(1);
});

async function main(): Promise<void> {
  const campaign = new Campaign(
    values.kind === undefined ? allKinds : [kindNamed(values.kind)],
    values.faults?.split(',').map(faultNamed),
    values.kind === undefined ? fleetKinds : undefined,
  );
  const [runsWanted, worldsMax] = [Number(values.runs), Number(values.worlds)];
  const before = process.cpuUsage();
  if (worldsMax > 1 && values.kind === undefined)
    for (const { seed, shards = 1, processes = 1 } of keptSeeds) await playOne(campaign, seed, { shards, processes });
  const isEnough = (): boolean =>
    tally.faultyRuns >= runsWanted || tally.worlds >= worldsMax || tally.violations >= violationsMax;
  for (let seed = Number(values.seed); !isEnough(); seed++) {
    for (const engines of enginesFor(seed)) if (!isEnough()) await playOne(campaign, seed, engines);
    if (values.quick && tally.violations > 0) break;
  }
  if (runsWanted >= runsForSometimes) tellUnreached();
  const { user, system } = process.cpuUsage(before);
  const seconds = (user + system) / 1_000_000; // of one core: the machine may have others to serve
  const counts = {
    'faulty runs': tally.faultyRuns,
    'runs without a fault': tally.runs - tally.faultyRuns,
    worlds: tally.worlds,
    'faulty runs in fleets': tally.runsInFleets,
    'worlds of fleets': tally.fleets,
    'faulty runs in fleets of several processes': tally.sharedRuns,
    'faulty runs per second of a core': Math.round(tally.faultyRuns / seconds),
  };
  console.log(JSON.stringify({ proof: 'simulator', counts, violations: tally.violations, seed: Number(values.seed) }));
  process.exitCode = tally.violations > 0 ? 1 : 0;
}

interface Engines {
  readonly shards: number;
  readonly processes: number;
}

const alone: Engines = { shards: 1, processes: 1 };

/** The worlds of a seed: one store, and for every other seed several shards, of one process or of several. */
function enginesFor(seed: number): readonly Engines[] {
  const turn = Math.floor(seed / fleetEvery);
  const shards = Number(values.shards ?? fleets[turn % fleets.length]);
  const processes = Number(values.processes ?? sharing[turn % sharing.length]);
  const { processes: asked, shards: number } = values;
  if (number !== undefined) return [{ shards, processes: Number(asked ?? 1) }];
  if (asked !== undefined || values.fleet) return [{ shards, processes }];
  return seed % fleetEvery === 0 ? [alone, { shards, processes }] : [alone];
}

function kindNamed(name: string) {
  const kind = Object.entries(kinds).find(([key]) => key === name)?.[1];
  if (kind) return kind;
  throw new Error(`Expected one of ${Object.keys(kinds).join(', ')}, but found ${name}`);
}

function faultNamed(name: string): AnyFault {
  const known = [...allFaults, ...wireFaults, ...processFaults];
  const fault = known.find((each) => each === name);
  if (fault) return fault;
  throw new Error(`Expected some of ${known.join(', ')}, but found ${name}`);
}

async function playOne(campaign: Campaign, seed: number, engines = alone): Promise<void> {
  const { shards, processes } = engines;
  playing = commandFor({ seed, shards, processes });
  const played = await campaign.play(seed, engines);
  tally.runs += played.runs;
  if (played.isFaulty) tally.faultyRuns += played.runs;
  tally.worlds++;
  if (shards > 1) {
    tally.fleets++;
    if (played.isFaulty) tally.runsInFleets += played.runs;
    if (played.isFaulty && processes > 1) tally.sharedRuns += played.runs;
  }
  for (const mark of played.marks) reached.set(mark, (reached.get(mark) ?? 0) + 1);
  if (played.violation !== null) return tellViolation(campaign, played);
  if (seed % repeatEvery !== 0) return;
  const again = await campaign.play(seed, engines);
  if (again.history === played.history) return;
  tally.violations++;
  console.log(`seed ${seed}: I35 the same seed gave another history`);
}

async function tellViolation(campaign: Campaign, played: Played): Promise<void> {
  tally.violations++;
  const { seed, kind, shards, processes, violation } = played;
  console.log(`seed ${seed} (${kind}, ${shards} shards, ${processes} processes): ${violation}`);
  console.log(`again: ${commandFor(played)}`);
  if (values.quick) return;
  console.log(describePlayed(await campaign.simplest(played, shrinkTriesMax)));
}

function commandFor({ seed, shards, processes }: Engines & { readonly seed: number }): string {
  const where = (shards === 1 ? '' : ` --shards ${shards}`) + (processes === 1 ? '' : ` --processes ${processes}`);
  return `node scripts/prove.mjs run simulator --worlds 1 --seed ${seed}${where}`;
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
