// Value trial: a value that is no JSON, is too deep or too large, or does not fit its schema, handed in wherever the engine
// takes one: as the input of a run, the answer of a person, the payload of an event, the input of a trigger, the result of
// an action. It is refused at the very place that is wrong, and nothing comes of it. Rules KY3, EX8, LC1, IN7, EW11, DF56.

import { HeddleError } from '../../../packages/heddle/src/base/heddle-error.ts';
import type { Json } from '../../../packages/heddle/src/base/json.ts';
import type { Dice } from '../../../packages/heddle/src/simulation/dice.ts';
import { depthMax, payloadBytesMax, type Stage, takeStage } from '../api/stage.ts';
import { type Path, pointerOf, replaced } from '../definitions/sites.ts';
import { describeError, show, type Trial } from '../trial.ts';
import { deepValues, hostileValues } from './hostile-values.ts';
import { damageOrder } from './order.ts';
import { drawValue } from './schema-trial.ts';

/** A value that must be refused, and where. */
interface Bad {
  readonly value: unknown;
  readonly what: string;
  readonly pointer: string;
  readonly limit: 'jsonDepthMax' | 'payloadBytesMax' | null;
  /** It is JSON, but does not fit the schema of orders. */
  readonly isOrder: boolean;
}

export async function makeValueTrial(dice: Dice): Promise<Trial> {
  const stage = await takeStage();
  const bad = dice.pick([drawHostile, drawHostile, drawHostile, drawDeep, drawLarge, drawOrder])(dice);
  const surface = dice.pick(Object.keys(surfaces) as [keyof typeof surfaces]);
  if (bad.isOrder && !takesOrders.has(surface)) return makeValueTrialAt(stage, 'input', bad);
  return makeValueTrialAt(stage, surface, bad);
}

function makeValueTrialAt(stage: Stage, surface: keyof typeof surfaces, bad: Bad): Trial {
  return {
    input: () => `${surface}: ${bad.what}, wrong at ${bad.pointer || 'the top'}: ${show(bad.value)}`,
    check: () => surfaces[surface](stage, bad),
  };
}

function drawHostile(dice: Dice): Bad {
  const { what, make, below } = dice.pick(hostileValues) ?? raise();
  const { root, path } = drawPlace(dice);
  return {
    value: replaced(root, path, make()),
    what,
    pointer: `${pointerOf(path)}${below}`,
    limit: null,
    isOrder: false,
  };
}

function drawDeep(dice: Dice): Bad {
  const { what, make, step } = dice.pick(deepValues) ?? raise();
  const { root, path } = drawPlace(dice);
  const pointer = `${pointerOf(path)}${step.repeat(Math.max(0, depthMax - path.length))}`;
  return { value: replaced(root, path, make()), what, pointer, limit: 'jsonDepthMax', isOrder: false };
}

/** A long text, a long list, a flood of keys. */
const large: readonly [Json, ...Json[]] = [
  'x'.repeat(payloadBytesMax),
  Array.from({ length: payloadBytesMax / 2 }, () => 0),
  Object.fromEntries(Array.from({ length: payloadBytesMax / 10 }, (_, index) => [`key${index}`, null])),
];

function drawLarge(dice: Dice): Bad {
  const { root, path } = drawPlace(dice);
  const value = replaced(root, path, dice.pick(large));
  return { value, what: 'too large', pointer: '', limit: 'payloadBytesMax', isOrder: false };
}

function drawOrder(dice: Dice): Bad {
  const { order, what, pointer } = damageOrder(dice);
  return { value: order, what, pointer, limit: null, isOrder: true };
}

/** A value, and a place in it. */
function drawPlace(dice: Dice): { root: Json; path: Path } {
  const root = { given: drawValue(dice, 3), list: [drawValue(dice, 2)], 'a/b': {} };
  const path: (string | number)[] = [dice.pick(['given', 'list', 'a/b', 'more'])];
  let here: Json | undefined = (root as Readonly<Record<string, Json>>)[String(path[0])];
  while (typeof here === 'object' && here !== null && dice.chance(2, 3)) {
    const key: string | undefined = dice.pick(Object.keys(here));
    if (key === undefined) break;
    path.push(Array.isArray(here) ? Number(key) : key);
    here = (here as Readonly<Record<string, Json>>)[key];
  }
  return { root, path };
}

function raise(): never {
  throw new Error('Expected a list that is not empty');
}

const surfaces = {
  input: (stage: Stage, bad: Bad) =>
    refused(stage, bad, 'INPUT_INVALID', () => stage.engine.start(bad.isOrder ? 'order' : 'take', bad.value)),
  keyedInput: (stage: Stage, bad: Bad) =>
    refused(stage, bad, 'INPUT_INVALID', () =>
      stage.engine.start('take', bad.value, { idempotencyKey: 'k', tags: { a: 'b' } }),
    ),
  payload: (stage: Stage, bad: Bad) =>
    refused(stage, bad, 'PAYLOAD_INVALID', () => stage.engine.publish('event', bad.value)),
  trigger: (stage: Stage, bad: Bad) =>
    refused(stage, bad, 'INPUT_INVALID', () => stage.engine.triggers.fire('by-hand', bad.value)),
  answer: checkAnswer,
  result: checkResult,
} as const;

const takesOrders: ReadonlySet<string> = new Set(['input', 'answer', 'result']);

/** It is refused with a typed error that names the place, and no run is there that was not there before. */
async function refused(stage: Stage, bad: Bad, code: string, hand: () => Promise<unknown>): Promise<string | null> {
  const before = await newestRun(stage);
  let thrown: unknown = null;
  try {
    await hand();
  } catch (error) {
    thrown = error;
  }
  const found = checkRefusal(thrown, bad, code);
  if (found !== null) return found;
  return (await newestRun(stage)) === before ? null : 'Expected nothing to start, but a run is there';
}

const newestRun = async ({ engine }: Stage): Promise<string | null> =>
  (await engine.runs({ limit: 1 }))[0]?.runId ?? null;

function checkRefusal(thrown: unknown, bad: Bad, code: string): string | null {
  if (thrown === null) return `Expected ${code}, but it was taken`;
  if (!(thrown instanceof HeddleError)) return `Expected a typed error, but found ${describeError(thrown)}`;
  const expected = bad.limit === null ? code : 'LIMIT_EXCEEDED';
  const pointers = pointersOf(thrown);
  const isRight =
    thrown.code === expected && thrown.limit === (bad.limit ?? undefined) && pointers.includes(bad.pointer);
  if (!isRight)
    return `Expected ${expected} at ${bad.pointer || 'the top'}, but found ${describeError(thrown)} at ${pointers.join(', ')}`;
  return isReadable(thrown.message) ? null : `Expected a readable message, but found ${thrown.message}`;
}

function pointersOf({ pointer, problems, details }: HeddleError): readonly (string | undefined)[] {
  const listed = Array.isArray(details) ? (details as readonly { readonly pointer?: string }[]) : [];
  return [
    ...(pointer === undefined ? [] : [pointer]),
    ...problems.map((one) => one.pointer),
    ...listed.map((one) => one.pointer),
  ];
}

const isReadable = (message: string): boolean =>
  message.includes('Expected ') && message.length < 2_000 && !/[\p{Cc}\p{Cs}]/u.test(message);

/** The prompt stays open, and takes a right answer. */
async function checkAnswer(stage: Stage, bad: Bad): Promise<string | null> {
  const run = await stage.engine.start(bad.isOrder ? 'ask-order' : 'ask');
  const [prompt] = await run.prompts();
  if (prompt === undefined) return 'Expected a prompt, but there is none';
  const found = await refused(stage, bad, 'PAYLOAD_INVALID', () => run.reply(prompt.correlationId, bad.value));
  if (found !== null) return found;
  const { applied } = await run.reply(prompt.correlationId, { id: 'a-1', lines: [{ 'a/b': 1 }] });
  const { status } = await run.result();
  return applied && status === 'completed' ? null : `Expected the right answer to be taken, but the run is ${status}`;
}

/** The task fails with the place of the culprit, and the run with it; no other run is harmed. */
async function checkResult(stage: Stage, bad: Bad): Promise<string | null> {
  stage.parcels.push({ value: bad.value, isThrown: false });
  const run = await stage.engine.start(bad.isOrder ? 'give-order' : 'give');
  const { status, error } = await run.result();
  const expected = bad.limit === null ? 'ACTION_OUTPUT_INVALID' : 'LIMIT_EXCEEDED';
  const listed = Array.isArray(error?.details) ? (error.details as readonly { readonly pointer?: string }[]) : [];
  const pointers = listed.map(({ pointer }) => pointer);
  const isRight = status === 'failed' && error?.code === expected && error.limit === (bad.limit ?? undefined);
  if (!isRight) return `Expected ${expected}, but the run is ${status}: ${show(error)}`;
  if (!pointers.includes(bad.pointer))
    return `Expected ${expected} at ${bad.pointer || 'the top'}, but found ${show(error)}`;
  if (stage.errors.length > 0) return `Expected nothing to break, but found ${describeError(stage.errors.pop())}`;
  return isReadable(error?.message ?? '') ? null : `Expected a readable message, but found ${error?.message}`;
}
