// The door to HTTP on any runtime: a function from a Request to a Response, for an engine or many.

export { type Access, type Authenticate, defaultTenant } from './http/access.ts';
export type { Answered } from './http/answer-watch.ts';
export { type App, type AppOptions, createApp } from './http/app.ts';
export { type Contract, contract, type OperationName } from './http/contract/contract.ts';
export { type AnswerOf, type RequestOf, type Route } from './http/contract/route.ts';
export { type Scope, scopes } from './http/contract/scope.ts';
export type { StreamOptions } from './http/event-stream.ts';
export type { GuardOptions } from './http/guard.ts';
export { KeyBook, type KeyInfo, type KeyRequest, type NewKey } from './http/key-book.ts';
export { makeOpenApi, type OpenApi } from './http/openapi.ts';
export type { ProblemDocument } from './http/problem-document.ts';
