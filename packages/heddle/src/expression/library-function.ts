// LibraryFunction: one function of the language, and the ways in which functions look at their arguments.

import type { Json, JsonObject } from '../base/json.ts';
import type { Frame } from './frame.ts';
import { describe, type Fault, failed, isList, isObject } from './value.ts';

export interface LibraryFunction {
  readonly argumentsMin: number;
  readonly argumentsMax: number;
  readonly call: (args: readonly Json[], frame: Frame) => Json | Fault;
}

export type FunctionTable = Readonly<Record<string, LibraryFunction>>;

/** A function of exactly or at least so many arguments. `args` always has as many as it was called with. */
export function define(count: number | readonly [number, number], call: LibraryFunction['call']): LibraryFunction {
  const [argumentsMin, argumentsMax] = typeof count === 'number' ? [count, count] : count;
  return { argumentsMin, argumentsMax, call };
}

export function defineOnText(name: string, call: (text: string, frame: Frame) => Json | Fault): LibraryFunction {
  return define(1, ([value = null], frame) => {
    return typeof value === 'string' ? call(value, frame) : wrong(name, 'a text', value);
  });
}

export function defineOnTexts(
  name: string,
  call: (text: string, part: string, frame: Frame) => Json | Fault,
): LibraryFunction {
  return define(2, ([text = null, part = null], frame) => {
    if (typeof text !== 'string') return wrong(name, 'a text', text);
    return typeof part === 'string' ? call(text, part, frame) : wrong(name, 'a text as second argument', part);
  });
}

export function defineOnNumber(name: string, call: (value: number) => number | Fault): LibraryFunction {
  return define(1, ([value = null]) => (typeof value === 'number' ? call(value) : wrong(name, 'a number', value)));
}

export function defineOnList(
  name: string,
  call: (list: readonly Json[], frame: Frame) => Json | Fault,
): LibraryFunction {
  return define(1, ([value = null], frame) => {
    return isList(value) ? call(value, frame) : wrong(name, 'a list', value);
  });
}

export function defineOnObject(
  name: string,
  call: (object: JsonObject, frame: Frame) => Json | Fault,
): LibraryFunction {
  return define(1, ([value = null], frame) => {
    return isObject(value) ? call(value, frame) : wrong(name, 'an object', value);
  });
}

export function wrong(name: string, expected: string, found: Json): Fault {
  return failed(`Expected ${expected} for ${name}(), but found ${describe(found)}`);
}

export function isIndex(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}
