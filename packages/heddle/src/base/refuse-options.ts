// Refuse options: what callers hand in by name, where it is no object, has a name that nobody knows, or a value of another
// kind. For options of every room. Rule OP1.

import { HeddleError } from './heddle-error.ts';
import { isPlainObject } from './json.ts';
import { kindOf } from './kind-of.ts';
import { findNearest } from './nearest.ts';

/** OP1: an unknown option is refused, with the known one that it was probably meant to be. */
export function refuseUnknown(what: string, given: object, known: readonly string[]): void {
  if (!isPlainObject(given)) throw invalidOption(`the options of ${what}`, 'an object', given);
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const nearest = findNearest(name, known);
    const hint = nearest === undefined ? `known are ${known.join(', ')}` : `did you mean ${nearest}?`;
    throw new HeddleError('OPTION_INVALID', `Expected an option of ${what}, but found ${shorten(name)}; ${hint}`);
  }
}

/** The refusal of an option, which says what was expected and what was found. */
export function invalidOption(
  name: string,
  expected: string,
  found: unknown,
  more: { readonly limit?: string } = {},
): HeddleError {
  return new HeddleError('OPTION_INVALID', `Expected ${name} to be ${expected}, but found ${shown(found)}`, more);
}

/** A value in a message: numbers and texts as they are, of all else the kind. */
export function shown(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? JSON.stringify(shorten(value)) : kindOf(value);
}

export const shorten = (text: string): string => (text.length <= 80 ? text : `${text.slice(0, 79)}…`);
