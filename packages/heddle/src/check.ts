// The door for editors of definitions: everything that is wrong with a definition of any dialect, as the engine says it, and
// the definition in its normal form. The parser alone, without an engine: meant for a web worker.

export type { Json, JsonObject } from './base/json.ts';
export type { Problem } from './base/problem.ts';
export { checkDefinition, type ListedAction, type ListedWork } from './dialects/check-definition.ts';
export type { Parsed } from './dialects/parse.ts';
