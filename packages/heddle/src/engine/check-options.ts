// Options: what callers hand in by name, and the ids that they ask by. A word that nobody knows, or a value of another kind,
// is refused, never ignored. Rules OP….

import type { Clock } from '../actor/ports.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { kindOf } from '../base/kind-of.ts';
import { invalidOption, isPlainObject, refuseUnknown, shorten } from '../base/refuse-options.ts';
import { defaultLimits, type Limits } from '../definition/limits.ts';
import { textLengthMax } from '../operations/schema.ts';

/**
 * What an option may be. `texts` are those of an object, by keys that the caller chooses; a `list` is one of texts; `members` are in an object or a
 * list, and are checked elsewhere; so is `other`.
 */
export type OptionKind = 'text' | 'texts' | 'list' | 'whole' | 'flag' | 'clock' | 'members' | 'other';

/** OP8: options are an object of those that are known, each of its kind; one that is undefined is as good as absent. */
export function checkOptions(what: string, given: object, kinds: Readonly<Record<string, OptionKind>>): void {
  refuseUnknown(what, given, Object.keys(kinds));
  for (const [name, kind] of Object.entries(kinds)) {
    const value = (given as Readonly<Record<string, unknown>>)[name];
    if (value !== undefined) checks[kind](name, value);
  }
}

const checks: Readonly<Record<OptionKind, (name: string, value: unknown) => void>> = {
  text: (name, value) => refuseTexts([[name, value]]),
  texts: (name, value) => {
    if (!isPlainObject(value)) throw invalidOption(name, 'an object of texts', value);
    const keys = Object.keys(value).map((key): [string, unknown] => [`each name in ${name}`, key]);
    refuseTexts([...keys, ...Object.entries(value).map(([key, text]): [string, unknown] => [`${name} ${key}`, text])]);
    if (Object.hasOwn(value, '__proto__'))
      throw invalidOption(`each name in ${name}`, 'other than __proto__', '__proto__');
  },
  list: (name, value) => {
    if (!Array.isArray(value)) throw invalidOption(name, 'a list of texts', value);
    refuseTexts(value.map((text) => [`each of ${name}`, text]));
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
  const { now, schedule, wakeAt, defer } = value as Readonly<Partial<Record<keyof Clock, unknown>>>;
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
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 1;

/** OP3: ids, tags and keys are texts, and not without end: they are indexed. */
export function refuseTexts(texts: Iterable<readonly [name: string, text: unknown]>): void {
  for (const [name, text] of texts) {
    if (typeof text === 'string' && text.length > 0 && text.length <= textLengthMax) continue;
    const found = typeof text === 'string' ? `${text.length} characters` : kindOf(text);
    const message = `Expected ${shorten(name)} to be a text of 1 to ${textLengthMax} characters, but found ${found}`;
    throw new HeddleError('OPTION_INVALID', message);
  }
}

/** OP5: a store is something that can commit; a mistake shows here, not in the first run. */
export function refuseStore(store: unknown): void {
  if (typeof store === 'object' && store !== null && 'commit' in store) return;
  const message = `Expected a store, the path of a file or 'memory', but found ${kindOf(store)}`;
  throw new HeddleError('OPTION_INVALID', message);
}

/** OP4: a filter by a status that does not exist finds nothing by mistake, so it is refused. */
export function refuseChoice(what: string, given: unknown, known: readonly string[]): void {
  if (given === undefined || known.some((one) => one === given)) return;
  throw invalidOption(what, `one of ${known.join(', ')}`, given);
}
