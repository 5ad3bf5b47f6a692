// Fickle trial: a member that says one thing the first time it is read and another the second: what was checked is what is
// kept, since every member is read once. Rules KY3, EX8 and DF42.

import type { Json } from '../../../packages/heddle/src/base/json.ts';
import type { Dice } from '../../../packages/heddle/src/simulation/dice.ts';
import { type Stage, takeStage } from '../api/stage.ts';
import { show, type Trial } from '../trial.ts';

interface Fickle {
  readonly value: object;
  readonly reads: () => number;
}

/** What it says when it is asked again. */
const afterthoughts: readonly [() => unknown, ...(() => unknown)[]] = [
  () => () => 1,
  () => {
    throw new Error('gotcha');
  },
  () => JSON.parse('{"__proto__":{"polluted":true}}') as unknown,
  () => 'x'.repeat(100_000),
  () => Number.NaN,
  () => undefined,
];

function makeFickle(first: Json, then: () => unknown): Fickle {
  let reads = 0;
  const get = (): unknown => {
    reads += 1;
    return reads === 1 ? first : then();
  };
  return { value: Object.defineProperty({}, 'x', { enumerable: true, get }), reads: () => reads };
}

export async function makeFickleTrial(dice: Dice): Promise<Trial> {
  const stage = await takeStage();
  const first = dice.pick<Json>([1, 'first', null, [1, { a: 2 }], { b: {} }]);
  const fickle = makeFickle(first, dice.pick(afterthoughts));
  const surface = dice.pick([asInput, asPayload, asAnswer, asResult, asDefinition]);
  const check = async (): Promise<string | null> => {
    const kept = await surface(stage, fickle.value);
    const expected = show({ given: { x: first } });
    if (kept !== null && show(kept) !== expected) return `Expected ${expected} to be kept, but found ${show(kept)}`;
    return fickle.reads() === 1
      ? null
      : `Expected each member to be read once, but it was read ${fickle.reads()} times`;
  };
  return { input: () => `${surface.name}: a member that is first ${show(first)} and then something else`, check };
}

/** Each answers with what was kept; null if that cannot be seen. */
async function asInput({ engine }: Stage, given: object): Promise<unknown> {
  const run = await engine.start('take', { given });
  return (await run.state()).input;
}

async function asPayload({ engine }: Stage, given: object): Promise<unknown> {
  await engine.publish('event', { given });
  return null;
}

async function asAnswer({ engine }: Stage, given: object): Promise<unknown> {
  const run = await engine.start('ask');
  const [prompt] = await run.prompts();
  await run.reply(prompt?.correlationId ?? '', { given });
  const tokens = await run.tokens();
  return tokens[0]?.output;
}

async function asResult({ engine, parcels }: Stage, given: object): Promise<unknown> {
  parcels.push({ value: { given }, isThrown: false });
  const { output } = await (await engine.start('give')).result<{ readonly given: unknown }>();
  return output?.given;
}

async function asDefinition({ engine }: Stage, given: object): Promise<unknown> {
  const source = { id: 'fickle', initialNode: 'a', nodes: [{ id: 'a' }], meta: { given } };
  const errors = engine.validate(source);
  if (errors.length > 0) throw new Error(`Expected no problem, but found ${errors[0]?.message}`);
  return null;
}
