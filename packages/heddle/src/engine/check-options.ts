// Options: what callers hand in by name that is in no request: those of an engine, and of calls that are not operations. A
// word that nobody knows, or a value of another kind, is refused, never ignored. Rules OP….

import type { Clock } from '../actor/ports.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { kindOf } from '../base/kind-of.ts';
import { invalidOption, refuseUnknown } from '../base/refuse-options.ts';
import { defaultLimits, type Limits } from '../definition/limits.ts';
import { checkText } from '../operations/check-request.ts';

/** What an option may be. A `list` is one of texts; `members` are in an object or a list, and are checked elsewhere; so is `other`. */
export type OptionKind = 'text' | 'list' | 'whole' | 'flag' | 'clock' | 'members' | 'other';

/** As `checkRequest` does it: options are an object of those that are known, each of its kind. */
export function checkOptions(what: string, given: object, kinds: Readonly<Record<string, OptionKind>>): void {
  refuseUnknown(what, given, Object.keys(kinds));
  for (const [name, kind] of Object.entries(kinds)) {
    const value = (given as Readonly<Record<string, unknown>>)[name]; // it is an object
    if (value !== undefined) checks[kind](name, value);
  }
}

const checks: Readonly<Record<OptionKind, (name: string, value: unknown) => void>> = {
  text: (name, value) => checkText(name, value),
  list: (name, value) => {
    if (!Array.isArray(value)) throw invalidOption(name, 'a list of texts', value);
    for (const text of value) checkText(`each of ${name}`, text);
  },
  whole: (name, value) => {
    if (!isCount(value)) throw invalidOption(name, count, value);
  },
  flag: (name, value) => {
    if (typeof value !== 'boolean') throw invalidOption(name, 'true or false', value);
  },
  clock: (name, value) => {
    if (!isClock(value)) throw invalidOption(name, 'a clock with the functions now, schedule, wakeAt and defer', value);
  },
  members: (name, value) => {
    if (typeof value !== 'object' || value === null) throw invalidOption(name, 'an object or a list', value);
  },
  other: () => undefined,
};

function isClock(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { now, schedule, wakeAt, defer } = value as Readonly<Partial<Record<keyof Clock, unknown>>>; // it is an object
  return [now, schedule, wakeAt, defer].every((member) => typeof member === 'function');
}

/** OP2: limits are whole numbers from 1 on; one that is left out, or undefined, has its default. */
export function checkedLimits(given: Partial<Limits> = {}): Limits {
  refuseUnknown('limits', given, Object.keys(defaultLimits));
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  for (const [name, value] of set)
    if (!isCount(value)) throw invalidOption(`the limit ${name}`, count, value, { limit: name });
  return { ...defaultLimits, ...Object.fromEntries(set) };
}

const count = 'a whole number from 1 on';
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 1; // it is an integer

/** OP5: a store is something that can commit; a mistake shows here, not in the first run. */
export function refuseStore(store: unknown): void {
  if (typeof store === 'object' && store !== null && 'commit' in store) return;
  const message = `Expected a store, the path of a file or 'memory', but found ${kindOf(store)}`;
  throw new HeddleError('OPTION_INVALID', message);
}
