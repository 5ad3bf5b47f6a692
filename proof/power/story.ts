// Story: what the caller of a recorded engine does: a list of deeds, each of which can be done again without harm, as
// callers do after a loss of power. Everything is a function of the dice.
//
// Always true: a deed carries a nonce, a text that occurs nowhere else; it is in the store once the deed is acknowledged,
// and not before the deed was sent.

import type { Json } from '../../packages/heddle/src/base/json.ts';
import type { Engine } from '../../packages/heddle/src/engine/engine.ts';
import type { RunSummary } from '../../packages/heddle/src/operations/run-results.ts';
import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import type { VirtualClock } from '../../packages/heddle/src/testing/virtual-clock.ts';
import { definitions, trigger } from './definitions.ts';

export interface Deed {
  readonly nonce: string;
  readonly kind: 'deposit' | 'start' | 'publish';
  readonly workflow: string;
  readonly input: { readonly [key: string]: Json };
}

/** What the caller tells of its deeds. */
export interface Ledger {
  sent(nonce: string): void;
  acknowledged(nonce: string): void;
}

export interface Stage {
  readonly engine: Engine;
  readonly clock: VirtualClock;
  readonly busy: { readonly count: number };
  readonly ledger: Ledger;
  /** Whether the caller goes on after this refusal, as one does with a store that is damaged elsewhere. */
  readonly forgives?: (error: unknown) => boolean;
}

export const organization = 'acme';
const deposit = 1_000; // More than all of it costs: who comes too late for the credits would be a matter of chance.

/** Two deeds or three at a time share their commits. */
export function makeDeeds(dice: Dice): Deed[][] {
  const rounds: Deed[][] = [[{ nonce: '<deposit>', kind: 'deposit', workflow: '', input: {} }]];
  let count = 0;
  for (let round = 0; round < 5; round++) {
    const deeds = Array.from({ length: dice.between(1, 3) }, () => makeStart(dice, count++));
    for (const { workflow, nonce, input } of deeds.filter((deed) => deed.workflow === 'wait'))
      rounds.push([{ nonce: nonce.replace('<', '<event-'), kind: 'publish', workflow, input }]);
    rounds.splice(dice.between(1, rounds.length), 0, deeds);
  }
  return rounds;
}

const kinds = ['order', 'approve', 'paid', 'wait'] as const;

/** One of each kind, then whatever comes. */
function makeStart(dice: Dice, number: number): Deed {
  const workflow = kinds[number] ?? dice.pick(kinds);
  const nonce = `<${number}>`;
  const items = Array.from({ length: dice.between(1, 3) }, (_, index) => `${nonce}-${index}`);
  const sizes = { failures: dice.draw(3), times: dice.between(1, 2_000), length: dice.between(10, 4_000) };
  return { nonce, kind: 'start', workflow, input: { nonce, items, correlation: `order-${number}`, ...sizes } };
}

/** Does all of it, from the beginning, whatever of it was done before. */
export async function play(stage: Stage, rounds: readonly (readonly Deed[])[]): Promise<void> {
  const { engine } = stage;
  for (const definition of definitions) await attempt(stage, () => engine.register(definition));
  await attempt(stage, () => engine.triggers.create(trigger));
  for (const round of rounds) {
    await Promise.all(round.map((deed) => attempt(stage, () => doDeed(stage, deed))));
    await settle(stage);
  }
}

async function attempt(stage: Stage, deed: () => Promise<unknown>): Promise<void> {
  const { forgives } = stage;
  if (!forgives) return void (await deed());
  const pending = new Set([deed]);
  const answer = deed()
    .catch((error: unknown) => {
      if (!forgives(error)) throw error;
    })
    .finally(() => pending.clear());
  // What a damaged store refuses may be tried again a few times before the caller is told.
  for (let step = 0; step < triesMax && pending.size > 0; step++) {
    await settle(stage);
    if (pending.size > 0) await stage.clock.advanceTo(stage.clock.nextAt ?? stage.clock.now());
  }
  if (pending.size > 0) throw new Error('Expected the caller to be answered, but they wait for ever');
  await answer;
}

async function doDeed({ engine, ledger }: Stage, { nonce, kind, workflow, input }: Deed): Promise<void> {
  ledger.sent(nonce);
  if (kind === 'deposit') await engine.credits.deposit(organization, deposit, { key: nonce });
  else if (kind === 'publish') {
    const { correlation } = input as { correlation: string };
    await engine.publish('payment', { nonce }, { id: nonce, correlation });
  } else {
    const tags = { workflow, nonce };
    await engine.start(workflow, input, { idempotencyKey: nonce, organization, tags });
  }
  ledger.acknowledged(nonce);
}

const stepsMax = 300;
const triesMax = 100;
const turnsMax = 20_000;
const dayMs = 86_400_000;

/** Answers what is asked and lets time pass until nothing is left to do but what is a day away. */
export async function finish(stage: Stage): Promise<void> {
  const { clock } = stage;
  const end = clock.now() + dayMs / 2;
  for (let step = 0; step < stepsMax; step++) {
    await settle(stage);
    let hasAnswered = false;
    await attempt(stage, async () => {
      hasAnswered = await answerAll(stage);
    });
    if (hasAnswered) continue;
    const next = clock.nextAt;
    if (next === null || next > end) return;
    await clock.advanceTo(next);
  }
  // What is damaged may be asked for again and again.
  if (stage.forgives === undefined)
    throw new Error(`Expected the runs to come to rest within ${stepsMax} steps, but they did not`);
}

async function answerAll({ engine, ledger }: Stage): Promise<boolean> {
  const prompts = await engine.prompts();
  for (const { runId, correlationId } of prompts) {
    const { tags } = await engine.run(runId).summary();
    const nonce = String(tags['nonce']).replace('<', '<answer-');
    ledger.sent(nonce);
    await engine.run(runId).reply(correlationId, { nonce });
    ledger.acknowledged(nonce);
  }
  return prompts.length > 0;
}

/** Several quiet turns in a row, with no task under way: those that write or read files take real time. */
async function settle({ engine, busy, clock }: Stage): Promise<void> {
  for (let quiet = 0, turn = 0; quiet < 4; turn++) {
    if (turn > turnsMax) throw new Error(`Expected the engine to come to rest, but it is at work without an end`);
    if (busy.count > 0) await new Promise((resolve) => setTimeout(resolve, 1));
    else await new Promise<void>((resolve) => clock.defer(resolve));
    quiet = engine.isIdle && busy.count === 0 ? quiet + 1 : 0;
  }
}

/** What all of it came to, the same for the same story: how each run ended, and what is left of the credits. */
export async function endingOf(engine: Engine): Promise<string> {
  const runs = await engine.runs({ limit: 1_000, subRuns: true });
  return [...runs.map(endOf).toSorted(), `credits ${await engine.credits.balance(organization)}`].join('\n');
}

export function endOf({ workflow, status, output, error, tags, quarantine }: RunSummary): string {
  return JSON.stringify([workflow, tags, status, output, error?.code, quarantine]);
}
