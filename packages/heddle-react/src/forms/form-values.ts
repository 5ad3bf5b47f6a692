// Form values: what a form begins with, how one member is changed, and which problems are whose.

import type { Json, JsonObject, JsonSchema } from 'heddle';
import { drawnDepthMax, fieldOf, isObject, type Member, resolved, type Variant } from './field-of.ts';

/** What is wrong at a place of the value, by JSON pointer. A `Problem` of the API is one. */
export interface FormProblem {
  readonly pointer: string;
  readonly message: string;
}

/** What a form shows before anything was typed: defaults and constants; undefined where there is nothing to say. */
export function initialValue(schema: JsonSchema, root: JsonSchema = schema, depth = 0): Json | undefined {
  const { default: given } = resolved(schema, root);
  if (given !== undefined) return given;
  const { shape, isNullable } = fieldOf(schema, root, depth);
  if (shape.kind === 'constant') return shape.value;
  if (isNullable || shape.kind !== 'group' || depth > drawnDepthMax) return undefined;
  let value: JsonObject = {};
  for (const { name, schema: member, isRequired } of shape.members) {
    const inner = initialValue(member, root, depth + 1);
    // An optional group begins when somebody writes into it.
    if (isRequired || !isObject(inner)) value = withMember(value, name, inner);
  }
  return value;
}

/** Undefined takes the member away. */
export function withMember(value: Json | undefined, name: string, member: Json | undefined): JsonObject {
  const { [name]: _old, ...rest } = isObject(value) ? value : {};
  if (member === undefined) return rest;
  return isObject(value) && name in value ? { ...value, [name]: member } : { ...rest, [name]: member };
}

export const withItem = (items: readonly Json[], place: number, item: Json | undefined): readonly Json[] =>
  items.map((each, at) => (at === place ? (item ?? null) : each));

/** The variant that a value looks like: by its constants, then by its type; -1 if by none. */
export function variantOf(variants: readonly Variant[], value: Json | undefined, root: JsonSchema): number {
  if (value === undefined) return -1;
  return variants.findIndex(({ schema }) => looksLike(schema, value, root));
}

function looksLike(schema: JsonSchema, value: Json, root: JsonSchema): boolean {
  const { const: constant, enum: choices, type, properties, required } = resolved(schema, root);
  if (constant !== undefined) return JSON.stringify(constant) === JSON.stringify(value);
  if (Array.isArray(choices)) return choices.includes(value);
  if (typeof type === 'string' && !hasType(value, type)) return false;
  if (!isObject(properties) || !isObject(value)) return !isObject(properties);
  const isMarked = Object.entries(properties).every(([name, member]) => {
    const fixed = isObject(member) ? member['const'] : undefined;
    return fixed === undefined || fixed === value[name];
  });
  const hasAll = !Array.isArray(required) || required.every((name) => typeof name === 'string' && name in value);
  const hasMarks = Object.values(properties).some((member) => isObject(member) && member['const'] !== undefined);
  return isMarked && (hasMarks || hasAll);
}

function hasType(value: Json, type: string): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  return typeof value === (type === 'integer' ? 'number' : type);
}

export const pointerTo = (pointer: string, key: string | number): string =>
  `${pointer}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** Those of one field alone. */
export const problemsAt = (problems: readonly FormProblem[], pointer: string): readonly FormProblem[] =>
  problems.filter((problem) => problem.pointer === pointer);

/** A missing member is a problem of the object for whoever checks it, and of the empty field for whoever fills it in. */
export function missingMembers(
  members: readonly Member[],
  value: Json | undefined,
  problems: readonly FormProblem[],
): readonly string[] {
  if (problems.length === 0) return [];
  const given = isObject(value) ? value : {};
  return members.filter(({ name, isRequired }) => isRequired && given[name] === undefined).map(({ name }) => name);
}
