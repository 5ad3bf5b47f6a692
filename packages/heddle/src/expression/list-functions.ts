// Functions on lists. All of them return new lists.

import { checkJson } from '../base/check-json.ts';
import type { Json } from '../base/json.ts';
import { stableStringify } from '../base/stable-json.ts';
import { charge, chargeText, type Frame } from './frame.ts';
import { define, defineOnList, type FunctionTable, isIndex, wrong } from './library-function.ts';
import { costFault, describe, Fault, failed, finite, isList, isObject } from './value.ts';

export const listFunctions: FunctionTable = {
  size: define(1, ([value = null], frame) => {
    if (typeof value === 'string' || isList(value)) return value.length;
    if (!isObject(value)) return wrong('size', 'a list, an object or a text', value);
    const count = Object.keys(value).length;
    return charge(frame, 2 * count) ?? count;
  }),
  sum: defineOnList('sum', (list, frame) => sum('sum', list, frame)),
  avg: defineOnList('avg', (list, frame) => {
    if (list.length === 0) return failed('Expected at least one number for avg(), but found an empty list');
    const total = sum('avg', list, frame);
    return total instanceof Fault ? total : total / list.length;
  }),
  min: define([1, 32], (args, frame) => extreme('min', args, frame, (a, b) => a < b)),
  max: define([1, 32], (args, frame) => extreme('max', args, frame, (a, b) => a > b)),
  unique: defineOnList('unique', unique),
  flatten: defineOnList('flatten', flatten),
  reverse: defineOnList('reverse', (list, frame) => charge(frame, list.length) ?? list.toReversed()),
  sort: defineOnList('sort', sort),
  slice: define([2, 3], ([list = null, from = null, to], frame) => {
    if (!isList(list)) return wrong('slice', 'a list', list);
    if (!isIndex(from)) return wrong('slice', 'a whole number from 0 as start', from);
    if (to !== undefined && !isIndex(to)) return wrong('slice', 'a whole number from 0 as end', to);
    const end = Math.min(to ?? list.length, list.length);
    return charge(frame, Math.max(0, end - from)) ?? list.slice(from, end);
  }),
  range: define([1, 2], ([first = null, last], frame) => {
    const [from, to] = last === undefined ? [0, first] : [first, last];
    if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to)) return wrong('range', 'whole numbers', first);
    return range(Number(from), Number(to), frame);
  }),
};

function range(from: number, to: number, frame: Frame): Json | Fault {
  const length = Math.max(0, to - from);
  const over = charge(frame, length);
  if (over) return over;
  const numbers: number[] = [];
  for (let number = from; number < to; number++) numbers.push(number);
  return numbers;
}

function sum(name: string, list: readonly Json[], frame: Frame): number | Fault {
  const over = charge(frame, list.length);
  if (over) return over;
  let total = 0;
  for (const item of list) {
    if (typeof item !== 'number')
      return failed(`Expected numbers in the list for ${name}(), but found ${describe(item)}`);
    total += item;
  }
  return finite(total, `${name}()`);
}

type IsBetter = (a: number | string, b: number | string) => boolean;

/** Of the items of one list, or of the arguments themselves. */
function extreme(name: string, args: readonly Json[], frame: Frame, isBetter: IsBetter): Json | Fault {
  const [first = null] = args;
  const list = args.length === 1 && isList(first) ? first : args;
  if (list.length === 0) return failed(`Expected at least one item for ${name}(), but found an empty list`);
  const items = comparable(name, list, 1, frame);
  if (items instanceof Fault) return items;
  return items.reduce((best, item) => (isBetter(item, best) ? item : best));
}

/** All numbers or all texts, with the price of so many rounds of comparing paid. */
function comparable(
  name: string,
  list: readonly Json[],
  rounds: number,
  frame: Frame,
): readonly (number | string)[] | Fault {
  const kind = typeof list[0];
  let characters = 0;
  const over = charge(frame, list.length);
  if (over) return over;
  for (const item of list) {
    if (typeof item !== kind || (kind !== 'number' && kind !== 'string')) {
      return failed(`Expected only numbers or only texts for ${name}(), but found ${describe(item)}`);
    }
    if (typeof item === 'string') characters += item.length;
  }
  const overRounds = charge(frame, list.length * rounds) ?? chargeText(frame, characters * rounds);
  return overRounds ?? (list as readonly (number | string)[]); // each was looked at
}

function sort(list: readonly Json[], frame: Frame): Json | Fault {
  if (list.length === 0) return [];
  const items = comparable('sort', list, Math.ceil(Math.log2(list.length + 1)), frame);
  if (items instanceof Fault) return items;
  return items.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

/** One level: items that are no lists stay as they are. */
function flatten(list: readonly Json[], frame: Frame): Json | Fault {
  const flat: Json[] = [];
  for (const item of list) {
    const over = charge(frame, isList(item) ? 1 + item.length : 1);
    if (over) return over;
    if (isList(item)) for (const each of item) flat.push(each);
    else flat.push(item);
  }
  return flat;
}

/** Keeps the first of equal items. Lists and objects are compared by their JSON text with sorted keys. */
function unique(list: readonly Json[], frame: Frame): Json | Fault {
  const seen = new Set<Json>();
  const kept: Json[] = [];
  for (const item of list) {
    const key = identity(item, frame);
    if (key instanceof Fault) return key;
    if (seen.has(key)) continue;
    seen.add(key);
    kept.push(item);
  }
  return kept;
}

function identity(item: Json, frame: Frame): Json | Fault {
  if (typeof item === 'string') return chargeText(frame, 32 + item.length) ?? `"${item}`;
  if (typeof item !== 'object' || item === null) return charge(frame, 2) ?? item;
  const bytesMax = Math.max(0, frame.stepsLeft) / 2;
  const checked = checkJson(item, { bytesMax, depthMax: 1000, limitName: 'expressionCostMax' });
  if (!checked.ok) return costFault;
  return chargeText(frame, 32 * checked.bytes) ?? stableStringify(item);
}
