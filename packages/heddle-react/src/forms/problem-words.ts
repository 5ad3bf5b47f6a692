// Problem words: what is wrong with a field, said to whoever fills it in, who may never have seen a schema.
//
// Always true: whether a value fits is the server's to say; only its words are changed, and never those of what no field is for.

import type { Json, JsonObject, JsonSchema } from 'heddle';
import { type FieldShape, isObject, resolved } from './field-of.ts';
import type { FormProblem } from './form-values.ts';

const fillIn = 'Fill this in.';
const choose = 'Choose one.';

/** What is said at a field that must have a value and has none. */
export const missedWords: Readonly<Record<FieldShape['kind'], string>> = {
  text: fillIn,
  number: fillIn,
  json: fillIn,
  constant: fillIn,
  group: fillIn,
  list: fillIn,
  several: choose,
  choice: choose,
  variants: choose,
  flag: choose,
};

/** Of a value as it was sent. */
export function problemsInWords(
  problems: readonly FormProblem[],
  schema: JsonSchema,
  value: Json | undefined,
): readonly FormProblem[] {
  return problems.map((problem) => {
    const place = placeAt(problem.pointer, schema, value);
    if (problem.pointer === '' || place === null) return problem;
    const own = wordsFor(place.schema, place.value);
    return { ...problem, message: own ?? problem.message.replace(`Expected ${problem.pointer} `, 'Expected this ') };
  });
}

interface Place {
  readonly schema: JsonObject;
  readonly value: Json | undefined;
}

/** Null where the schema has no field: a member that it does not name, or one of several kinds. */
function placeAt(pointer: string, root: JsonSchema, whole: Json | undefined): Place | null {
  let schema = resolved(root, root);
  let value = whole;
  for (const key of pointer.split('/').slice(1)) {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
    const members = schema['properties'];
    const inner = Array.isArray(value) ? schema['items'] : isObject(members) ? members[name] : undefined;
    if (!isObject(inner)) return null;
    schema = resolved(inner, root);
    value = memberOf(value, name);
  }
  return { schema, value };
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  if (Array.isArray(value)) return value[Number(name)];
  return isObject(value) ? value[name] : undefined;
}

/** Null if the value is wrong in another way. */
function wordsFor(schema: JsonObject, value: Json | undefined): string | null {
  const { type } = schema;
  if (type === 'number' || type === 'integer') return numberWords(schema, value);
  if (typeof value === 'string') return textWords(schema, Array.from(value).length);
  return Array.isArray(value) ? listWords(schema, value.length) : null;
}

const isBelow = (limit: Json | undefined, value: number): limit is number => typeof limit === 'number' && value < limit;
const isAbove = (limit: Json | undefined, value: number): limit is number => typeof limit === 'number' && value > limit;

function numberWords(schema: JsonObject, value: Json | undefined): string | null {
  const { type, minimum, maximum, exclusiveMinimum: over, exclusiveMaximum: under, multipleOf } = schema;
  const isWhole = type === 'integer';
  if (typeof value !== 'number' || (isWhole && !Number.isInteger(value)))
    return isWhole ? 'Enter a whole number.' : 'Enter a number.';
  if (isBelow(minimum, value)) return `Enter ${minimum} or more.`;
  if (isAbove(maximum, value)) return `Enter ${maximum} or less.`;
  if (typeof over === 'number' && value <= over) return `Enter more than ${over}.`;
  if (typeof under === 'number' && value >= under) return `Enter less than ${under}.`;
  return typeof multipleOf === 'number' && value % multipleOf !== 0 ? `Enter a multiple of ${multipleOf}.` : null;
}

function textWords({ minLength, maxLength }: JsonObject, length: number): string | null {
  if (isAbove(maxLength, length)) return `Enter ${maxLength} characters or fewer; there are ${length}.`;
  if (!isBelow(minLength, length)) return null;
  return length === 0 ? 'Fill this in.' : `Enter ${minLength} characters or more; there are ${length}.`;
}

function listWords({ minItems, maxItems }: JsonObject, length: number): string | null {
  if (isBelow(minItems, length)) return `Give ${minItems} or more.`;
  return isAbove(maxItems, length) ? `Give ${maxItems} or fewer; there are ${length}.` : null;
}
