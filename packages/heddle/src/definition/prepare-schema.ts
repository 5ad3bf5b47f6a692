// Prepare schema: reads a JSON Schema once, refuses what cannot be checked, and makes the copy that is checked with:
// references are replaced by what they refer to, patterns are linear, and every look at a part costs a step. Rules
// DF45 and DF46.
//
// Always true: parts wait in a queue, so that neither depth nor a circle of references exhausts the stack here.

import { given } from '../base/given.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { isJsonObject, readPath } from '../base/path.ts';
import { stableStringify } from '../base/stable-json.ts';
import type { JsonSchema } from './definition.ts';
import { compileLinearPattern, isSimplePattern } from './linear-pattern.ts';
import { pointerTo } from './origins.ts';
import { checkKeyword, partsOf } from './schema-keywords.ts';
import { describeJson, quote } from './shape.ts';

export interface SchemaProblem {
  readonly code: 'INVALID_SCHEMA' | 'PATTERN_NOT_ALLOWED' | 'REMOTE_REFERENCE' | 'TOO_DEEP';
  /** Into the schema. */
  readonly pointer: string;
  readonly message: string;
  readonly hint?: string;
}

/** Thrown out of the validator, which has no budget of its own; caught in `schema.ts`. */
export class StepsSpent extends Error {}

export interface Prepared {
  readonly schema: JsonSchema;
  readonly steps: { left: number };
  /** It names properties that every object of JavaScript inherits: values must be checked without a prototype. */
  readonly namesInherited: boolean;
  /** How many schemas it is made of. */
  readonly parts: number;
}

/** Schemas inside schemas; the validator calls itself for each. */
const depthMax = 100;

type Copy = Record<string, unknown>;

interface Place {
  readonly pointer: string;
  readonly depth: number;
}

/** What is wrong with a schema: everything, in no particular order; at least one thing. */
export interface Refused {
  readonly problems: readonly [SchemaProblem, ...SchemaProblem[]];
}

export function prepareSchema(schema: JsonSchema): Prepared | Refused {
  const preparation = new Preparation(schema);
  const copy = preparation.run();
  const { problems, steps, namesInherited, parts } = preparation;
  const [first, ...others] = problems;
  // The copy is a schema with other objects in place of some texts, as the validator takes them.
  if (first === undefined) return { schema: copy as JsonSchema, steps, namesInherited, parts };
  return { problems: [first, ...others] };
}

const anyType = ['null', 'boolean', 'number', 'string', 'array', 'object'];

/** A part of the schema, and where it stands. */
interface Found {
  readonly schema: Json | undefined;
  readonly pointer: string;
}

class Preparation {
  readonly problems: SchemaProblem[] = [];
  namesInherited = false;
  readonly steps = { left: Number.POSITIVE_INFINITY };
  readonly #root: JsonSchema;
  readonly #anchors: ReadonlyMap<string, Found>;
  readonly #copies = new Map<JsonObject, Copy>();
  readonly #queue: { schema: JsonObject; copy: Copy; place: Place }[] = [];

  get parts(): number {
    return this.#copies.size;
  }

  constructor(root: JsonSchema) {
    this.#root = root;
    this.#anchors = findAnchors(root);
  }

  run(): unknown {
    const copy = this.#copy(this.#root, { pointer: '', depth: 0 });
    for (let next = this.#queue.pop(); next !== undefined; next = this.#queue.pop()) {
      for (const [keyword, value] of Object.entries(next.schema)) this.#fill(next, keyword, value);
      this.#count(next.copy);
    }
    return copy;
  }

  /** One copy for each part; it is filled when its turn comes. */
  #copy(schema: Json, place: Place): unknown {
    if (typeof schema === 'boolean') return schema;
    if (!isJsonObject(schema)) {
      return this.#refuse('INVALID_SCHEMA', place.pointer, `Expected a JSON Schema, but found ${describeJson(schema)}`);
    }
    if (place.depth > depthMax) {
      const message = `Expected at most ${depthMax} schemas inside each other, but found more`;
      return this.#refuse('TOO_DEEP', place.pointer, message);
    }
    const known = this.#copies.get(schema);
    if (known !== undefined) return known;
    const copy: Copy = {};
    this.#copies.set(schema, copy);
    this.#queue.push({ schema, copy, place });
    return copy;
  }

  #fill({ copy, place: outer }: { copy: Copy; place: Place }, keyword: string, value: Json): void {
    const place = { pointer: pointerTo(outer.pointer, keyword), depth: outer.depth };
    const message = checkKeyword(keyword, value);
    if (message !== null) this.#refuse('INVALID_SCHEMA', place.pointer, message);
    else if (keyword === '$ref' || keyword === '$dynamicRef')
      addToAllOf(copy, this.#refer(value as string, place)); // `checkKeyword` has seen that
    else if (keyword === 'allOf')
      addToAllOf(copy, ...(this.#parts(keyword, { value, place }) as unknown[])); // a list, of which the parts are one
    else if (keyword === 'pattern')
      copy[keyword] = this.#pattern(value as string, place); // `checkKeyword` has seen that
    else if (keyword === 'uniqueItems' && value === true) copy['~refine'] = uniqueItemsCheck;
    else if (keyword === '$id' && place.pointer !== '/$id') {
      this.#refuse('INVALID_SCHEMA', place.pointer, 'Expected "$id" only at the top of a schema, but found it inside');
    } else if (!keyword.startsWith('$') && !keyword.startsWith('~') && keyword !== 'uniqueItems') {
      this.#noteNames(keyword, value);
      copy[keyword] = this.#parts(keyword, { value, place });
    } else if (keyword === '$defs') this.#parts(keyword, { value, place });
  }

  #parts(keyword: string, { value, place }: { value: Json; place: Place }): unknown {
    const inside = { ...place, depth: place.depth + 1 };
    switch (partsOf(keyword, value)) {
      case 'none':
        return value;
      case 'one':
        return this.#copy(value, inside);
      case 'list':
        // `partsOf` says so.
        return (value as readonly Json[]).map((part, index) =>
          this.#copy(part, { ...inside, pointer: pointerTo(place.pointer, index) }),
        );
      case 'map':
        return this.#map(keyword, { value: value as JsonObject, place: inside }); // `partsOf` says so
    }
  }

  #map(keyword: string, { value, place }: { value: JsonObject; place: Place }): object {
    const members = Object.entries(value).map(([key, part]): [string, unknown] => {
      const pointer = pointerTo(place.pointer, key);
      if (keyword === 'patternProperties' && !isSimplePattern(key)) this.#refuseNamePattern(key, pointer);
      return [key, Array.isArray(part) ? part : this.#copy(part, { ...place, pointer })];
    });
    return Object.fromEntries(members);
  }

  #noteNames(keyword: string, value: Json): void {
    if (keyword !== 'required' && keyword !== 'properties' && !keyword.startsWith('depend')) return;
    const names = isJsonObject(value) ? [...Object.keys(value), ...Object.values(value).flat()] : [value].flat();
    if (names.some((name) => typeof name === 'string' && name in Object.prototype)) this.namesInherited = true;
  }

  // DF45: texts are matched in linear time: patterns are RE2's; those of property names are simple.
  #pattern(source: string, { pointer }: Place): unknown {
    const compiled = compileLinearPattern(source);
    if (typeof compiled !== 'string') return compiled;
    const message = `Expected a pattern of RE2 (no look-around, no back references), but found ${quote(source)}`;
    return this.#refuse('PATTERN_NOT_ALLOWED', pointer, message, compiled);
  }

  #refuseNamePattern(source: string, pointer: string): void {
    const message = `Expected a simple pattern for property names, but found ${quote(source)}`;
    const hint = 'No groups, no "|", at most one "*", "+", "?" or "{n}", and that only after a leading "^".';
    this.#refuse('PATTERN_NOT_ALLOWED', pointer, message, hint);
  }

  // DF46: a reference stays inside its schema, and leads somewhere.
  #refer(reference: string, { pointer }: Place): unknown {
    if (!reference.startsWith('#')) {
      const message = `Expected a reference inside the schema, beginning with "#", but found ${quote(reference)}`;
      return this.#refuse('REMOTE_REFERENCE', pointer, message, 'Put the other schema under "$defs".');
    }
    const found = this.#find(reference.slice(1));
    if (typeof found?.schema === 'boolean' || isJsonObject(found?.schema))
      return this.#copy(found.schema, { pointer: found.pointer, depth: 0 });
    const message = `Expected a reference to a part of the schema, but ${quote(reference)} is none`;
    return this.#refuse('INVALID_SCHEMA', pointer, message);
  }

  #find(fragment: string): Found | undefined {
    if (fragment === '') return { schema: this.#root, pointer: '' };
    if (!fragment.startsWith('/')) return this.#anchors.get(fragment);
    const keys = fragment.slice(1).split('/').map(unescapeFragmentKey);
    if (!keys.every((key) => key !== null)) return undefined;
    return { schema: readPath(this.#root, keys), pointer: keys.reduce(pointerTo, '') };
  }

  /** The validator reads `type` first in every schema that it looks at; reading it here costs a step. */
  #count(copy: Copy): void {
    const { steps } = this;
    const type = copy['type'] ?? anyType;
    Object.defineProperty(copy, 'type', {
      enumerable: false,
      get: () => {
        steps.left -= 1;
        if (steps.left < 0) throw new StepsSpent();
        return type;
      },
    });
  }

  #refuse(code: SchemaProblem['code'], pointer: string, message: string, hint?: string): undefined {
    this.problems.push({ code, pointer, message, ...given({ hint }) });
    return undefined;
  }
}

function addToAllOf(copy: Copy, ...schemas: unknown[]): void {
  copy['allOf'] = [...((copy['allOf'] as unknown[] | undefined) ?? []), ...schemas]; // only written here
}

function unescapeFragmentKey(key: string): string | null {
  try {
    return decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return null;
  }
}

/** The schemas that have a name of their own, wherever they stand. */
function findAnchors(root: Json): Map<string, Found> {
  const anchors = new Map<string, Found>();
  const queue: Found[] = [{ schema: root, pointer: '' }];
  for (let part = queue.pop(); part !== undefined; part = queue.pop()) {
    const { schema, pointer } = part;
    if (typeof schema !== 'object' || schema === null) continue;
    for (const [key, value] of Object.entries<Json>(schema)) {
      if ((key === '$anchor' || key === '$dynamicAnchor') && typeof value === 'string') anchors.set(value, part);
      queue.push({ schema: value, pointer: pointerTo(pointer, key) });
    }
  }
  return anchors;
}

/** The check behind `uniqueItems`, in linear time: a refinement as the validator takes it. */
const uniqueItemsCheck = [
  {
    check: (value: Json): boolean => !Array.isArray(value) || findRepeated(value) === -1,
    // What fails the check is a list.
    error: (value: Json): string => `item ${findRepeated(value as readonly Json[])} repeats an earlier one`,
  },
];

function findRepeated(items: readonly Json[]): number {
  const seen = new Set<string>();
  return items.findIndex((item) => seen.size === seen.add(stableStringify(item)).size);
}
