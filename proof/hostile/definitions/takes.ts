// Takes: what a field of a definition takes, as the proof knows it: written down by hand from the guides and from SPEC.md,
// and sharing nothing with the tables that the engine reads by, so that the two can disagree.

import type { Json } from '../../../packages/heddle/src/base/json.ts';

export type Takes =
  | { readonly type: 'anything' | 'text' | 'flag' | 'yes' | 'schema' }
  | {
      readonly type: 'number';
      readonly isWhole: boolean;
      readonly from: number;
      readonly to: number;
      readonly above: string;
    }
  | { readonly type: 'word'; readonly words: readonly string[] }
  | { readonly type: 'name'; readonly of: NameKind }
  /** The name of a thing elsewhere in the definition; `unknown` is the code of one that leads nowhere. */
  | { readonly type: 'reference'; readonly unknown: string; readonly isWarning: boolean }
  | { readonly type: 'expression'; readonly reads: readonly string[] }
  /** An expression, or a condition as data. */
  | { readonly type: 'condition'; readonly reads: readonly string[] }
  | { readonly type: 'path'; readonly of: PathKind }
  | ListTakes
  | { readonly type: 'map'; readonly keys: PathKind | 'port' | 'free'; readonly of: Takes }
  | ObjectTakes
  | { readonly type: 'either'; readonly of: readonly Takes[] };

export type NameKind = 'workflow' | 'action' | 'id' | 'group' | 'variable' | 'trigger';

/** Where a path may lead: below `state` or `output`; anywhere below an input; anywhere below a context. */
export type PathKind = 'section' | 'keys' | 'context' | 'items';

export interface ListTakes {
  readonly type: 'list';
  readonly of: Takes;
  readonly least: number;
  /** The member by which no two may be alike. */
  readonly unique: string | null;
}

export interface ObjectTakes {
  readonly type: 'object';
  readonly fields: FieldTable;
  /** Of these exactly one must be there. */
  readonly oneOf: readonly string[];
  /** It has more fields by the word in one of them. */
  readonly byWord: { readonly field: string; readonly kinds: ReadonlyMap<string, FieldTable> } | null;
}

/** By every way to write their names. */
export type FieldTable = ReadonlyMap<string, Field>;

export interface Field {
  readonly name: string;
  /** Every way to write its name, and its other names. */
  readonly spellings: readonly string[];
  readonly isRequired: boolean;
  readonly takes: Takes;
}

export const anything: Takes = { type: 'anything' };
export const text: Takes = { type: 'text' };
export const flag: Takes = { type: 'flag' };
export const yes: Takes = { type: 'yes' };
export const schema: Takes = { type: 'schema' };

/** Above `to` a limit of the engine is exceeded, or else the number is out of range. */
export const whole = (from: number, to = Number.MAX_SAFE_INTEGER, above = 'LIMIT_EXCEEDED'): Takes => ({
  type: 'number',
  isWhole: true,
  from,
  to,
  above: to === Number.MAX_SAFE_INTEGER ? 'OUT_OF_RANGE' : above,
});
export const number = (from: number, to: number): Takes => ({
  type: 'number',
  isWhole: false,
  from,
  to,
  above: 'OUT_OF_RANGE',
});
export const word = (...words: readonly string[]): Takes => ({ type: 'word', words });
export const name = (of: NameKind): Takes => ({ type: 'name', of });
export const reference = (unknown: string, isWarning = false): Takes => ({ type: 'reference', unknown, isWarning });
export const expression = (...reads: readonly string[]): Takes => ({ type: 'expression', reads });
export const condition = (...reads: readonly string[]): Takes => ({ type: 'condition', reads });
export const path = (of: PathKind): Takes => ({ type: 'path', of });
export const list = (of: Takes, { least = 0, unique = null as string | null } = {}): ListTakes => ({
  type: 'list',
  of,
  least,
  unique,
});
export const map = (keys: PathKind | 'port' | 'free', of: Takes): Takes => ({ type: 'map', keys, of });
export const either = (...of: readonly Takes[]): Takes => ({ type: 'either', of });

/** `'id!'` must be there; `'retry|retryPolicy'` has two names. */
export type Fields = Readonly<Record<string, Takes>>;

export function object(fields: Fields, more: { readonly oneOf?: readonly string[] } = {}): ObjectTakes {
  return { type: 'object', fields: readFields(fields), oneOf: more.oneOf ?? [], byWord: null };
}

/** An object with further fields by the word in one of them. */
export function objectBy(field: string, fields: Fields, kinds: Readonly<Record<string, Fields>>): ObjectTakes {
  const tables = Object.entries(kinds).map(([kind, more]): [string, FieldTable] => {
    return [bare(kind), readFields({ ...fields, ...more })];
  });
  return { type: 'object', fields: readFields(fields), oneOf: [], byWord: { field, kinds: new Map(tables) } };
}

function readFields(fields: Fields): FieldTable {
  const made = Object.entries(fields).map(([key, takes]): Field => {
    const names = key.replace('!', '').split('|');
    const spellings = [...new Set(names.flatMap((one) => [one, snake(one)]))];
    return { name: names[0] ?? '', spellings, isRequired: key.includes('!'), takes };
  });
  return new Map(made.flatMap((field) => field.spellings.map((key): [string, Field] => [key, field])));
}

const snake = (camel: string): string => camel.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const bare = (word_: string): string => word_.replaceAll('_', '').toLowerCase();

export function fieldsOf({ fields, byWord }: ObjectTakes, value: Readonly<Record<string, Json>>): FieldTable {
  const kind = byWord === null ? undefined : value[byWord.field];
  return (typeof kind === 'string' ? byWord?.kinds.get(bare(kind)) : undefined) ?? fields;
}

/** Whether a value is of the right kind, whatever is inside it. */
export function isOfKind(takes: Takes, value: Json): boolean {
  switch (takes.type) {
    case 'anything':
      return true;
    case 'text':
    case 'word':
    case 'name':
    case 'reference':
    case 'expression':
    case 'path':
      return typeof value === 'string';
    case 'condition':
      return typeof value === 'string' || isObject(value);
    case 'flag':
      return typeof value === 'boolean';
    case 'yes':
      return value === true;
    case 'schema':
      return typeof value === 'boolean' || isObject(value);
    case 'number':
      return typeof value === 'number' && (!takes.isWhole || Number.isInteger(value));
    case 'list':
      return Array.isArray(value);
    case 'map':
    case 'object':
      return isObject(value);
    case 'either':
      return takes.of.some((one) => isOfKind(one, value));
  }
}

export function isObject(value: Json | undefined): value is Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
