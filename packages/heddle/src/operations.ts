// The door to the table of operations: everything that can be asked of an engine, as data. For programs that are made from
// it (command lines, clients in other languages, forms); it loads no engine.

export { findNearest } from './base/nearest.ts';
export type { AnyOperation, Operation, Where } from './operations/operation.ts';
export { type AnswerOf, type OperationName, operations, type RequestOf } from './operations/operations.ts';
export type { AnyMember, AnySchema, Bound, Kind, Schema } from './operations/schema.ts';
export { type Scope, scopes } from './operations/scope.ts';
