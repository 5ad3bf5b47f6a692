// Functions on numbers, and the conversions between numbers, texts and truth values.

import { checkJson } from '../base/check-json.ts';
import type { Json } from '../base/json.ts';
import { chargeText, type Frame } from './frame.ts';
import { define, defineOnNumber, type FunctionTable, isIndex, wrong } from './library-function.ts';
import { costFault, Fault, failed, finite, kindOf } from './value.ts';

export const numberFunctions: FunctionTable = {
  abs: defineOnNumber('abs', Math.abs),
  floor: defineOnNumber('floor', (value) => Math.floor(value) + 0),
  ceil: defineOnNumber('ceil', (value) => Math.ceil(value) + 0),
  round: define([1, 2], ([value = null, digits = 0]) => {
    if (typeof value !== 'number') return wrong('round', 'a number', value);
    if (!isIndex(digits) || digits > 15) return wrong('round', 'a whole number of digits from 0 to 15', digits);
    return round(value, digits);
  }),
  int: define(1, ([value = null], frame) => {
    const number = toNumber('int', value, frame);
    return number instanceof Fault ? number : Math.trunc(number) + 0;
  }),
  double: define(1, ([value = null], frame) => toNumber('double', value, frame)),
  string: define(1, ([value = null], frame) => toText(value, frame)),
  bool: define(1, ([value = null]) => {
    if (typeof value === 'boolean') return value;
    if (value === 'true' || value === 'false') return value === 'true';
    return wrong('bool', "true, false, 'true' or 'false'", value);
  }),
  type: define(1, ([value = null]) => kindOf(value)),
};

/** Halves go away from zero. Shifts the decimal text instead of multiplying: 1.005 to two digits is 1.01. */
function round(value: number, digits: number): number {
  const size = shiftDecimal(Math.round(shiftDecimal(Math.abs(value), digits)), -digits);
  if (!Number.isFinite(size)) return value;
  return (value < 0 ? -size : size) + 0;
}

function shiftDecimal(value: number, digits: number): number {
  const [mantissa = '0', exponent = '0'] = String(value).split('e');
  return Number(`${mantissa}e${Number(exponent) + digits}`);
}

/** Without two ways to read the same digits, so that it never tries the second. */
const decimal = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?\s*$/i;

function toNumber(name: string, value: Json, frame: Frame): number | Fault {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value !== 'string') return wrong(name, 'a number or a text', value);
  const over = chargeText(frame, 4 * value.length);
  if (over) return over;
  if (decimal.test(value)) return finite(Number(value), `${name}()`);
  return failed(`Expected a number in the text for ${name}(), but found ${JSON.stringify(value.slice(0, 40))}`);
}

/** Lists and objects become their JSON text. */
function toText(value: Json, frame: Frame): Json | Fault {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return String(value);
  const bytesMax = Math.max(0, frame.stepsLeft) * 2;
  const checked = checkJson(value, { bytesMax, depthMax: 1000, limitName: 'expressionCostMax' });
  if (!checked.ok) return costFault;
  return chargeText(frame, checked.bytes * 12) ?? JSON.stringify(value);
}
