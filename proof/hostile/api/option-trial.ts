// Option trial: every argument of the public API but the payloads (ids, options, queries, cursors, keys), given as anything.
// It is taken as what it is, or refused with a typed error that names it; nothing else changes. Rules OP1 to OP4 and OP8.
//
// Options come from the program that the engine is embedded in, so that what its own getters throw is its own affair.

import { HeddleError } from '../../../packages/heddle/src/base/heddle-error.ts';
import type { Dice } from '../../../packages/heddle/src/simulation/dice.ts';
import { describeError, show, type Trial } from '../trial.ts';
import { quietValues } from '../values/hostile-values.ts';
import { type Actors, makeActors, type Slot, slotsOf } from './option-slots.ts';
import { type Stage, takeStage } from './stage.ts';

/** Made once for each stage. */
const actors = new WeakMap<Stage, Promise<Actors>>();

const kept: readonly [unknown, ...unknown[]] = [
  null,
  true,
  false,
  0,
  1,
  -1,
  1.5,
  1e300,
  2 ** 53,
  '',
  'x',
  '\u0000',
  '\ud800',
  '__proto__',
  'constructor',
  "'; DROP TABLE runs; --",
  '../../etc/passwd',
  '\u001b[2J',
  'x'.repeat(100_000),
  [],
  ['a'],
  {},
  { zzz: 1 },
  { constructor: 1 },
  { toString: 1 },
  [null],
];

/** An own `__proto__`, which JSON text can hold. */
const withPrototype = (): unknown => JSON.parse('{"__proto__":"x","a":"b"}') as unknown;

export async function makeOptionTrial(dice: Dice): Promise<Trial> {
  const stage = await takeStage();
  const made = actors.get(stage) ?? makeActors(stage);
  actors.set(stage, made);
  const slots = slotsOf(await made);
  const slot = dice.pick(slots) as Slot;
  const value = drawValue(dice);
  return {
    input: () => `${slot.name} = ${show(value)} in ${String(slot.call).slice(0, 120)}`,
    check: () => check(stage, slot, value),
  };
}

function drawValue(dice: Dice): unknown {
  if (dice.chance(1, 3)) return (dice.pick(quietValues) as (typeof quietValues)[number]).make();
  return dice.chance(1, 12) ? withPrototype() : dice.pick(kept);
}

async function check(stage: Stage, { name, takes, call }: Slot, value: unknown): Promise<string | null> {
  let thrown: unknown = null;
  try {
    await call(stage.engine, value as never);
  } catch (error) {
    thrown = error;
  }
  if (stage.errors.length > 0) return `Expected nothing to break, but found ${describeError(stage.errors.pop())}`;
  if (thrown === null) return mayBeTaken(takes, value) ? null : `Expected ${name} to be refused, but it was taken`;
  if (!(thrown instanceof HeddleError)) return `Expected a typed error, but found ${describeError(thrown)}`;
  const isReadable =
    /Expected /.test(thrown.message) && thrown.message.length < 200_000 && !/[^\P{Cc}\n]|\p{Cs}/u.test(thrown.message);
  return isReadable
    ? null
    : `Expected a readable message, but found ${thrown.message.slice(0, 300)} (${thrown.message.length})`;
}

/** Whether the value is of the kind at all; whether it also leads somewhere is for the engine to say. */
function mayBeTaken(takes: Slot['takes'], value: unknown): boolean {
  switch (takes) {
    case 'text':
      return typeof value === 'string';
    case 'anything':
      return true;
    case 'bytes':
      return typeof value === 'string' || value instanceof Uint8Array;
    case 'whole':
      return Number.isSafeInteger(value);
    case 'flag':
      return typeof value === 'boolean';
    case 'texts':
      return (
        isPlain(value) &&
        Object.values(value).every((member) => typeof member === 'string') &&
        !Object.hasOwn(value, '__proto__')
      );
    case 'options':
      return isPlain(value);
  }
}

/** A class of the caller's may hold options too. */
const isPlain = (value: unknown): value is object => Object.prototype.toString.call(value) === '[object Object]';
