// Options: what callers hand in by name. A word that nobody knows is refused, never ignored. Rules OP….

import { HeddleError } from '../base/heddle-error.ts';
import { findNearest } from '../base/nearest.ts';
import { defaultLimits, type Limits } from '../definition/limits.ts';

/** OP1: an unknown option is refused, with the known one that it was probably meant to be. */
export function refuseUnknown(what: string, given: object, known: readonly string[]): void {
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const nearest = findNearest(name, known);
    const hint = nearest === undefined ? `known are ${known.join(', ')}` : `did you mean ${nearest}?`;
    throw new HeddleError('OPTION_INVALID', `Expected an option of ${what}, but found ${name}; ${hint}`);
  }
}

/** OP2: limits are whole numbers from 1 on; one that is left out, or undefined, has its default. */
export function checkedLimits(given: Partial<Limits> = {}): Limits {
  refuseUnknown('limits', given, Object.keys(defaultLimits));
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  for (const [name, value] of set) {
    if (Number.isSafeInteger(value) && value >= 1) continue;
    const message = `Expected the limit ${name} to be a whole number from 1 on, but found ${JSON.stringify(value) ?? typeof value}`;
    throw new HeddleError('OPTION_INVALID', message, { limit: name });
  }
  return { ...defaultLimits, ...Object.fromEntries(set) };
}

/** So are the lengths of pages. */
export function refuseLength(limit: number | undefined): void {
  if (limit === undefined || (Number.isSafeInteger(limit) && limit >= 1)) return;
  throw new HeddleError('OPTION_INVALID', `Expected limit to be a whole number from 1 on, but found ${limit}`);
}

/** OP3: tags and idempotency keys are texts, and not without end: they are indexed. */
export function refuseTexts(texts: Iterable<readonly [name: string, text: unknown]>): void {
  for (const [name, text] of texts) {
    if (typeof text === 'string' && text.length > 0 && text.length <= textLengthMax) continue;
    const found = typeof text === 'string' ? `${text.length} characters` : text === null ? 'null' : typeof text;
    const message = `Expected ${name} to be a text of 1 to ${textLengthMax} characters, but found ${found}`;
    throw new HeddleError('OPTION_INVALID', message);
  }
}

const textLengthMax = 1_000;

/** OP5: a store is something that can commit; a mistake shows here, not in the first run. */
export function refuseStore(store: unknown): void {
  if (typeof store === 'object' && store !== null && 'commit' in store) return;
  const message = `Expected a store, the path of a file or 'memory', but found ${store === null ? 'null' : typeof store}`;
  throw new HeddleError('OPTION_INVALID', message);
}

/** OP4: a filter by a status that does not exist finds nothing by mistake, so it is refused. */
export function refuseChoice(what: string, given: string | undefined, known: readonly string[]): void {
  if (given === undefined || known.includes(given)) return;
  throw new HeddleError('OPTION_INVALID', `Expected ${what} to be one of ${known.join(', ')}, but found ${given}`);
}
