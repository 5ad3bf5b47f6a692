// Hostile input as a program: definitions, inputs, results, expressions, options, snapshots and stored rows that were damaged
// are refused at the very place that was damaged, and nothing else comes of them. Options beside `--count` and `--seed`:
//   --kind <name>     only this kind (see `kinds.ts`)
//   --choices <list>  the one input that these choices of the dice make, as a violation prints them
//   --verbose         how long each kind took
//
// Always true: the n-th input is a function of seed + n.

import { parseArgs } from 'node:util';
import { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import { findChange, takeFingerprint } from './fingerprint.ts';
import { type Kind, kindAt, kinds } from './kinds.ts';
import { shrink } from './shrink.ts';
import { describeError, type Trial } from './trial.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    kind: { type: 'string' },
    choices: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed);
const count = values.choices === undefined ? Number(values.count) : 1;
const only = kinds.find(({ name }) => name === values.kind);
if (values.kind !== undefined && only === undefined)
  throw new Error(`Expected one of ${kinds.map(({ name }) => name).join(', ')}, but found ${values.kind}`);

interface Tried {
  readonly kind: Kind;
  readonly input: string | null;
  /** What is wrong; null if nothing is. */
  readonly found: string | null;
  readonly choices: readonly number[];
}

async function tryInput(dice: Dice): Promise<Tried> {
  const drawn = kindAt((below) => dice.draw(below));
  const kind = only ?? drawn;
  let trial: Trial | null = null;
  let found: string | null;
  try {
    trial = await kind.make(dice);
    found = await trial.check();
  } catch (error) {
    found = `Expected an answer or a refusal, but it threw ${describeError(error)}`;
  }
  return { kind, input: found === null ? null : (trial?.input() ?? null), found, choices: dice.drawn };
}

/** Those after the first ones are counted, and not made smaller. */
const shownMax = 10;
/** Inputs between two looks at the globals. */
const batch = 500;

const counts = new Map<string, number>();
const took = new Map<string, number>();
let violations = 0;
const fingerprint = takeFingerprint();

for (let index = 0; index < count; index++) {
  const choices = values.choices?.split(',').map(Number) ?? null;
  const begun = performance.now();
  const tried = await tryInput(new Dice(seed + index, choices));
  counts.set(tried.kind.title, (counts.get(tried.kind.title) ?? 0) + 1);
  took.set(tried.kind.name, (took.get(tried.kind.name) ?? 0) + performance.now() - begun);
  if (tried.found !== null && violations++ < shownMax) await show(tried, seed + index);
  if (index % batch === batch - 1 || index === count - 1) lookAtGlobals(index);
}
if (values.verbose) for (const [name, ms] of took) console.error(`${name}: ${Math.round(ms)} ms`);
console.log(
  JSON.stringify({
    proof: 'hostile',
    counts: { 'hostile inputs': count, ...Object.fromEntries(counts) },
    violations,
    seed,
  }),
);
process.exit(violations > 0 ? 1 : 0); // engines of kinds that keep theirs are still open

async function show({ kind, choices, found, input }: Tried, ofSeed: number): Promise<void> {
  const isViolation = async (fewer: readonly number[]): Promise<boolean> => {
    const again = await tryInput(new Dice(ofSeed, fewer));
    return again.kind === kind && again.found !== null && again.input !== null;
  };
  const fewest = values.choices === undefined ? await shrink(choices, isViolation) : choices;
  const smallest = await tryInput(new Dice(ofSeed, fewest));
  console.log(`VIOLATION (${kind.name}, seed ${ofSeed}): ${found}`);
  console.log(`  input: ${input ?? 'none could be made'}`);
  if (smallest.found !== null) console.log(`  smallest: ${smallest.input}\n  and then: ${smallest.found}`);
  const command = `node scripts/prove.mjs run hostile --kind ${kind.name}`;
  console.log(
    `  repeat: ${command} --seed ${ofSeed} --count 1\n  smallest: ${command} --choices ${fewest.join(',')}\n`,
  );
}

function lookAtGlobals(index: number): void {
  const change = findChange(fingerprint);
  if (change === null) return;
  violations++;
  const from = seed + index - (index % batch);
  console.log(
    `VIOLATION (globals): ${change}\n  repeat: node scripts/prove.mjs run hostile --seed ${from} --count ${(index % batch) + 1}\n`,
  );
  process.exit(1); // what follows would only say the same
}
