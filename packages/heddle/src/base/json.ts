// Plain JSON data: the only values that definitions, inputs, results, state and events are made of.
//
// Values are never altered once made (see `path.ts` for writing): two places may share one value, and an event
// that was recorded keeps saying what it said.

export type Json = null | boolean | number | string | JsonArray | JsonObject;
export type JsonArray = readonly Json[];
export interface JsonObject {
  readonly [key: string]: Json;
}
