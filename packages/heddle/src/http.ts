// The door to HTTP on any runtime: a function from a Request to a Response, for an engine or many.

export { type Access, type Authenticate, defaultTenant } from './http/access.ts';
export type { Answered } from './http/answer-watch.ts';
export { ApiKeys } from './http/api-keys.ts';
export { type App, type AppOptions, createApp } from './http/app.ts';
export type { StreamOptions } from './http/event-stream.ts';
export type { GuardOptions } from './http/guard.ts';
export { makeOpenApi, type OpenApi } from './http/openapi.ts';
export type { ProblemDocument } from './http/problem-document.ts';
export { type Route, routes } from './http/route.ts';
export type {
  Identity,
  KeyInfo,
  KeyRequest,
  NewKey,
  NewToken,
  Only,
  Session,
  TokenInfo,
  TokenRequest,
} from './operations/access.ts';
export type { AnyOperation, Operation, Where } from './operations/operation.ts';
export { type AnswerOf, type OperationName, operations, type RequestOf } from './operations/operations.ts';
export { type Scope, scopes } from './operations/scope.ts';
