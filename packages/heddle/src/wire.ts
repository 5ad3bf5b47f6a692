// The door for browsers: every operation over HTTP with nothing but `fetch`. It carries no schemas: the server checks.

export { HeddleError } from './base/heddle-error.ts';
export type { Problem } from './base/problem.ts';
export { AnsweredError } from './client/answers.ts';
export type { StreamState } from './client/read-stream.ts';
export {
  type BytesName,
  type CallName,
  type FollowOptions,
  WireClient,
  type WireOptions,
} from './client/wire-client.ts';
export type { CallOptions, ItemOf, StreamName } from './operations/carrier.ts';
export type { Bytes } from './operations/operation.ts';
export type { AnswerOf, OperationName, RequestOf } from './operations/operations.ts';
export { type Scope, scopes } from './operations/scope.ts';
