// Plain JSON data: the only values that definitions, inputs, results, state and events are made of.
//
// Values are never altered once made (see `path.ts` for writing): two places may share one value, and an event
// that was recorded keeps saying what it said.

export type Json = null | boolean | number | string | JsonArray | JsonObject;
export type JsonArray = readonly Json[];
export interface JsonObject {
  readonly [key: string]: Json;
}

/** `Data` if it is made of JSON alone, though its interfaces have no index signature; else something it does not fit. */
export type MadeOfJson<Data> = Data extends Json
  ? Data
  : Data extends undefined | bigint | symbol | ((...all: never) => unknown)
    ? never
    : { readonly [Name in keyof Data]: MadeOfJson<Data[Name]> };

/** A value that is made of JSON as JSON: the compiler looks into its type, and nothing happens at runtime. */
export function asJson<Data extends object>(data: Data & MadeOfJson<Data>): AsJson<Data> {
  return data as AsJson<Data>; // `MadeOfJson` has looked at every member
}
type AsJson<Data> = Data & (Data extends readonly unknown[] ? JsonArray : JsonObject);

export function isJsonArray(value: Json | undefined): value is JsonArray {
  return Array.isArray(value);
}

/** What may hold members that a caller gives, a class of theirs too; a list, a Map or a Date holds none. */
export function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.prototype.toString.call(value) === '[object Object]';
}
