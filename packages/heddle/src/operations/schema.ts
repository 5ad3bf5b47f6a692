// Schema: what a value must be, as data. Requests are checked by it (`check-value.ts`), and the OpenAPI document is written
// from it (`json-schema.ts`).
//
// Always true: the type that a schema stands for is written by hand, and a schema that does not say the same does not
// compile. A schema is a plain object: to make one calls nothing and costs nothing.

import type { Json, JsonObject } from '../base/json.ts';
import type { Limits } from '../definition/limits.ts';

export interface AnySchema {
  readonly kind: Kind;
  /** One sentence, for people. */
  readonly about?: string | undefined;
  /** Generated clients call it this. */
  readonly title?: string | undefined;
  /** The code of the error if it, or something in it, is wrong, where that has one of its own. */
  readonly code?: string | undefined;
}

/** `T` exists at compile time only: as the parameter and the result of a function, so that no other type fits. */
export interface Schema<T> extends AnySchema {
  readonly '~of'?: (value: T) => T;
}

/** A bound, or the limit that is one. */
export type Bound = number | keyof Limits;

export type Kind =
  | { readonly type: 'text'; readonly min: number; readonly max: Bound; readonly pattern?: RegExp | undefined }
  | { readonly type: 'whole'; readonly min: number; readonly max: Bound }
  | { readonly type: 'number' }
  | { readonly type: 'flag' }
  /** Looked at where it is used; shown as what it should be. */
  | { readonly type: 'json'; readonly as?: Kind | undefined }
  | { readonly type: 'choice'; readonly of: readonly string[] }
  | { readonly type: 'list'; readonly of: AnySchema; readonly min: number; readonly max: Bound }
  /** By keys that the caller chooses. */
  | { readonly type: 'map'; readonly of: AnySchema }
  | ObjectKind
  | { readonly type: 'either'; readonly of: readonly AnySchema[] }
  | { readonly type: 'null' };

export interface AnyMember {
  readonly schema: AnySchema;
  readonly isOptional: boolean;
}

export interface Optional<T> {
  readonly optional: Schema<T>;
}

/** Every member of T, with a schema of its type; one that may be undefined must be optional, and no other may be. */
export type Members<T> = {
  readonly [K in KeysOf<T>]: undefined extends MemberOf<T, K>
    ? Optional<Exclude<MemberOf<T, K>, undefined>>
    : Schema<MemberOf<T, K>>;
};
/** Of every type in a union. */
type KeysOf<T> = T extends unknown ? keyof T : never;
type MemberOf<T, K extends PropertyKey> = T extends unknown ? (K extends keyof T ? T[K] : undefined) : never;

/** Ids, names and keys: they are indexed, so they are not without end. */
export const textLengthMax = 1_000;

interface TextBounds {
  readonly min?: number;
  readonly max?: Bound;
  readonly pattern?: RegExp;
}

export function text(about: string, { min = 1, max = textLengthMax, pattern }: TextBounds = {}): Schema<string> {
  return { kind: { type: 'text', min, max, pattern }, about };
}

/** A text of any length, as answers have them; the type may know which texts there are. */
export function anyText<T extends string = string>(about?: string): Schema<T> {
  return { kind: { type: 'text', min: 0, max: Number.POSITIVE_INFINITY }, about };
}

interface WholeBounds {
  readonly min?: number;
  readonly max?: Bound;
}

export function whole(about?: string, { min = 1, max = Number.MAX_SAFE_INTEGER }: WholeBounds = {}): Schema<number> {
  return { kind: { type: 'whole', min, max }, about };
}

/** A whole number of any size, as answers have them. */
export function count(about?: string): Schema<number> {
  return whole(about, { min: Number.MIN_SAFE_INTEGER });
}

export function time(about: string): Schema<number> {
  return whole(`${about} In milliseconds since 1970.`, { min: 0 });
}

export function number(about?: string): Schema<number> {
  return { kind: { type: 'number' }, about };
}

/** One that is only ever there as true has the type `true`. */
export function flag<T extends boolean = boolean>(about?: string): Schema<T> {
  return { kind: { type: 'flag' }, about };
}

/** Any JSON, as far as is checked here. */
export function json<T extends Json = Json>(about = 'Any JSON.'): Schema<T> {
  return { kind: { type: 'json' }, about };
}

/** Checked where it is used, which has words of its own for what is wrong with it. */
export function lookedAt<T>({ kind, about }: Schema<T>): Schema<T> {
  return { kind: { type: 'json', as: kind }, about };
}

/** What is wrong with it has a code of its own. */
export function withCode<T>(code: string, schema: Schema<T>): Schema<T> {
  return { ...schema, code };
}

export function choice<const T extends string>(of: readonly T[], about?: string): Schema<T> {
  return { kind: { type: 'choice', of }, about };
}

export function list<T>(
  of: Schema<T>,
  about?: string,
  max: Bound = Number.POSITIVE_INFINITY,
  min = 0,
): Schema<readonly T[]> {
  return { kind: { type: 'list', of, min, max }, about };
}

export function map<T>(of: Schema<T>, about?: string): Schema<Readonly<Record<string, T>>> {
  return { kind: { type: 'map', of }, about };
}

export function optional<T>(schema: Schema<T>): Optional<T> {
  return { optional: schema };
}

export function orNull<T>(schema: Schema<T>): Schema<T | null> {
  return { kind: { type: 'either', of: [schema, { kind: { type: 'null' } }] } };
}

/** An object of exactly these members. */
export function object<T extends object>(members: Members<T>, title?: string, about?: string): Schema<T> {
  return { kind: objectKind(membersOf(members), false), title, about };
}

/** An object that has exactly one of these members. */
export function withOneOf<T extends object>(schema: Schema<T>, ...oneOf: readonly string[]): Schema<T> {
  const { kind } = schema;
  return kind.type === 'object' ? { ...schema, kind: { ...kind, oneOf } } : schema;
}

/** An object of ours whose type says more than anybody would read here: some of its members, or none. */
export function view<T extends object>(title: string, about: string, members: Partial<Members<T>> = {}): Schema<T> {
  return { kind: objectKind(membersOf(members), true), title, about };
}

/** An object that is looked at where it is used. */
export function anyObject<T extends object = JsonObject>(about?: string): Schema<T> {
  return { kind: objectKind(new Map(), true), about };
}

export interface ObjectKind<Member extends AnyMember = AnyMember> {
  readonly type: 'object';
  readonly members: ReadonlyMap<string, Member>;
  readonly isOpen: boolean;
  /** How many of them must be there. */
  readonly required: number;
  /** Exactly one of these is there. */
  readonly oneOf?: readonly string[] | undefined;
}

export function objectKind<Member extends AnyMember>(
  members: ReadonlyMap<string, Member>,
  isOpen: boolean,
  oneOf?: readonly string[],
): ObjectKind<Member> {
  let required = 0;
  for (const { isOptional } of members.values()) if (!isOptional) required++;
  return { type: 'object', members, isOpen, required, oneOf };
}

function membersOf(members: object): ReadonlyMap<string, AnyMember> {
  const entries = Object.entries(members) as [string, AnySchema | { readonly optional: AnySchema }][]; // see `Members`
  return new Map(
    entries.map(([name, member]) => [
      name,
      'optional' in member ? { schema: member.optional, isOptional: true } : { schema: member, isOptional: false },
    ]),
  );
}
