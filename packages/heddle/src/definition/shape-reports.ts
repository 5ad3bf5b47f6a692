// Shape reports: how each misfit of `check-shape.ts` is said. Rules DF1 and DF4.
//
// Those that leave a value out answer `undefined`, so that the checker can return them.

import type { Json } from '../base/json.ts';
import { nearestHint } from '../base/nearest.ts';
import { isJsonObject } from '../base/path.ts';
import { type Limits, limitOrigin } from './limits.ts';
import type { Reporter } from './reporter.ts';
import { describeJson, describeShape, type ObjectShape, type Shape, shorten } from './shape.ts';
import { listSpellings } from './spellings.ts';

export interface ShapeCheck {
  readonly limits: Limits;
  readonly reporter: Reporter;
}

export interface Place {
  readonly pointer: string;
  /** The field's name as the author wrote it, for messages. */
  readonly name: string;
  /** The node or transition that it is in. */
  readonly owner?: string | undefined;
}

export function nameOf({ name, owner }: Place): string {
  return owner === undefined ? `"${name}"` : `"${name}" of ${owner}`;
}

export function reportWrongType(check: ShapeCheck, shape: Shape, value: Json, place: Place): undefined {
  const what = place.pointer === '' ? describeShape(shape) : `${nameOf(place)} to be ${describeShape(shape)}`;
  const message = `Expected ${what}, but found ${describeJson(value)}`;
  check.reporter.error('WRONG_TYPE', place.pointer, {
    message,
    hint: expressionHint(shape, value) ?? (shape.type === 'object' ? shape.hint : undefined),
  });
}

/** A value where an expression stands: the same, as an expression gives it. */
function expressionHint(shape: Shape, value: Json): string | undefined {
  if (shape.type !== 'text' || shape.what !== 'an expression') return undefined;
  if (isJsonObject(value))
    return `Write it as a text, in which texts have quotes and names have none: "{'key': input.x}".`;
  const source = JSON.stringify(value).replaceAll('"', "'");
  return source.length <= 60 ? `Write it as a text: "${source}".` : 'Write it as a text, in quotes.';
}

// DF1: an unknown field is an error, never ignored; in what an editor saves, only one that is probably misspelt is told.
export function reportUnknownField(
  check: ShapeCheck,
  shape: ObjectShape,
  { key, pointer, owner }: { key: string; pointer: string; owner: string | undefined },
): void {
  const meant = nearestHint(key, listSpellings(shape).keys());
  if (shape.isOpen && meant === undefined) return;
  const message = `Expected only known fields in ${inside(shape, owner)}, but found ${shorten(JSON.stringify(key))}`;
  if (shape.isOpen) check.reporter.warning('UNKNOWN_FIELD', pointer, { message, hint: meant });
  else check.reporter.error('UNKNOWN_FIELD', pointer, { message, hint: () => meant ?? knownHint(shape) });
}

function knownHint({ fields }: ObjectShape): string {
  const own = Object.keys(fields).filter((name) => fields[name]?.shorthand !== true);
  return `Known are ${own.join(', ')}.`;
}

/** `a retry policy of node "a"`, `node "a"`. */
function inside(shape: ObjectShape, owner: string | undefined): string {
  if (owner === undefined) return shape.what;
  return shape.label === undefined ? `${shape.what} of ${owner}` : owner;
}

export function reportTwice(check: ShapeCheck, pointer: string, names: readonly string[]): void {
  const list = names.map((name) => `"${name}"`).join(' and ');
  check.reporter.error('DUPLICATE_FIELD', pointer, { message: `Expected only one of them, but found ${list}` });
}

// DF56: what is missing is reported at the object that lacks it; what is there and wrong, at itself.
export function reportMissing(
  check: ShapeCheck,
  { shape, what, place }: { shape: ObjectShape; what: string; place: Place },
): void {
  check.reporter.error('MISSING_FIELD', place.pointer, {
    message: `Expected ${inside(shape, place.owner)} to have ${what}, but it has none`,
  });
}

// DF4: nothing goes above a limit of the engine; the message names it.
export function reportAboveLimit(
  check: ShapeCheck,
  { limit, what, found, place }: { limit: keyof Limits; what: string; found: string; place: Place },
): undefined {
  check.reporter.error('LIMIT_EXCEEDED', place.pointer, {
    message: `Expected ${what} to be at most ${check.limits[limit]} (limit ${limit}), but found ${found}`,
    hint: `Limit ${limit}: ${limitOrigin(limit, check)}.`,
  });
}
