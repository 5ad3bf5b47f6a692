// Shape: what a JSON value must look like, as data. One table of shapes (`fields.ts`) drives both the checker
// (`check-shape.ts`) and the published JSON Schema (`published-schema.testsuite.ts`), so that the two cannot drift apart.

import type { Json, JsonObject } from '../base/json.ts';
import type { Limits } from './limits.ts';

export type Shape =
  | TextShape
  | NumberShape
  | { readonly type: 'boolean' }
  | ChoiceShape
  | ListShape
  | MapShape
  | ObjectShape
  | { readonly type: 'either'; readonly of: readonly Shape[] }
  /** Any JSON; never looked into. */
  | { readonly type: 'opaque' }
  /** A JSON Schema: an object or a boolean. */
  | { readonly type: 'schema' }
  /** An object in the structured condition language; looked into by the expression room. */
  | { readonly type: 'structured' };

export interface TextShape {
  readonly type: 'text';
  /** With its article, for messages: `a node id`. */
  readonly what: string;
  readonly pattern?: RegExp;
  /** In characters (code points). */
  readonly lengthMax?: number;
  readonly hint?: string;
}

export interface NumberShape {
  readonly type: 'number';
  readonly integer: boolean;
  readonly min?: number;
  readonly max?: number;
  /** The engine's limit above which it may not go. */
  readonly limit?: keyof Limits;
}

export interface ChoiceShape {
  readonly type: 'choice';
  /** In snake_case where they have several words; camelCase is read too. */
  readonly values: readonly string[];
}

export interface ListShape {
  readonly type: 'list';
  readonly of: Shape;
  readonly min?: number;
  readonly limit?: keyof Limits;
}

/** An object whose keys the author chooses. */
export interface MapShape {
  readonly type: 'map';
  readonly of: Shape;
  readonly description?: string;
}

export interface ObjectShape {
  readonly type: 'object';
  /** With its article, for messages: `a transition`. */
  readonly what: string;
  readonly fields: Readonly<Record<string, Field>>;
  /** How one of them is called in messages about what is inside it: `node "fetch"`. */
  readonly label?: (value: JsonObject) => string;
  /** Groups of fields of which one must be there, and only one. */
  readonly exactlyOne?: readonly string[];
  /** What to write where something else than an object was found. */
  readonly hint?: string;
  /** Fields that are not known are read past: the editor that saved it has some of its own. */
  readonly isOpen?: true;
}

export interface Field {
  readonly shape: Shape;
  readonly description: string;
  readonly required?: true;
  /** Other names of the field; its own and these are read in snake_case too. */
  readonly aliases?: readonly string[];
  /** Read, and turned into other fields by `shorthand.ts`; not part of the published schema. */
  readonly shorthand?: true;
  readonly examples?: readonly Json[];
}

export function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** What a value of this shape is called in a message. */
export function describeShape(shape: Shape): string {
  switch (shape.type) {
    case 'text':
      return shape.what;
    case 'object':
      return `${shape.what} (an object)`;
    case 'number':
      return shape.integer ? 'a whole number' : 'a number';
    case 'boolean':
      return 'true or false';
    case 'choice':
      return shape.values.map((value) => `"${value}"`).join(' or ');
    case 'list':
      return 'a list';
    case 'map':
      return 'an object';
    case 'either':
      return shape.of.map(describeShape).join(' or ');
    case 'opaque':
      return 'any JSON';
    case 'schema':
      return 'a JSON Schema (an object, true or false)';
    case 'structured':
      return 'a structured condition';
  }
}

export function describeJson(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'string') return `the text ${shorten(JSON.stringify(value))}`;
  // Settings of actions are no JSON: a program may have put anything there.
  return typeof value === 'number' || typeof value === 'boolean' ? `${value}` : `a ${typeof value}`;
}

/** A name in a message, in quotes. */
export function quote(name: string): string {
  return JSON.stringify(shorten(name));
}

const listedMax = 20;

/** Names in a message: the first of them, if they are many. */
export function listNames(names: Iterable<string>): string {
  const all = [...names];
  const shown = all.slice(0, listedMax).map(shorten);
  return all.length === 0
    ? 'none'
    : [...shown, ...(all.length > listedMax ? [`${all.length - listedMax} more`] : [])].join(', ');
}

export function shorten(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 77)}...`;
}
