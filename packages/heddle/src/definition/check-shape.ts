// Check shape: reads a JSON value by the table in `fields.ts`. Reports what does not fit, resolves other spellings of
// fields and choices, and notes where everything stood. Rules DF2, DF3 and DF50.
//
// Always true: what comes out has only known fields, in their own spelling, each of its shape; a part that lacks
// something required is left out. Recursion follows the table, never the depth of the author's JSON.

import type { Json, JsonObject } from '../base/json.ts';
import { nearestHint } from '../base/nearest.ts';
import { forbiddenKeys, isJsonObject } from '../base/path.ts';
import { isName } from './names.ts';
import { pointerTo } from './origins.ts';
import {
  type ChoiceShape,
  describeJson,
  describeShape,
  type ListShape,
  type MapShape,
  type NumberShape,
  type ObjectShape,
  type Shape,
  type TextShape,
  toSnakeCase,
} from './shape.ts';
import {
  nameOf,
  type Place,
  reportAboveLimit,
  reportMissing,
  reportTwice,
  reportUnknownField,
  reportWrongType,
  type ShapeCheck,
} from './shape-reports.ts';
import { listSpellings } from './spellings.ts';

type Draft = Record<string, unknown>;

/** The value in its normal spelling; undefined if it does not fit (and that was reported). */
function checkShape(check: ShapeCheck, shape: Shape, value: Json, place: Place): unknown {
  switch (shape.type) {
    case 'text':
      return checkText(check, shape, value, place);
    case 'number':
      return checkNumber(check, shape, value, place);
    case 'boolean':
      return typeof value === 'boolean' ? value : reportWrongType(check, shape, value, place);
    case 'choice':
      return checkChoice(check, { shape }, value, place);
    case 'list':
      return checkList(check, shape, value, place);
    case 'map':
      return checkMap(check, shape, value, place);
    case 'object': {
      const { draft, isWhole } = checkObject(check, shape, value, place);
      return isWhole ? draft : undefined;
    }
    case 'either':
      return checkEither(check, shape.of, value, place);
    case 'opaque':
      return value;
    case 'schema':
      return typeof value === 'boolean' || isJsonObject(value) ? value : reportWrongType(check, shape, value, place);
    case 'structured':
      return isJsonObject(value) ? value : reportWrongType(check, shape, value, place);
  }
}

/** `isWhole`: nothing required is missing. The draft is there in any case, for further checks. */
export function checkObject(
  check: ShapeCheck,
  shape: ObjectShape,
  value: Json,
  place: Place,
): { draft: Draft; isWhole: boolean } {
  const draft: Draft = {};
  check.reporter.origins.place(draft, place.pointer);
  if (!isJsonObject(value)) {
    reportWrongType(check, shape, value, place);
    return { draft, isWhole: false };
  }
  const owner = shape.label === undefined || place.pointer === '' ? place.owner : shape.label(value);
  const found = checkFields(check, shape, value, { draft, place: { ...place, owner } });
  check.reporter.origins.noteWritten(draft, new Set(found.keys()));
  return { draft, isWhole: hasRequired(check, shape, { draft, found, place: { ...place, owner } }) };
}

function checkFields(
  check: ShapeCheck,
  shape: ObjectShape,
  value: JsonObject,
  { draft, place }: { draft: Draft; place: Place },
): Map<string, string> {
  const found = new Map<string, string>();
  const spellings = listSpellings(shape);
  for (const [key, member] of Object.entries(value)) {
    const name = spellings.get(key);
    const field = name === undefined ? undefined : shape.fields[name];
    const pointer = pointerTo(place.pointer, key);
    if (name === undefined || field === undefined) {
      reportUnknownField(check, shape, { key, pointer, owner: place.owner });
      continue;
    }
    const earlier = found.get(name);
    if (earlier !== undefined) {
      reportTwice(check, pointer, [earlier, key]);
      continue;
    }
    found.set(name, key);
    if (key !== name) check.reporter.origins.placeField(draft, name, pointer);
    const checked = checkShape(check, field.shape, member, { pointer, name: key, owner: place.owner });
    if (checked !== undefined) draft[name] = checked;
  }
  return found;
}

// DF3: what is required must be there.
function hasRequired(
  check: ShapeCheck,
  shape: ObjectShape,
  { draft, found, place }: { draft: Draft; found: ReadonlyMap<string, string>; place: Place },
): boolean {
  let isWhole = true;
  for (const [name, field] of Object.entries(shape.fields)) {
    if (!field.required || Object.hasOwn(draft, name)) continue;
    isWhole = false;
    if (!found.has(name)) reportMissing(check, { shape, what: `"${name}"`, place });
  }
  return hasExactlyOne(check, shape, { found, place }) && isWhole;
}

function hasExactlyOne(
  check: ShapeCheck,
  shape: ObjectShape,
  { found, place }: { found: ReadonlyMap<string, string>; place: Place },
): boolean {
  if (shape.exactlyOne === undefined) return true;
  const given = shape.exactlyOne.filter((name) => found.has(name));
  if (given.length === 1) return true;
  const what = shape.exactlyOne.map((name) => `"${name}"`).join(' or ');
  if (given.length === 0) reportMissing(check, { shape, what, place });
  else reportTwice(check, place.pointer, given);
  return false;
}

/** More than any name may have. */
const nameLengthMax = 250;

// DF2: a field has the type and the range that the table says.
function checkText(check: ShapeCheck, shape: TextShape, value: Json, place: Place): string | undefined {
  if (typeof value !== 'string') return reportWrongType(check, shape, value, place);
  if (shape.pattern === undefined) return value;
  // DF50: names are such that they can stand in paths, messages and addresses.
  if (isName(shape, value)) return value;
  check.reporter.error('INVALID_NAME', place.pointer, {
    message: `Expected ${nameOf(place)} to be ${shape.what}, but found ${describeJson(value)}`,
    hint: forbiddenKeys.has(value) ? `"${value}" is a name that JavaScript keeps for itself.` : shape.hint,
  });
  // A wrong name still names something: keeping it avoids complaints that only follow from this one. Of one without end its
  // beginning will do.
  return value.length <= nameLengthMax ? value : `${value.slice(0, nameLengthMax)}…`;
}

function checkNumber(check: ShapeCheck, shape: NumberShape, value: Json, place: Place): number | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return reportWrongType(check, shape, value, place);
  if (shape.integer && !Number.isInteger(value)) return reportWrongType(check, shape, value, place);
  const { min = -Infinity, max = Infinity } = shape;
  if (value < min || value > max) {
    // What every whole number of JSON keeps to is worth a word only to those that do not.
    const range = [
      ...(value < min || min > Number.MIN_SAFE_INTEGER ? [`at least ${min}`] : []),
      ...(value > max || max < Number.MAX_SAFE_INTEGER ? [`at most ${max}`] : []),
    ].join(' and ');
    check.reporter.error('OUT_OF_RANGE', place.pointer, {
      message: `Expected ${nameOf(place)} to be ${describeShape(shape)} of ${range}, but found ${value}`,
    });
    return undefined;
  }
  return shape.limit !== undefined && value > check.limits[shape.limit]
    ? reportAboveLimit(check, { limit: shape.limit, what: nameOf(place), found: `${value}`, place })
    : value;
}

/** `whole`: all that may stand here, of which the choice is a part. */
function checkChoice(
  check: ShapeCheck,
  { shape, whole = shape }: { shape: ChoiceShape; whole?: Shape },
  value: Json,
  place: Place,
): string | undefined {
  if (typeof value !== 'string') return reportWrongType(check, shape, value, place);
  const word = toSnakeCase(value);
  if (shape.values.includes(word)) return word;
  check.reporter.error('UNKNOWN_VALUE', place.pointer, {
    message: `Expected ${nameOf(place)} to be ${describeShape(whole)}, but found ${describeJson(value)}`,
    hint: () => nearestHint(word, shape.values),
  });
  return undefined;
}

function checkList(check: ShapeCheck, shape: ListShape, value: Json, place: Place): unknown[] | undefined {
  if (!Array.isArray(value)) return reportWrongType(check, shape, value, place);
  const items: readonly Json[] = value;
  if (items.length < (shape.min ?? 0)) {
    check.reporter.error('OUT_OF_RANGE', place.pointer, {
      message: `Expected ${nameOf(place)} to have at least ${shape.min} item, but found ${items.length}`,
    });
  }
  if (shape.limit !== undefined && items.length > check.limits[shape.limit]) {
    const found = `${items.length} items`;
    return reportAboveLimit(check, { limit: shape.limit, what: nameOf(place), found, place });
  }
  return items.flatMap((item, index) => {
    const name = `${place.name}[${index}]`;
    const checked = checkShape(check, shape.of, item, { ...place, pointer: pointerTo(place.pointer, index), name });
    return checked === undefined ? [] : [checked];
  });
}

function checkMap(check: ShapeCheck, shape: MapShape, value: Json, place: Place): object | undefined {
  if (!isJsonObject(value)) return reportWrongType(check, shape, value, place);
  const members = Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
    const checked = checkShape(check, shape.of, member, {
      ...place,
      pointer: pointerTo(place.pointer, key),
      name: key,
    });
    return checked === undefined ? [] : [[key, checked]];
  });
  const map = Object.fromEntries(members);
  check.reporter.origins.place(map, place.pointer);
  return map;
}

function checkEither(check: ShapeCheck, shapes: readonly Shape[], value: Json, place: Place): unknown {
  const shape = shapes.find((candidate) => takes(candidate, value));
  const whole: Shape = { type: 'either', of: shapes };
  if (shape === undefined) return reportWrongType(check, whole, value, place);
  // DF75: of several forms all are named, also where what was found looks like one of them.
  return shape.type === 'choice'
    ? checkChoice(check, { shape, whole }, value, place)
    : checkShape(check, shape, value, place);
}

function takes(shape: Shape, value: Json): boolean {
  if (typeof value === 'string') return shape.type === 'text' || shape.type === 'choice';
  if (typeof value === 'number') return shape.type === 'number';
  if (typeof value === 'boolean') return shape.type === 'boolean';
  if (Array.isArray(value)) return shape.type === 'list';
  return isJsonObject(value) && (shape.type === 'object' || shape.type === 'structured');
}
