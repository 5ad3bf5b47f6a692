// Outline: what is known of the JSON values that may stand at a place: which members an object can have, what the items
// of a list can be. It errs on one side only: what an outline says cannot be there never is.

import type { Json, JsonObject } from '../../base/json.ts';
import { isJsonObject, readPath } from '../../base/path.ts';
import type { JsonSchema } from '../definition.ts';

export type Outline =
  /** Nothing is known. */
  | 'any'
  | {
      readonly members: ReadonlyMap<string, Outline>;
      /** Members of other names; null if there can be none. */
      readonly rest: Outline | null;
      /** Null if it can be no list. */
      readonly items: Outline | null;
    };

/** A text, a number, true, false or null: nothing is inside. */
export const scalar: Outline = { members: new Map(), rest: null, items: null };

export const objectOf = (members: ReadonlyMap<string, Outline>): Outline => ({ members, rest: null, items: null });
export const listOf = (items: Outline): Outline => ({ members: new Map(), rest: null, items });

/** What may stand at a key; null if nothing ever does. A list is read by whole numbers, an object by texts or numbers. */
function memberOf(outline: Outline, key: string | number): Outline | null {
  if (outline === 'any') return 'any';
  const member = outline.members.get(String(key)) ?? outline.rest;
  return typeof key === 'number' ? joinKnown(outline.items, member) : member;
}

/** What may stand at a path; null if nothing ever does. */
export function outlineAt(outline: Outline, keys: readonly (string | number)[]): Outline | null {
  let at: Outline | null = outline;
  for (const key of keys) {
    if (at === null) return null;
    at = memberOf(at, key);
  }
  return at;
}

/** A key that cannot be there. */
export interface Missing {
  readonly index: number;
  readonly key: string;
  readonly known: readonly string[];
}

/** The first key of a path that cannot be there; null if all can. */
export function firstMissing(outline: Outline, keys: readonly (string | number)[]): Missing | null {
  let at = outline;
  for (const [index, key] of keys.entries()) {
    const member = outlineAt(at, [key]);
    if (member === null) return { index, key: String(key), known: at === 'any' ? [] : [...at.members.keys()] };
    at = member;
  }
  return null;
}

/** Either of the two. */
export function joinOutlines(left: Outline, right: Outline): Outline {
  if (left === 'any' || right === 'any') return 'any';
  if (left === scalar || left === right) return right;
  if (right === scalar) return left;
  const members = new Map<string, Outline>();
  for (const key of new Set([...left.members.keys(), ...right.members.keys()])) {
    const joined = joinKnown(left.members.get(key) ?? left.rest, right.members.get(key) ?? right.rest);
    if (joined !== null) members.set(key, joined);
  }
  return { members, rest: joinKnown(left.rest, right.rest), items: joinKnown(left.items, right.items) };
}

function joinKnown(left: Outline | null, right: Outline | null): Outline | null {
  if (left === null || right === null) return left ?? right;
  return joinOutlines(left, right);
}

/** Schemas inside schemas that are looked into; what is deeper may be anything. */
const depthMax = 12;
/** Parts of one schema that are looked at. */
const partsMax = 2_000;

/**
 * Of the values that fit a JSON Schema. Every keyword only narrows what fits, so that those which are not read here
 * (`allOf`, `enum`, `not` …) make an outline wider than it could be, never wrong.
 */
export function readOutline(schema: JsonSchema): Outline {
  return new SchemaReader(schema).read(schema, 0);
}

class SchemaReader {
  readonly #root: JsonSchema;
  #partsLeft = partsMax;

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  read(schema: Json | undefined, depth: number): Outline {
    this.#partsLeft -= 1;
    if (!isJsonObject(schema) || depth > depthMax || this.#partsLeft < 0) return 'any';
    if (typeof schema['$ref'] === 'string') return this.#refer(schema['$ref'], depth);
    const types = new Set([schema['type'] ?? ['object', 'array']].flat());
    const object = types.has('object') ? this.#object(schema, depth) : { members: new Map(), rest: null };
    const items = types.has('array') ? this.#items(schema, depth) : null;
    return object.members.size === 0 && object.rest === null && items === null ? scalar : { ...object, items };
  }

  #object(schema: JsonObject, depth: number): { members: ReadonlyMap<string, Outline>; rest: Outline | null } {
    const { properties = {}, additionalProperties = true, patternProperties } = schema;
    // The schema was checked.
    const members = Object.entries(properties as JsonObject).map(([key, part]): [string, Outline] => [
      key,
      this.read(part, depth + 1),
    ]);
    const others = additionalProperties === false ? null : this.read(additionalProperties, depth + 1);
    return { members: new Map(members), rest: patternProperties === undefined ? others : 'any' };
  }

  #items({ items = true, prefixItems, additionalItems }: JsonObject, depth: number): Outline {
    const isPlain = prefixItems === undefined && additionalItems === undefined;
    return isPlain ? this.read(items, depth + 1) : 'any';
  }

  #refer(reference: string, depth: number): Outline {
    if (!reference.startsWith('#/') || /[%~]/.test(reference)) return 'any';
    return this.read(readPath(this.#root, reference.slice(2).split('/')), depth + 1);
  }
}
